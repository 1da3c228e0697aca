// Package features is a folder. Its packages turn contents into features. Packages preprocess, fingerprint and
// minhash, which users import, belong to them.
//
//   - analysis: the settings of a collection; a text to its fingerprint, its set and its signature, on several goroutines
//   - imagehash: a picture to a hash of 64 bits, within bounds of memory
package features
