// Package quality is a folder. Its packages say how good answers are, and why they are what they are. Package eval,
// which users import, stands on them.
//
//   - truth: which pairs are near, by exact joins and by labels; precision and recall with intervals
//   - explain: why two texts are near: measures, passages, facts that differ
//   - report: pages with figures, plots, and texts side by side
package quality
