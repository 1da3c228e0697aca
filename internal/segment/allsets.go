package segment

import (
	"slices"

	"simsearch/prefix"
)

// An AllSets is the sets of all segments of a collection, numbered through: a source of a join.
type AllSets struct {
	of     []uint32 // the set of each document, or NoSet
	sets   []*Sets
	starts []uint32 // the number of the first set of each segment
	total  uint32
}

// NewAllSets returns the sets of segments, which must have been verified. The error is section.ErrCorrupt.
func NewAllSets(segments []*Segment) (*AllSets, error) {
	a := &AllSets{}
	for _, s := range segments {
		sets := s.Sets()
		used := make([]bool, sets.Len())
		for _, set := range sets.OfAll() {
			if set == NoSet {
				a.of = append(a.of, NoSet)
				continue
			}
			if uint64(set) >= uint64(len(used)) {
				return nil, corruptf(s.path, &sets.of, 0, "set %d of %d", set, len(used))
			}
			used[set] = true
			a.of = append(a.of, a.total+set)
		}
		if set := slices.Index(used, false); set >= 0 {
			return nil, corruptf(s.path, &sets.of, 0, "set %d has no document", set)
		}
		a.sets, a.starts = append(a.sets, sets), append(a.starts, a.total)
		a.total += uint32(sets.Len())
	}
	return a, nil
}

// locate returns the sets of the segment that holds set, and its number there.
func (a *AllSets) locate(set uint32) (*Sets, uint32) {
	i := len(a.starts) - 1
	for a.starts[i] > set {
		i--
	}
	return a.sets[i], set - a.starts[i]
}

// Of returns the set of each document, or NoSet for a document without features.
func (a *AllSets) Of() []uint32 { return a.of }

// Sets returns the number of sets.
func (a *AllSets) Sets() int { return int(a.total) }

// Distinct reports whether all sets are known to be distinct.
func (a *AllSets) Distinct() bool { return len(a.sets) == 1 }

// Digest returns the digest of a set.
func (a *AllSets) Digest(set uint32) ([2]uint64, error) {
	sets, i := a.locate(set)
	return sets.Digest(i)
}

// Signature returns the signature of a set.
func (a *AllSets) Signature(set uint32) ([]byte, error) {
	sets, i := a.locate(set)
	return sets.Signature(i)
}

// AppendSet appends the features of a set, strictly ascending, and returns the extended slice.
func (a *AllSets) AppendSet(dst []uint64, set uint32) ([]uint64, error) {
	sets, i := a.locate(set)
	return sets.AppendSet(dst, i)
}

// Coded returns the sets as they can be joined, if all of them are in one segment. ok is false otherwise.
func (a *AllSets) Coded() (sets *prefix.Sets, ok bool) {
	if len(a.sets) != 1 || a.sets[0].coded == nil {
		return nil, false
	}
	return a.sets[0].coded, true
}
