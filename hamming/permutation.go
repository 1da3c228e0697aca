package hamming

import (
	"fmt"
	"math/bits"
)

// A Permutation moves chosen bits of a fingerprint to the top, so that values
// which agree on them are neighbours once sorted. Bits keep their order inside
// the header (the chosen bits) and inside the tail (the others).
//
// The zero value is the identity on 0 bits; use NewPermutation.
type Permutation struct {
	header uint64 // the chosen bits, where they stand in a fingerprint
	width  int    // bits of a fingerprint, in [1, 64]
	moves  []move // disjoint, together all bits
}

// A move takes the bits of mask and rotates them left by rot.
type move struct {
	mask uint64
	rot  int
}

// NewPermutation returns the permutation that brings the bits of header to the
// top of a fingerprint of width bits.
//
// It panics if width is outside [1, 64] or header has a bit at or above width.
func NewPermutation(width int, header uint64) Permutation {
	if width < 1 || width > MaxBits {
		panic(fmt.Sprintf("hamming: width %d outside [1, 64]", width))
	}
	if header&^Mask(width) != 0 {
		panic(fmt.Sprintf("hamming: header %#x has bits above width %d", header, width))
	}
	p := Permutation{header: header, width: width}
	to := width - 1
	for _, part := range [2]uint64{header, Mask(width) &^ header} {
		for from := width - 1; from >= 0; from-- {
			if bit := uint64(1) << from; part&bit != 0 {
				p.add(bit, (to-from)&63)
				to--
			}
		}
	}
	return p
}

// add lets the bits of mask travel by rot, with others that travel as far.
func (p *Permutation) add(mask uint64, rot int) {
	for i := range p.moves {
		if p.moves[i].rot == rot {
			p.moves[i].mask |= mask
			return
		}
	}
	p.moves = append(p.moves, move{mask, rot})
}

// Mask returns a value whose lowest n bits are set; n is in [0, 64].
func Mask(n int) uint64 {
	return 1<<uint(n) - 1 // a shift by 64 gives 0, and 0 - 1 is all ones
}

// Header returns the bits that the permutation brings to the top.
func (p Permutation) Header() uint64 { return p.header }

// HeaderBits returns how many bits the header has.
func (p Permutation) HeaderBits() int { return bits.OnesCount64(p.header) }

// Width returns the number of bits of the fingerprints permuted.
func (p Permutation) Width() int { return p.width }

// Identity reports whether the header is the highest bits already, so that Apply
// changes nothing.
func (p Permutation) Identity() bool { return len(p.moves) == 1 && p.moves[0].rot == 0 }

// Apply returns x with its header on top. Bits at or above the width are lost.
func (p Permutation) Apply(x uint64) uint64 {
	var y uint64
	for _, m := range p.moves {
		y |= bits.RotateLeft64(x&m.mask, m.rot)
	}
	return y
}

// ApplyAll sets dst[i] to Apply(xs[i]) for every i in [0, len(xs)). It panics if dst
// is shorter; the two must not overlap.
func (p Permutation) ApplyAll(dst, xs []uint64) {
	dst = dst[:len(xs)]
	if n := p.applyVectors(dst, xs); n > 0 {
		dst, xs = dst[n:], xs[n:]
	}
	// Four moves a pass, held in registers; missing ones move nothing.
	for n := 0; n < len(p.moves); n += 4 {
		var m [4]move
		copy(m[:], p.moves[n:])
		for i, x := range xs {
			y := bits.RotateLeft64(x&m[0].mask, m[0].rot) | bits.RotateLeft64(x&m[1].mask, m[1].rot) |
				bits.RotateLeft64(x&m[2].mask, m[2].rot) | bits.RotateLeft64(x&m[3].mask, m[3].rot)
			if n > 0 {
				y |= dst[i]
			}
			dst[i] = y
		}
	}
}

// Spare is how many more values than it writes ApplyMatching needs room for.
const Spare = 8

// ApplyMatching writes to dst Apply(x) of those xs for which its n highest bits are top,
// in their order, and returns how many they are; n is in [1, Width()].
//
// It panics if dst is shorter than len(xs)+Spare; what it holds behind the values is
// undefined. The two must not overlap.
func (p Permutation) ApplyMatching(dst, xs []uint64, n int, top uint64) int {
	dst = dst[:len(xs)+Spare]
	shift := uint(p.width - n)
	done, written := p.matchVectors(dst, xs, shift, top)
	for _, x := range xs[done:] {
		y := p.Apply(x)
		dst[written] = y
		written += int((y>>(shift&63) ^ top - 1) >> 63) // 1 where they are equal, and no branch
	}
	return written
}

// Invert undoes Apply.
func (p Permutation) Invert(y uint64) uint64 {
	var x uint64
	for _, m := range p.moves {
		x |= bits.RotateLeft64(y, -m.rot) & m.mask
	}
	return x
}
