package setjoin

import (
	"slices"
	"sort"

	"simsearch/internal/match/kernels"
	"simsearch/internal/match/prefix"
)

// Smaller are sets that larger ones of a list are compared with, in the order of their sizes. Folded sketches are in
// blocks of eight, as kernels.SketchesWithin wants them. The number of each sketch is how many features are not in
// it, less what Unshared says of the size.
type smaller struct {
	prefix.Lengths
	words   int // of folded sketches
	entries []entry
	sizes   []uint32
	reaches []uint32 // the sizes of the largest sets that can be similar
	blocks  []uint64
	left    int // the size at which sets have left that are too small
}

// fold returns the folded sketch of a sketch: one of fewer words, or of as many. It is in the memory of dst if that has
// room.
func (s *smaller) fold(dst, sketch []uint64) []uint64 {
	dst = append(dst[:0], sketch[:s.words]...)
	for rest := sketch[s.words:]; len(rest) > 0; {
		some := rest[:min(len(rest), len(dst))]
		for i, x := range some {
			dst[i] ^= x
		}
		rest = rest[len(some):]
	}
	return dst
}

// foldedMemory is of how many words folded sketches are, mostly, or fewer.
const foldedMemory = 32

// reset removes all sets. Sketches of others are going to be folded to the given number of words. The fewer, the less
// time comparing takes, but the more sets are likely that are not near.
func (s *smaller) reset(l prefix.Lengths, words int) {
	s.Lengths, s.words, s.left = l, words, 0
	s.entries, s.sizes, s.reaches, s.blocks = s.entries[:0], s.sizes[:0], s.reaches[:0], s.blocks[:0]
}

func (s *smaller) len() int { return len(s.entries) }

// add adds a set of size features, of which alone are not in the sketch. It is not smaller than the others.
func (s *smaller) add(e entry, sketch []uint64, size, alone, reach int) {
	i := len(s.entries)
	s.entries, s.sizes, s.reaches = append(s.entries, e), append(s.sizes, uint32(size)), append(s.reaches, uint32(reach))
	if i%8 == 0 {
		n := len(s.blocks)
		s.blocks = slices.Grow(s.blocks, 8*(s.words+1))[:n+8*(s.words+1)]
	}
	at := 8*(s.words+1)*(i/8) + i%8
	s.blocks[at] = uint64(alone - s.Unshared(size))
	var memory [foldedMemory]uint64
	for w, x := range s.fold(memory[:0], sketch) {
		s.blocks[at+8*(w+1)] = x
	}
}

// leave removes sets that are too small for being similar to one of the given size, some time after it has been
// reached.
func (s *smaller) leave(size int) {
	if size <= s.left+s.left/16 {
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
			from, to := 8*(s.words+1)*(i/8)+i%8, 8*(s.words+1)*(n/8)+n%8
			for w := range s.words + 1 {
				s.blocks[to+8*w] = s.blocks[from+8*w]
			}
		}
		n++
	}
	s.entries, s.sizes, s.reaches, s.blocks = s.entries[:n], s.sizes[:n], s.reaches[:n], s.blocks[:8*(s.words+1)*((n+7)/8)]
}

// within returns, for each block of sets from the given block on that has some of at most the given size, a mask of
// those whose sketches and numbers differ by at most limit from a sketch. Behind the last set, bits mean nothing. The
// masks are in the given slice if that has room.
func (s *smaller) within(masks []uint8, sketch []uint64, limit, most, from int) []uint8 {
	n := len(s.sizes)
	if n > 0 && int(s.sizes[n-1]) > most {
		n = sort.Search(n, func(i int) bool { return int(s.sizes[i]) > most })
	}
	n = max(0, (n+7)/8-from)
	masks = slices.Grow(masks[:0], n)[:n]
	var memory [foldedMemory]uint64
	folded := s.fold(memory[:0], sketch)
	kernels.SketchesWithin(masks, s.blocks[8*(s.words+1)*from:], folded, limit)
	return masks
}
