// Package clean is a folder. Its packages read a collection, decide what is too much in it, and write it again
// without that.
//
//   - run: one run over files: inputs, phases, what cannot be read, the directory of the result, its lists and its report
//   - dedup: documents, paragraphs and lines that are near others; repeats: passages that have occurred before
//   - decontaminate: items of tests in training documents; copied: what submissions share
//   - steps: dedup in parts, for engines with many machines
//   - rewrite: files written again in their own format; filesync: which files have changed since they were read
//   - warnings: what a person should know of a run; review: marks of a person
package clean
