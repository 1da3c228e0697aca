package segment

import (
	"slices"

	"simsearch/prefix"
)

// An AllSets is the sets of all segments of a collection that have live documents, numbered through: a source of a
// join.
type AllSets struct {
	of     []uint32 // the set of each document, or NoSet
	sets   []*Sets
	starts []uint32 // the number of the first set of each segment
	total  uint32
	// stored are the numbers in the file of the sets of each segment. They are nil if all its sets have live documents.
	stored [][]uint32
}

// NewAllSets returns the sets of segments, which must have been verified. The error is section.ErrCorrupt.
func NewAllSets(segments []*Segment) (*AllSets, error) {
	a := &AllSets{}
	for _, s := range segments {
		if err := a.add(s); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// add adds the sets of a segment.
func (a *AllSets) add(s *Segment) error {
	sets := s.Sets()
	used := make([]bool, sets.Len())
	of := sets.OfAll()
	for _, set := range of {
		if set != NoSet && uint64(set) >= uint64(len(used)) {
			return corruptf(s.path, &sets.of, 0, "set %d of %d", set, len(used))
		}
		if set != NoSet {
			used[set] = true
		}
	}
	var stored []uint32
	unused := slices.Index(used, false)
	if unused >= 0 && s.deleted == nil {
		return corruptf(s.path, &sets.of, 0, "set %d has no document", unused)
	}
	n := uint32(sets.Len())
	numbers := make([]uint32, len(used)) // of the sets that are used, among these
	if unused >= 0 {
		stored = []uint32{}
	}
	for set, is := range used {
		numbers[set] = uint32(set)
		if is && stored != nil {
			numbers[set] = uint32(len(stored))
			stored = append(stored, uint32(set))
		}
	}
	if stored != nil {
		n = uint32(len(stored))
	}
	for _, set := range of {
		if set != NoSet {
			set = a.total + numbers[set]
		}
		a.of = append(a.of, set)
	}
	a.sets, a.starts, a.stored = append(a.sets, sets), append(a.starts, a.total), append(a.stored, stored)
	a.total += n
	return nil
}

// locate returns the sets of the segment that holds set, and its number in the file.
func (a *AllSets) locate(set uint32) (*Sets, uint32) {
	i := len(a.starts) - 1
	for a.starts[i] > set {
		i--
	}
	local := set - a.starts[i]
	if a.stored[i] != nil {
		local = a.stored[i][local]
	}
	return a.sets[i], local
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

// Coded returns the sets as they can be joined, if they are all sets of one file. ok is false otherwise.
func (a *AllSets) Coded() (sets *prefix.Sets, ok bool) {
	if len(a.sets) != 1 || a.stored[0] != nil {
		return nil, false
	}
	return a.sets[0].coded, true
}
