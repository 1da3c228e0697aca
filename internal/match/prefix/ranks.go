package prefix

import (
	"math/bits"
	"slices"

	"simsearch/internal/ground/ints"
)

// A Vocabulary numbers the features that two sets or more of some have: rank 0 has the rarest, and equally rare ones
// are in the order of the first sets that have them, then of their hashes. So many features of a set and of those
// like it have ranks that follow each other. Their differences are small, and features are read a line of the cache
// at a time. Features of a single set have no rank. It codes sets; what is stored of it is the feature of each rank.
type Vocabulary struct {
	// An entry is a hash without its first dir.Bits bits, which are the slot, and behind it its rank, in as many
	// bits. The entries of a slot ascend.
	entries []uint64
	dir     ints.Directory
	filter  []uint64 // a bit for each of some 8 to 16 buckets a hash, set if it has one
	shift   uint     // from a hash to its bucket
}

// A Counted is a feature, in how many sets it occurs, and the first of them.
type Counted struct {
	Feature uint64
	Sets    uint32
	First   uint32
}

// newVocabulary returns the vocabulary of counts, ascending by their hashes.
func newVocabulary(counts []Counted) *Vocabulary {
	v := &Vocabulary{entries: make([]uint64, len(counts))}
	v.dir = ints.OutlineDirectory(64, bits.Len(uint(len(counts)))) // a slot has one half to one hash
	v.dir.Starts = make([]uint32, v.dir.Len())
	b := v.dir.Bits + 3
	v.filter, v.shift = make([]uint64, max(1, 1<<b/64)), uint(64-b)
	for rank, i := range byRarity([][]Counted{counts}, len(counts)) {
		v.entries[i] = uint64(rank)
	}
	for i, c := range counts {
		v.entries[i] |= c.Feature << v.dir.Bits
		v.dir.Starts[v.dir.Slot(c.Feature)+1] = uint32(i + 1)
		bucket := c.Feature >> v.shift
		v.filter[bucket/64] |= 1 << (bucket % 64)
	}
	for i, end := range v.dir.Starts[1:] {
		v.dir.Starts[i+1] = max(v.dir.Starts[i], end)
	}
	return v
}

// byRarity returns the numbers of n counts, the rarest first.
func byRarity(counts [][]Counted, n int) []uint32 {
	sets, first := uint32(0), uint32(0)
	for _, some := range counts {
		for _, c := range some {
			sets, first = max(sets, c.Sets), max(first, c.First)
		}
	}
	f := bits.Len32(first)
	low := 64 - f - bits.Len32(sets)
	keys, order := make([]uint64, 0, n), make([]uint32, n)
	for _, some := range counts {
		for _, c := range some {
			keys = append(keys, (uint64(c.Sets)<<f|uint64(c.First))<<low)
		}
	}
	for i := range order {
		order[i] = uint32(i)
	}
	ints.SortPairsFrom(min(low, 63), keys, order) // equal keys keep the order of their hashes
	return order
}

// Len returns the number of features that have a rank.
func (v *Vocabulary) Len() int { return len(v.entries) }

// Features returns the feature of each rank.
func (v *Vocabulary) Features() []uint64 {
	by := make([]uint64, len(v.entries))
	for slot := range uint64(len(v.dir.Starts) - 1) {
		for _, e := range v.entries[v.dir.Starts[slot]:v.dir.Starts[slot+1]] {
			by[e&(1<<v.dir.Bits-1)] = slot<<v.dir.Shift | e>>v.dir.Bits
		}
	}
	return by
}

// A View is a set as a vocabulary sees it: the features without a rank, which come first, and the ranks
// of the others. Both ascend.
type View struct {
	singles []uint64
	ranks   []uint32
	scratch []uint32
	seen    []uint64 // features of which others like them have a rank
	slots   []uint64 // of these: where the slot of the directory begins, and where it ends
	touched uint64   // is of no use
}

func (s *View) len() int { return len(s.singles) + len(s.ranks) }

// longSlot is the length of a slot that is searched entry by entry. Slots of features that are hashed well have a
// few. Those of features that begin with equal bits, such as small numbers, may have all.
const longSlot = 32

// See sets s to the view of features, which ascend. It looks up all of them together, in steps that do not wait for the
// memory of each other.
func (v *Vocabulary) See(s *View, features []uint64) {
	s.singles, s.ranks, s.seen, s.slots = s.singles[:0], s.ranks[:0], s.seen[:0], s.slots[:0]
	for _, f := range features {
		if bucket := f >> v.shift; v.filter[bucket/64]>>(bucket%64)&1 == 0 {
			s.singles = append(s.singles, f)
		} else {
			s.seen = append(s.seen, f)
		}
	}
	alone := len(s.singles)
	starts, shift := v.dir.Starts, v.dir.Shift
	for _, f := range s.seen {
		slot := f >> shift
		s.slots = append(s.slots, uint64(starts[slot])<<32|uint64(starts[slot+1]))
	}
	// The branches below wait for entries. Reading one of each slot before fetches them at the same time.
	touched := uint64(0)
	for _, slot := range s.slots {
		if lo := slot >> 32; lo < uint64(len(v.entries)) {
			touched ^= v.entries[lo]
		}
	}
	s.touched = touched
	for i, f := range s.seen {
		if rank, ok := v.rankIn(uint32(s.slots[i]>>32), uint32(s.slots[i]), f); ok {
			s.ranks = append(s.ranks, uint32(rank))
		} else {
			s.singles = append(s.singles, f)
		}
	}
	if 0 < alone && alone < len(s.singles) {
		s.singles = merge(s.singles, alone, &s.seen)
	}
	ints.SortFew32(s.ranks, uint32(len(v.entries)), &s.scratch)
}

// rankOf returns the rank of a feature. ok is false if it has none.
func (v *Vocabulary) rankOf(feature uint64) (rank uint64, ok bool) {
	slot := feature >> (v.dir.Shift & 63)
	return v.rankIn(v.dir.Starts[slot], v.dir.Starts[slot+1], feature)
}

// rankIn is rankOf a feature of a slot that has the entries from lo on and below hi.
func (v *Vocabulary) rankIn(lo, hi uint32, feature uint64) (rank uint64, ok bool) {
	rankBits := uint(v.dir.Bits) & 63
	entries, want := v.entries[lo:hi], feature<<rankBits
	if len(entries) > longSlot {
		first, _ := slices.BinarySearch(entries, want)
		entries = entries[first:min(first+1, len(entries))]
	}
	for _, e := range entries {
		if e ^= want; e>>rankBits == 0 {
			return e, true
		}
	}
	return 0, false
}

// merge merges two ascending parts of xs, the second from at on. scratch is overwritten.
func merge(xs []uint64, at int, scratch *[]uint64) []uint64 {
	first := append((*scratch)[:0], xs[:at]...)
	*scratch = first
	rest := xs[at:]
	for i := range xs {
		if len(first) > 0 && (len(rest) == 0 || first[0] < rest[0]) {
			xs[i], first = first[0], first[1:]
		} else {
			xs[i], rest = rest[0], rest[1:]
		}
	}
	return xs
}
