package setjoin

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/match/prefix"
)

// Sketched are sets of features that others are compared with, one after the other, such as those that are new among
// many. Each of the others is compared with the sketches of all, eight at a time. Where near sets may share half of
// their features or less, that takes less time than lists of features do. Several goroutines may use Sketched at once.
type Sketched struct {
	prefix.Lengths
	n       uint32
	sizes   [4 * 64]ofSize
	buffers sync.Pool // of *sketchedBuffer
}

// ofSize are those with about as many features.
type ofSize struct {
	smaller
	largest int
}

type sketchedBuffer struct {
	sketch []uint64
	masks  []uint8
}

// NewSketched returns no sets, with which others are going to be compared by a similarity of at least t, in (0, 1],
// mostly.
func NewSketched(t float64) *Sketched { return &Sketched{Lengths: prefix.Lengths{T: t}} }

// sizeClass returns the class of sets of n features, one at least: four for each power of two.
func sizeClass(n int) int {
	k := bits.Len(uint(n))
	return 4*(k-1) + n<<2>>(k-1)&3
}

// Add adds a set, whose features are hashes.
func (q *Sketched) Add(features []uint64) {
	if len(features) > 0 {
		s := &q.sizes[sizeClass(len(features))]
		if s.words == 0 {
			s.reset(q.Lengths, q.words(len(features)))
		}
		s.largest = max(s.largest, len(features))
		s.add(entry{set: q.n}, sketchOf(nil, s.words, features), len(features), 0, 0)
	}
	q.n++
}

// words returns how many words sketches of a class have that has a set of n features.
func (q *Sketched) words(n int) int {
	n = 1 << bits.Len(uint(n))
	return sketchWords(n, 2*q.Unshared(n)+1)
}

// sketchOf returns the sketch of a set, in the memory of dst if that is enough.
func sketchOf(dst []uint64, words int, features []uint64) []uint64 {
	dst = slices.Grow(dst[:0], words)[:words]
	clear(dst)
	for _, x := range features {
		flip(dst, uint32(x>>32))
	}
	return dst
}

// AppendLikely appends to dst the numbers of those sets that may have a similarity of at least t, in (0, 1], to a set
// of features: all that have, and few others. They are numbered from 0 as they were added.
func (q *Sketched) AppendLikely(dst []uint32, features []uint64, t float64) []uint32 {
	size := len(features)
	if size == 0 {
		return dst
	}
	b, _ := q.buffers.Get().(*sketchedBuffer)
	if b == nil {
		b = new(sketchedBuffer)
	}
	defer q.buffers.Put(b)
	by := prefix.Lengths{T: t}
	least, most := prefix.LeastSize(size, t), prefix.MostSize(size, t, math.MaxInt32)
	words := 0
	for class := sizeClass(least); class <= sizeClass(most); class++ {
		s := &q.sizes[class]
		if s.len() == 0 {
			continue
		}
		if s.words != words {
			words = s.words
			b.sketch = sketchOf(b.sketch, words, features)
		}
		limit := by.Unshared(size) + 1
		if t < q.T { // the bound is another one, mostly for the largest set
			n := min(most, s.largest)
			limit += by.Unshared(n) - q.Unshared(n) + 1
		}
		b.masks = s.within(b.masks, b.sketch, limit, math.MaxInt, 0)
		for block, mask := range b.masks {
			for ; mask != 0; mask &= mask - 1 {
				i := 8*block + bits.TrailingZeros8(mask)
				if i < s.len() && int(s.sizes[i]) >= least && int(s.sizes[i]) <= most {
					dst = append(dst, s.entries[i].set)
				}
			}
		}
	}
	return dst
}
