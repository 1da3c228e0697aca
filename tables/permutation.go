package tables

import (
	"fmt"
	"math/bits"

	"simsearch/hamming"
	"simsearch/internal/match/kernels"
)

// A Permutation moves chosen bits of a fingerprint, the header, to the top. Values that agree on the
// header are neighbours when they are sorted. The bits of the header keep their order, and so do the
// other bits, the tail.
//
// The zero value permutes 0 bits. NewPermutation makes others.
type Permutation struct {
	header uint64        // the bits of the header in a fingerprint
	width  int           // bits of a fingerprint, in [1, 64]
	moves  kernels.Moves // of all bits of the width
}

// NewPermutation returns the permutation that brings the bits of header to the
// top of a fingerprint of width bits.
//
// It panics if width is outside [1, 64] or header has a bit at or above width.
func NewPermutation(width int, header uint64) Permutation {
	if width < 1 || width > hamming.MaxBits {
		panic(fmt.Sprintf("tables: width %d outside [1, 64]", width))
	}
	if header&^lowBits(width) != 0 {
		panic(fmt.Sprintf("tables: header %#x has bits above width %d", header, width))
	}
	return Permutation{header, width, kernels.MovesTo(width, header, lowBits(width)&^header)}
}

// lowBits returns a value with the lowest n bits set; n is in [0, 64].
func lowBits(n int) uint64 {
	return 1<<uint(n) - 1 // a shift by 64 gives 0, and 0 - 1 is all ones
}

// Header returns the bits that the permutation brings to the top.
func (p Permutation) Header() uint64 { return p.header }

// HeaderBits returns the number of bits of the header.
func (p Permutation) HeaderBits() int { return bits.OnesCount64(p.header) }

// Width returns the number of bits of the fingerprints permuted.
func (p Permutation) Width() int { return p.width }

// identity reports whether the header is the highest bits, so that Apply changes nothing.
func (p Permutation) identity() bool { return len(p.moves) == 1 && p.moves[0].Rot == 0 }

// Apply returns x with its header at the top. Bits of x at or above the width are lost.
func (p Permutation) Apply(x uint64) uint64 { return p.moves.Apply(x) }

// ApplyAll sets dst[i] to Apply(xs[i]) for every i in [0, len(xs)). It panics if dst is
// shorter than xs. The two must not overlap.
func (p Permutation) ApplyAll(dst, xs []uint64) { p.moves.ApplyAll(dst, xs) }

// invert undoes Apply.
func (p Permutation) invert(y uint64) uint64 { return p.moves.Invert(y) }
