package analysis

import (
	"cmp"
	"math/bits"
	"slices"

	"simsearch/internal/ints"
)

// A set may have some of the n-grams of its text alone (preprocess.FeatureSpec.OneIn). Each n-gram has a priority, the bits of
// its hash in reverse, which is the same in all texts. A set has the n-grams of which the priority is less than 2^64/OneIn:
// those whose hash OneIn divides (the sampling modulo m of A. Broder, "On the resemblance and containment of documents", 1997).
// Short texts would have few. So the leastThinned n-grams with the least priorities are there in any case.
//
// Sets of n features, of which m are left, have a Jaccard similarity that differs from that of all their features J by
// about sqrt(J·(1−J)/m).

// leastThinned is how many n-grams a thinned set has at least, if its text has as many.
const leastThinned = 32

// thin sets s.set to the thinned set of the hashed features.
func (s *Scratch) thin(oneIn int) []uint64 {
	s.set = slices.Grow(s.set[:0], len(s.hashes))[:len(s.hashes)]
	n, mask := 0, uint64(oneIn-1)
	for _, h := range s.hashes { // without a branch that no processor can foresee
		s.set[n] = h
		n += int((h&mask - 1) >> 63)
	}
	s.set = s.set[:n]
	ints.SortFew(s.set, &s.sketch)
	if s.set = compact(s.set); len(s.set) >= leastThinned {
		return s.set
	}
	s.distinct()
	if len(s.set) > leastThinned {
		slices.SortFunc(s.set, func(a, b uint64) int { return cmp.Compare(bits.Reverse64(a), bits.Reverse64(b)) })
		s.set = s.set[:leastThinned]
		slices.Sort(s.set)
	}
	return s.set
}

// referenceThinned returns the thinned set of hashes, of which there may be several equal ones, as the comment above says.
func referenceThinned(hashes []uint64, oneIn int) []uint64 {
	all := slices.Compact(slices.Sorted(slices.Values(hashes)))
	priority := func(h uint64) uint64 { return bits.Reverse64(h) }
	slices.SortFunc(all, func(a, b uint64) int { return cmp.Compare(priority(a), priority(b)) })
	var set []uint64
	for i, h := range all {
		if i < leastThinned || priority(h) < 1<<63/uint64(oneIn/2) {
			set = append(set, h)
		}
	}
	return slices.Sorted(slices.Values(set))
}
