package passages

import "math/bits"

// A filter says of codes, in about a microsecond, that they have no passage of a query. If two texts agree within bounds, the longer
// one can be cut into parts of L words or more, and fewer than 2L, of which one agrees with its part of the other text, too. Its w
// words have k edits at most, which leave w − k equal words in k + 1 runs, and of n words in a run n − 2 begin a gram. So w − 3k − 2
// grams of fewer than 2L·(1 + e) words of the query are in the document, in any order.
type filter struct {
	least   int          // grams, for the worst w
	span    int          // words of present that have the bits of so many words in any case
	pairs   [1024]uint64 // a bit for each two codes that a gram may begin with
	heads   []int32      // the first place of the grams with a hash, and one more; the highest bits of the gram are the index
	shift   uint
	next    []int32 // the next place behind each, and one more
	grams   []uint32
	present []uint64 // a bit for each place
}

// prepare makes f compare codes with those of a query.
func (f *filter) prepare(codes []uint8, b Bounds) {
	f.least = b.Words
	for w := b.Words; w < 2*b.Words; w++ {
		f.least = min(f.least, w-gramWords*(b.share()*w/scale)-gramWords+1)
	}
	f.span = (2*b.Words + 2*b.Words*b.share()/scale + 2*63) / 64
	n := max(0, len(codes)-gramWords+1)
	size := bits.Len(uint(2*n + 64))
	f.heads, f.shift = make([]int32, 1<<size), uint(32-size)
	f.next, f.grams, f.present = make([]int32, n), make([]uint32, n), make([]uint64, n/64+1)
	for i := n - 1; i >= 0; i-- {
		g := gramAt(codes, i)
		f.grams[i] = g
		pair := pairAt(codes, i)
		f.pairs[pair/64] |= 1 << (pair % 64)
		head := &f.heads[g>>f.shift]
		f.next[i], *head = *head, int32(i+1)
	}
}

func pairAt(codes []uint8, i int) uint16 { return uint16(codes[i])<<8 | uint16(codes[i+1]) }

// maybe reports whether codes may have a passage of the query.
func (f *filter) maybe(codes []uint8) bool {
	if f.least <= 0 {
		return true
	}
	clear(f.present)
	for i := 0; i+gramWords <= len(codes); i++ {
		if pair := pairAt(codes, i); f.pairs[pair/64]>>(pair%64)&1 == 0 {
			continue
		}
		g := gramAt(codes, i)
		for at := f.heads[g>>f.shift]; at > 0; at = f.next[at-1] {
			if f.grams[at-1] == g {
				f.present[(at-1)/64] |= 1 << ((at - 1) % 64)
			}
		}
	}
	count := 0
	for i, x := range f.present {
		if count += bits.OnesCount64(x); i >= f.span {
			count -= bits.OnesCount64(f.present[i-f.span])
		}
		if count >= f.least {
			return true
		}
	}
	return false
}
