// Package hamming knows distances between 64-bit fingerprints: the linear scan, which every
// search of this project must agree with, and the kernels that compare and permute many
// fingerprints at a time.
//
//	d := hamming.Distance(0b1011, 0b0010) // 2
//	near := hamming.Scan(nil, fingerprints, query, 3)
package hamming

import (
	"math/bits"

	_ "simsearch/internal/bits64" // whose build ends on 32-bit systems
)

// MaxBits is the widest fingerprint, in bits, and so the largest distance.
const MaxBits = 64

// Distance returns the number of bits at which a and b differ, in [0, 64].
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }
