// Package hamming computes distances between 64-bit fingerprints. Its linear scan is the reference
// of every search of this module.
//
//	d := hamming.Distance(0b1011, 0b0010) // 2
//	near := hamming.Scan(nil, fingerprints, query, 3)
package hamming

import (
	"math/bits"

	"simsearch/internal/match/kernels"
)

// MaxBits is the number of bits in a word, which is the largest width of the fingerprints of this package and of
// package tables, and so the largest distance.
const MaxBits = 64

// Distance returns the number of bits in which a and b differ, in [0, 64].
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Backend returns the name of the code that compares fingerprints on this machine: "avx512", "avx2",
// "neon" or "generic".
func Backend() string { return kernels.Backend() }
