package intake

import (
	"cmp"
	"slices"

	"simsearch/internal/ints"
	"simsearch/internal/prefix"
)

// seenSets are remembered sets. A set takes 8 bytes for each feature, and about 32 more for each that is
// looked up: 3 kB for 200 features at a threshold of 0.8.
//
// Two sets of a similarity of t share at least t of the features of each. So under any order of all
// features, one of the first n - o + 1 features of each set is shared, where n is the number of its features
// and o the least number of shared ones (prefix filtering: Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma,
// Srikant 2007). Only these features are looked up. The order begins with features that few sets have. It is
// fixed from time to time by what has been seen, when the number of sets has doubled; then the lists are
// made anew.
type seenSets struct {
	threshold float64
	sets      [][]uint64
	counts    []uint32 // how many sets had a feature of each bucket when the order was fixed
	ordered   int      // the number of sets then

	last    []uint32 // the last entry of each chain, from 1
	entries []entry
	asked   []uint64 // of each set: the last query that it was compared with
	query   uint64
	prefix  []uint64 // scratch
}

// An entry is one of the first features of a set.
type entry struct {
	feature uint64
	set     uint32
	at      uint32 // the place of the feature among those of the set
	before  uint32 // the entry before it in its chain, from 1; 0 if there is none
}

// Features are counted in buckets, a power of two of them. Rare and frequent features may share a bucket,
// which makes a search slower, not wrong.
const leastBuckets, mostBuckets = 1 << 10, 1 << 22

// newSeenSets returns a memory of sets for searches of a similarity of at least threshold, in (0, 1].
func newSeenSets(threshold float64) *seenSets {
	return &seenSets{threshold: threshold, counts: make([]uint32, leastBuckets), last: make([]uint32, 1<<10)}
}

// Add remembers a copy of a set of hashes, strictly ascending and not empty.
func (s *seenSets) Add(set []uint64) {
	s.sets, s.asked = append(s.sets, slices.Clone(set)), append(s.asked, 0)
	if len(s.sets) >= 2*s.ordered+64 {
		s.reorder()
		return
	}
	s.list(uint32(len(s.sets) - 1))
}

// reorder fixes the order by what has been seen, and lists all sets.
func (s *seenSets) reorder() {
	features := 0
	for _, set := range s.sets {
		features += len(set)
	}
	n := len(s.counts)
	for n < min(features, mostBuckets) {
		n *= 2
	}
	s.counts, s.ordered = make([]uint32, n), len(s.sets)
	for _, set := range s.sets {
		for _, x := range set {
			s.counts[s.bucket(x)]++
		}
	}
	chains := len(s.last)
	for chains < 4*len(s.entries) {
		chains *= 2
	}
	s.last, s.entries = make([]uint32, chains), s.entries[:0]
	for i := range s.sets {
		s.list(uint32(i))
	}
}

// list makes entries of the first features of a set.
func (s *seenSets) list(set uint32) {
	for at, x := range s.first(s.sets[set]) {
		chain := s.chain(x)
		s.entries = append(s.entries, entry{x, set, uint32(at), s.last[chain]})
		s.last[chain] = uint32(len(s.entries))
	}
}

// bucket is the bucket of a feature.
func (s *seenSets) bucket(x uint64) uint64 { return x % uint64(len(s.counts)) }

// chain is the chain of a feature. Features may share one.
func (s *seenSets) chain(x uint64) uint64 { return x * 0x9e3779b97f4a7c15 >> 20 % uint64(len(s.last)) }

// first returns the features of a set of which one is in each similar set, valid until the next call.
func (s *seenSets) first(set []uint64) []uint64 {
	n := len(set)
	s.prefix = append(s.prefix[:0], set...)
	slices.SortFunc(s.prefix, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(s.counts[s.bucket(a)], s.counts[s.bucket(b)]), cmp.Compare(a, b))
	})
	return s.prefix[:prefix.Needed(n, prefix.LeastSize(n, s.threshold), 1)]
}

// Near calls yield with the numbers and the Jaccard similarities of the sets that are similar to set, which is strictly
// ascending, in no certain order, until yield returns false. An empty set is similar to nothing.
func (s *seenSets) Near(set []uint64, yield func(i int, jaccard float64) bool) {
	if len(set) == 0 {
		return
	}
	s.query++
	for at, x := range s.first(set) {
		for i := s.last[s.chain(x)]; i > 0; {
			e := &s.entries[i-1]
			if i = e.before; e.feature != x || s.asked[e.set] == s.query {
				continue
			}
			s.asked[e.set] = s.query
			// This is the first feature that the two share, so that they share what follows at most.
			other := s.sets[e.set]
			most := min(len(set)-at, len(other)-int(e.at))
			if most < prefix.LeastShared(len(set), len(other), s.threshold) {
				continue
			}
			if j := ints.Jaccard(set, other); j >= s.threshold && !yield(int(e.set), j) {
				return
			}
		}
	}
}
