package segment

import (
	"slices"

	"simsearch/internal/match/prefix"
)

// An AllSets is the sets of all segments of a collection that have live documents, numbered through: a source of a
// join.
type AllSets struct {
	of     []uint32 // the set of each document, or NoSet
	sets   []*Sets
	starts []uint32 // the number of the first set of each segment
	stored []uint32 // of each set, its number in the file
}

// NewAllSets returns the sets of segments, which must have been verified.
func NewAllSets(segments []*Segment) *AllSets {
	a := &AllSets{}
	for _, s := range segments {
		sets := s.sets
		a.sets, a.starts = append(a.sets, sets), append(a.starts, uint32(len(a.stored)))
		if err := sets.groups.Check(); err != nil {
			panic(err)
		}
		of, next := slices.Repeat([]uint32{NoSet}, int(s.documents)), sets.groups.Walk()
		for set := range uint32(sets.Len()) {
			number, live := uint32(len(a.stored)), false
			for _, doc := range next() {
				if !s.deleted.Has(doc) {
					of[doc], live = number, true
				}
			}
			if live {
				a.stored = append(a.stored, set)
			}
		}
		for doc, set := range of {
			if !s.deleted.Has(uint32(doc)) {
				a.of = append(a.of, set)
			}
		}
	}
	return a
}

// locate returns the sets of the segment that holds set, and its number in the file.
func (a *AllSets) locate(set uint32) (*Sets, uint32) {
	i := len(a.starts) - 1
	for a.starts[i] > set {
		i--
	}
	return a.sets[i], a.stored[set]
}

// Of returns the set of each document, or NoSet for a document without features.
func (a *AllSets) Of() []uint32 { return a.of }

// Sets returns the number of sets.
func (a *AllSets) Sets() int { return len(a.stored) }

// Distinct reports whether all sets are known to be distinct.
func (a *AllSets) Distinct() bool { return len(a.sets) == 1 }

// Digest returns the digest of a set.
func (a *AllSets) Digest(set uint32) [2]uint64 {
	sets, i := a.locate(set)
	return sets.Digest(i)
}

// Signature returns the signature of a set.
func (a *AllSets) Signature(set uint32) []byte {
	sets, i := a.locate(set)
	return sets.Signature(i)
}

// AppendSet appends the features of a set, strictly ascending, and returns the extended slice.
func (a *AllSets) AppendSet(dst []uint64, set uint32) []uint64 {
	sets, i := a.locate(set)
	return sets.AppendSet(dst, i)
}

// Coded returns the sets as they can be joined, if they are all sets of one file. ok is false otherwise.
func (a *AllSets) Coded() (sets *prefix.Sets, ok bool) {
	if len(a.sets) != 1 || a.Sets() != a.sets[0].Len() {
		return nil, false
	}
	return a.sets[0].coded, true
}
