// Package cli has the command line: flags, what they mean together, arguments, help, completion for three shells, the
// manual page and the configuration file. All of these follow from the descriptions of commands and flags. Package
// cmd/simsearch has the commands.
//
// The folder has two packages more:
//
//   - results: what commands print: rows, groups, comparisons, an index as SQL
//   - intake: what a user is told while inputs are read, which records are new, and folders that are watched
package cli
