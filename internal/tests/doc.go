// Package tests is a folder. Its packages hold what tests of others share, and tests of the whole.
//
//   - testkit: the level of tests, collections that are made, exact fractions, browsers
//   - arch: imports point down, and the pages name what exists
package tests
