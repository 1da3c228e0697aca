package setjoin

import (
	"slices"
	"sort"

	"simsearch/internal/match/kernels"
)

// Smaller are sets that larger ones of a list are compared with, in the order of their sizes. Sketches are in blocks of
// eight, as kernels.SketchesWithin wants them.
type smaller struct {
	words   int
	entries []entry
	sizes   []uint32
	reaches []uint32 // the sizes of the largest sets that can be similar
	blocks  []uint64
	left    int // the size at which sets have left that are too small
}

// reset removes all sets.
func (s *smaller) reset(words int) {
	s.words, s.left = words, 0
	s.entries, s.sizes, s.reaches, s.blocks = s.entries[:0], s.sizes[:0], s.reaches[:0], s.blocks[:0]
}

func (s *smaller) len() int { return len(s.entries) }

// add adds a set, which is not smaller than the others.
func (s *smaller) add(e entry, sketch []uint64, size, reach int) {
	i := len(s.entries)
	s.entries, s.sizes, s.reaches = append(s.entries, e), append(s.sizes, uint32(size)), append(s.reaches, uint32(reach))
	if i%8 == 0 {
		n := len(s.blocks)
		s.blocks = slices.Grow(s.blocks, 8*s.words)[:n+8*s.words]
	}
	at := 8*s.words*(i/8) + i%8
	for w := range s.words {
		s.blocks[at+8*w] = sketch[w]
	}
}

// leave removes sets that are too small for being similar to one of the given size, some time after it has been reached.
func (s *smaller) leave(size int) {
	if size <= s.left+s.left/32 {
		return
	}
	s.left = size
	n := 0
	for i := range s.entries {
		if int(s.reaches[i]) < size {
			continue
		}
		if n < i {
			s.entries[n], s.sizes[n], s.reaches[n] = s.entries[i], s.sizes[i], s.reaches[i]
			from, to := 8*s.words*(i/8)+i%8, 8*s.words*(n/8)+n%8
			for w := range s.words {
				s.blocks[to+8*w] = s.blocks[from+8*w]
			}
		}
		n++
	}
	s.entries, s.sizes, s.reaches, s.blocks = s.entries[:n], s.sizes[:n], s.reaches[:n], s.blocks[:8*s.words*((n+7)/8)]
}

// within returns, for each block of sets from the given block on that has some of at most the given size, a mask of those
// whose sketches differ in at most limit bits. Behind the last set, bits mean nothing. The masks are in the given slice if that has room.
func (s *smaller) within(masks []uint8, sketch []uint64, limit, most, from int) []uint8 {
	n := len(s.sizes)
	if n > 0 && int(s.sizes[n-1]) > most {
		n = sort.Search(n, func(i int) bool { return int(s.sizes[i]) > most })
	}
	n = max(0, (n+7)/8-from)
	masks = slices.Grow(masks[:0], n)[:n]
	kernels.SketchesWithin(masks, s.blocks[8*s.words*from:], sketch, limit)
	return masks
}
