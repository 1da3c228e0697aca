// Package files is a folder. Its packages read documents out of files, and know how to find each of them again.
//
//   - corpus: one file of code for each format: which files it knows, how it opens, reads and rereads them
//   - inputs: names, patterns and directories; compression, charsets and bounds
//   - syntax: JSON, CSV, mail, crawls and HTML as bytes, with the place of each record
//   - columns: Parquet and Arrow
//   - prints: fingerprints that were made elsewhere
//   - document: what they all yield
package files
