package kernels

import (
	"math"
	"math/bits"
)

// Moves are a permutation of the bits of a value, as a list of rotations. Their masks are disjoint.
type Moves []Move

// A Move takes the bits of Mask and rotates them left by Rot.
type Move struct {
	Mask uint64
	Rot  int
}

// Add adds the bits of mask, which are rotated left by rot, in [0, 64).
func (ms *Moves) Add(mask uint64, rot int) {
	for i := range *ms {
		if m := &(*ms)[i]; m.Rot == rot {
			m.Mask |= mask
			return
		}
	}
	*ms = append(*ms, Move{mask, rot})
}

// MovesTo returns moves that bring the bits of masks to the top of a value of width bits, those of the first mask
// above those of the next. The bits of a mask keep their order.
func MovesTo(width int, masks ...uint64) (ms Moves) {
	for _, mask := range masks {
		for mask != 0 {
			from := bits.Len64(mask) - 1
			width--
			ms.Add(1<<from, (width-from)&63)
			mask &^= 1 << from
		}
	}
	return ms
}

// Apply returns x with its bits moved. Bits that are in no mask are lost.
func (ms Moves) Apply(x uint64) uint64 {
	var y uint64
	for _, m := range ms {
		y |= bits.RotateLeft64(x&m.Mask, m.Rot)
	}
	return y
}

// Invert undoes Apply.
func (ms Moves) Invert(y uint64) uint64 {
	var x uint64
	for _, m := range ms {
		x |= bits.RotateLeft64(y, -m.Rot) & m.Mask
	}
	return x
}

// ApplyAll sets dst[i] to Apply(xs[i]) for every i in [0, len(xs)). It panics if dst is
// shorter than xs. The two must not overlap.
func (ms Moves) ApplyAll(dst, xs []uint64) {
	dst = dst[:len(xs)]
	if n := ms.applyVectors(dst, xs); n > 0 {
		dst, xs = dst[n:], xs[n:]
	}
	// A pass applies four moves, which stay in registers. Moves without bits fill up the last pass.
	for n := 0; n < len(ms); n += 4 {
		var m [4]Move
		copy(m[:], ms[n:])
		for i, x := range xs {
			y := bits.RotateLeft64(x&m[0].Mask, m[0].Rot) | bits.RotateLeft64(x&m[1].Mask, m[1].Rot) |
				bits.RotateLeft64(x&m[2].Mask, m[2].Rot) | bits.RotateLeft64(x&m[3].Mask, m[3].Rot)
			if n > 0 {
				y |= dst[i]
			}
			dst[i] = y
		}
	}
}

// Margin is how much longer dst is than xs in ApplyMatching, since vectors are written as a whole.
const Margin = 8

// ApplyMatching writes Apply(x) to dst for each x of xs for which Apply(x)>>shift is top, in order, and
// returns the number of values written. shift is in [0, 63].
//
// It panics if dst is shorter than len(xs)+Margin. The contents of dst behind the values are undefined. dst
// and xs must not overlap.
func (ms Moves) ApplyMatching(dst, xs []uint64, shift uint, top uint64) int {
	dst = dst[:len(xs)+Margin]
	done, written := ms.matchVectors(dst, xs, shift, top)
	// Few values match. So they are found first, by where their bits come from, and then moved.
	from, mask, want := written, ms.Invert(math.MaxUint64<<shift), ms.Invert(top<<shift)
	for _, x := range xs[done:] {
		dst[written] = x
		more := 0
		if x&mask == want {
			more = 1
		}
		written += more
	}
	for i, x := range dst[from:written] {
		dst[from+i] = ms.Apply(x)
	}
	return written
}

// applyVectors does ApplyAll for the first values, as many as fill vectors, and returns their number.
func (ms Moves) applyVectors(dst, xs []uint64) int {
	n := len(xs) &^ 15
	if !useAVX512 || n == 0 {
		return 0
	}
	applyAVX512(&dst[0], &xs[0], n, &ms[0], len(ms))
	return n
}

// applyAVX512 needs n values at dst and xs, and m > 0 moves. n is a positive multiple of 16.
//
//go:noescape
func applyAVX512(dst, xs *uint64, n int, moves *Move, m int)

// matchVectors does ApplyMatching for the first values, as many as fill vectors. It returns their number and
// the number of values written.
func (ms Moves) matchVectors(dst, xs []uint64, shift uint, top uint64) (done, written int) {
	done = len(xs) &^ 7
	if !useAVX512 || done == 0 {
		return 0, 0
	}
	return done, matchAVX512(&dst[0], &xs[0], done, &ms[0], len(ms), uint64(shift), top)
}

// matchAVX512 needs n values at xs, n+8 at dst, and m > 0 moves. n is a positive multiple of 8.
//
//go:noescape
func matchAVX512(dst, xs *uint64, n int, moves *Move, m int, shift, top uint64) int
