// Package match is a folder. Its packages find what is near, without a miss. Packages tables and hamming, which users
// import, belong to them.
//
//   - prefix, setjoin: sets, by their rarest features: near, pairs, stars
//   - selfjoin, kernels: pairs of fingerprints, and the vector instructions that compare them
//   - lsh: bands over MinHash signatures
//   - sequences: words in a row that two texts share, but for some edits
//   - judge: how likely it is that one text was made from another
//   - join: from near pairs of any kind to pairs and groups of documents
package match
