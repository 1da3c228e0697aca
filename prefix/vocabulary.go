package prefix

import (
	"simsearch/internal/directory"
	"simsearch/internal/radix"
	"simsearch/section"
)

// A Vocabulary numbers the features that two sets or more of a collection have: rank 0 has the rarest,
// and equally rare ones are in the order of their hashes. Features of a single set have no rank.
type Vocabulary struct {
	hashes section.Array[uint64] // ascending
	ranks  section.Array[uint32] // of each hash
	dir    directory.Directory   // of hashes
	slots  *section.Guard        // of the bytes of dir
	byRank lazy[[]uint64]
}

// Names of the sections of a vocabulary.
const (
	secHashes         = "vocabulary.hashes"
	secRanks          = "vocabulary.ranks"
	secVocabularySlot = "vocabulary.directory"
)

// A count is a feature, and in how many sets it occurs.
type count struct {
	hash uint64
	sets uint32
}

// newVocabulary returns the vocabulary of counts, ascending by their hashes.
func newVocabulary(counts []count) *Vocabulary {
	most := uint32(0)
	for _, c := range counts {
		most = max(most, c.sets)
	}
	next := make([]uint32, most+2) // the next rank of each count: equal counts keep the order of their hashes
	for _, c := range counts {
		next[c.sets+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	hashes, ranks := make([]uint64, len(counts)), make([]uint32, len(counts))
	for i, c := range counts {
		hashes[i], ranks[i] = c.hash, next[c.sets]
		next[c.sets]++
	}
	v := &Vocabulary{hashes: section.Checked(hashes), ranks: section.Checked(ranks), dir: outline(len(hashes))}
	v.dir.Build(hashes)
	return v
}

// outline returns the directory of n hashes. A slot has one to two.
func outline(n int) directory.Directory { return directory.Outline(64, directory.Bits(n, 64, 0)) }

// Len returns the number of features with a rank.
func (v *Vocabulary) Len() int { return v.hashes.Len() }

// rank returns the rank of a feature. ok is false if it has none. The error is section.ErrCorrupt.
func (v *Vocabulary) rank(feature uint64) (rank uint32, ok bool, err error) {
	slot := v.dir.Slot(feature)
	if err := v.dir.Check(slot, slot); err != nil {
		return 0, false, err
	}
	lo, hi, ok := v.dir.Entries(slot, slot, v.hashes.Len())
	if !ok {
		return 0, false, v.dir.Bad(slot, slot, v.hashes.Len())
	}
	hashes, err := v.hashes.Range(uint64(lo), uint64(hi))
	if err != nil {
		return 0, false, err
	}
	for i, h := range hashes {
		if h < feature {
			continue
		}
		if h > feature {
			break
		}
		if rank, err = v.ranks.At(uint64(lo + i)); err != nil {
			return 0, false, err
		}
		if uint64(rank) >= uint64(v.Len()) {
			return 0, false, v.ranks.Corruptf(uint64(lo+i), "rank %d of %d", rank, v.Len())
		}
		return rank, true, nil
	}
	return 0, false, nil
}

// features returns the feature of each rank. The error is section.ErrCorrupt.
func (v *Vocabulary) features() ([]uint64, error) {
	return v.byRank.get(func() ([]uint64, error) {
		n := uint64(v.Len())
		hashes, err := v.hashes.Range(0, n)
		if err != nil {
			return nil, err
		}
		ranks, err := v.ranks.Range(0, n)
		if err != nil {
			return nil, err
		}
		by := make([]uint64, n)
		for i, rank := range ranks {
			if uint64(rank) >= n {
				return nil, v.ranks.Corruptf(uint64(i), "rank %d of %d", rank, n)
			}
			by[rank] = hashes[i]
		}
		return by, nil
	})
}

func (v *Vocabulary) write(w *section.Writer) {
	w.Begin(secHashes)
	w.Uint64s(v.hashes.All)
	w.Begin(secRanks)
	w.Uint32s(v.ranks.All)
	w.Begin(secVocabularySlot)
	w.Uint32s(v.dir.Starts)
}

// loadVocabulary loads what write has written. It checks sizes, and no contents.
func loadVocabulary(f *section.File) (*Vocabulary, error) {
	size, err := f.Size(secHashes)
	if err != nil {
		return nil, err
	}
	n := size / 8
	if n >= 1<<32 {
		return nil, f.Corruptf(secHashes, 0, "%d features", n)
	}
	v := &Vocabulary{dir: outline(int(n))}
	if v.hashes, err = section.Integers[uint64](f, secHashes, n); err != nil {
		return nil, err
	}
	if v.ranks, err = section.Integers[uint32](f, secRanks, n); err != nil {
		return nil, err
	}
	starts, err := section.Integers[uint32](f, secVocabularySlot, v.dir.Len())
	if err != nil {
		return nil, err
	}
	v.dir.Use(starts.All, starts.Guard)
	v.slots = starts.Guard
	return v, nil
}

// A view is a set as a vocabulary sees it: the features without a rank, which come first, and the ranks
// of the others. Both ascend.
type view struct {
	singles []uint64
	ranks   []uint32
	scratch []uint32
	slots   []uint64 // of each feature: where its slot of the directory begins, and where it ends
	touched uint64   // is of no use
}

func (s *view) len() int { return len(s.singles) + len(s.ranks) }

// see sets s to the view of features. The error is section.ErrCorrupt.
func (v *Vocabulary) see(s *view, features []uint64) error {
	s.singles, s.ranks = s.singles[:0], s.ranks[:0]
	if v.slots.Whole() && v.hashes.Guard.Whole() && v.ranks.Guard.Whole() && v.lookUp(s, features) {
		radix.SortFew32(s.ranks, uint32(v.Len()), &s.scratch)
		return nil
	}
	s.singles, s.ranks = s.singles[:0], s.ranks[:0]
	for _, f := range features {
		rank, ok, err := v.rank(f)
		if err != nil {
			return err
		}
		if ok {
			s.ranks = append(s.ranks, rank)
		} else {
			s.singles = append(s.singles, f)
		}
	}
	radix.SortFew32(s.ranks, uint32(v.Len()), &s.scratch)
	return nil
}

// lookUp looks up all features together, in steps that do not wait for the memory of each other. All sections
// have been checked. It reports whether they are sound; if not, the caller finds out where they are not.
func (v *Vocabulary) lookUp(s *view, features []uint64) bool {
	starts, shift := v.dir.Starts, v.dir.Shift
	s.slots = s.slots[:0]
	for _, f := range features {
		slot := f >> shift
		s.slots = append(s.slots, uint64(starts[slot])<<32|uint64(starts[slot+1]))
	}
	hashes, ranks := v.hashes.All, v.ranks.All
	// The branches below wait for hashes. Reading one of each slot before fetches them at the same time.
	touched := uint64(0)
	for _, slot := range s.slots {
		if lo := slot >> 32; lo < uint64(len(hashes)) {
			touched ^= hashes[lo]
		}
	}
	s.touched = touched
	for i, f := range features {
		lo, hi := s.slots[i]>>32, s.slots[i]&(1<<32-1)
		if hi > uint64(len(hashes)) {
			return false
		}
		for lo < hi && hashes[lo] < f {
			lo++
		}
		if lo >= hi || hashes[lo] != f {
			s.singles = append(s.singles, f)
			continue
		}
		if uint64(ranks[lo]) >= uint64(len(hashes)) {
			return false
		}
		s.ranks = append(s.ranks, ranks[lo])
	}
	return true
}
