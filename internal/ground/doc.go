// Package ground is a folder. Its packages know nothing of documents. Everything else stands on them.
//
//   - disk: files that appear complete or not at all; memory maps; a file system that tests can make fail
//   - publish: the directory of a result, which changes as a whole, on the disk or in a store; objects: such a store
//   - section: files of named sections, each block with its checksum
//   - spill: how much memory to take; sorting and long lists through temporary files
//   - ints, parallel: integers in bulk; tasks on several goroutines, with results in order
//   - terminal: rows, messages and progress that cannot harm a terminal
package ground
