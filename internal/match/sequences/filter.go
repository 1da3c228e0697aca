package sequences

import "math/bits"

// A filter says of codes, in less than a microsecond, that they have no passage of a query. If two texts agree within
// bounds, the longer one can be cut into parts of L words or more, and fewer than 2L, of which one agrees with its
// part of the other text, too. Its w words have k edits at most, which leave w − k equal words in k + 1 runs, and of
// n words in a run n − 2 begin a gram. So w − 3k − 2 grams of w + k words of the query are in the document, in any
// order. Of the n − 2 grams of a run, (n − 3) / 2 or more begin at an even place, so that (w − 4k − 3) / 2 grams at
// even places of w + k words of the document are in the query: they are counted first.
type filter struct {
	evens   int                       // grams at even places, for the worst w
	most    int                       // w + k, for the largest w
	crowds  []crowd                   // of which a document has one, if it has a passage
	has     [1 << hasBits / 64]uint64 // a bit for each hash of a gram
	heads   []int32                   // the first place of the grams with a hash, and one more
	shift   uint
	next    []int32 // the next place behind each, and one more
	grams   []uint32
	present []uint64 // a bit for each place
	places  []int32  // whose bits are set
}

// A crowd is so many grams, the last of which is less than span words behind the first.
type crowd struct{ grams, span int }

// hasBits is the width of the hashes in filter.has.
const hasBits = 16

// prepare makes f compare codes with those of a query.
func (f *filter) prepare(codes []uint8, b Bounds) {
	f.evens = b.Words
	for w := b.Words; w < 2*b.Words; w++ {
		k := b.share() * w / scale
		f.evens, f.most = min(f.evens, (w-4*k-2)/2), w+k
		c := crowd{w - gramWords*k - gramWords + 1, w + k - gramWords + 1}
		// Who has a gram more in a span that is one word longer has the crowd before, too. Who has no fewer in a
		// shorter span has c.
		last := len(f.crowds) - 1
		if last >= 0 && c.grams-f.crowds[last].grams >= c.span-f.crowds[last].span {
			continue
		}
		for ; last >= 0 && f.crowds[last].grams >= c.grams; last-- {
			f.crowds = f.crowds[:last]
		}
		f.crowds = append(f.crowds, c)
	}
	n := max(0, len(codes)-gramWords+1)
	size := bits.Len(uint(2*n + 64))
	f.heads, f.shift = make([]int32, 1<<size), uint(32-size)
	f.next, f.grams, f.present = make([]int32, n), make([]uint32, n), make([]uint64, n/64+1)
	for i := n - 1; i >= 0; i-- {
		gram := packedAt(codes, i)
		f.grams[i] = gram
		hash := hashOf(gram)
		f.has[hash>>(32-hasBits)/64] |= 1 << (hash >> (32 - hasBits) % 64)
		head := &f.heads[hash>>f.shift]
		f.next[i], *head = *head, int32(i+1)
	}
}

// packedAt returns the gram that begins at code i.
func packedAt(codes []uint8, i int) uint32 {
	c := codes[i : i+gramWords : i+gramWords]
	return uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2])
}

func hashOf(gram uint32) uint32 { return gram * 0x9e3779b1 }

// hit returns 1 if the query may have a gram with a hash, and otherwise 0.
func (f *filter) hit(hash uint32) int {
	hash >>= 32 - hasBits
	return int(f.has[hash/64] >> (hash % 64) & 1)
}

// maybe reports whether codes may have a passage of the query.
func (f *filter) maybe(codes []uint8) bool {
	return f.crowds[0].grams <= 0 || f.evenly(codes) && f.crowded(codes)
}

// evenly reports whether enough grams at even places are in the query. It does without branches, which nobody could
// predict.
func (f *filter) evenly(codes []uint8) bool {
	chunk, before := (f.most+1)&^1, 0
	for lo := 0; lo < len(codes); lo += chunk {
		part := codes[lo:min(len(codes), lo+chunk+gramWords-1)]
		count := 0
		for i := 0; i+gramWords <= len(part); i += 2 {
			count += f.hit(hashOf(packedAt(part, i)))
		}
		if before+count >= f.evens {
			return true
		}
		before = count
	}
	return f.evens <= 0
}

// crowded reports whether codes have a crowd of grams of the query.
func (f *filter) crowded(codes []uint8) bool {
	clear(f.present)
	for i := 0; i+gramWords <= len(codes); i++ {
		gram := packedAt(codes, i)
		hash := hashOf(gram)
		if f.hit(hash) == 0 {
			continue
		}
		for at := f.heads[hash>>f.shift]; at > 0; at = f.next[at-1] {
			if f.grams[at-1] == gram {
				bit := uint64(1) << ((at - 1) % 64)
				if f.present[(at-1)/64]&bit != 0 {
					break // and so are the others
				}
				f.present[(at-1)/64] |= bit
			}
		}
	}
	f.places = f.places[:0]
	for i, x := range f.present {
		for ; x != 0; x &= x - 1 {
			f.places = append(f.places, int32(64*i+bits.TrailingZeros64(x)))
		}
	}
	for _, c := range f.crowds {
		for i := c.grams - 1; i < len(f.places); i++ {
			if int(f.places[i]-f.places[i-c.grams+1]) < c.span {
				return true
			}
		}
	}
	return false
}
