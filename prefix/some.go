package prefix

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"simsearch/section"
)

// secNumRanks is the name of the section that has the number of ranks.
const secNumRanks = "sets.ranks"

// WriteSome writes sets that were collected for pairs only as sections of w: the whole of those for which some returns
// true, and of the others their sizes. w keeps the errors of writing. The error is section.ErrCorrupt.
func (s *Sets) WriteSome(w *section.Writer, some func(i uint32) bool) error {
	if !s.pairsOnly {
		return errors.New("prefix: only sets for pairs can be written in part")
	}
	w.Begin(secNumRanks)
	w.Uint64s([]uint64{uint64(s.ranks)})
	ends := make([]uint64, 0, s.Len())
	end := 0
	var alone []byte
	w.Begin(secCoded)
	for i := range uint32(s.Len()) {
		code, err := s.Code(i)
		if err != nil {
			return err
		}
		if !some(i) {
			size, err := s.Size(i)
			if err != nil {
				return err
			}
			alone = binary.AppendUvarint(alone[:0], uint64(size))
			code = append(alone, 0) // no feature has a rank
		}
		_, _ = w.Write(code)
		end += len(code)
		ends = append(ends, uint64(end))
	}
	w.Begin(secEnds)
	w.Uint64s(ends)
	return nil
}

// LoadSome returns the n sets that WriteSome put into f, with the same numbers, for pairs only. Those of which only
// the size was written share nothing with any other. They refer to the bytes of f, as those of Load, and LoadSome reads all of
// them. The error is section.ErrCorrupt.
func LoadSome(f *section.File, n uint64) (*Sets, error) {
	ranks, err := f.Uint64s(secNumRanks, 1)
	if err != nil {
		return nil, err
	}
	bytes, err := f.Size(secCoded)
	if err != nil {
		return nil, err
	}
	s := &Sets{ranks: int(min(ranks[0], math.MaxUint32)), pairsOnly: true, postings: &Postings{}}
	if s.coded, err = section.Integers[byte](f, secCoded, bytes); err != nil {
		return nil, err
	}
	if s.ends, err = section.Integers[uint64](f, secEnds, n); err != nil {
		return nil, err
	}
	used, features, err := s.readAll()
	if err == nil && ranks[0] > features/2 { // two sets or more have each
		err = f.Corruptf(secNumRanks, 0, "%d features of several sets, which have %d together", ranks[0], features)
	}
	s.ranks = used // a join takes time for each
	return s, err
}

// readAll decodes all sets. It returns a number above all their ranks, and how many features they have together.
func (s *Sets) readAll() (ranks int, features uint64, err error) {
	var all []uint32
	for i := range uint32(s.Len()) {
		d, err := s.Decoder(i)
		if err != nil {
			return 0, 0, err
		}
		features += uint64(d.Features)
		if d.Ranks == 0 {
			continue
		}
		all = slices.Grow(all[:0], d.Ranks)[:d.Ranks]
		if err := d.Read(all); err != nil {
			return 0, 0, s.Bad(i, err)
		}
		ranks = max(ranks, int(all[len(all)-1])+1)
	}
	return ranks, features, nil
}
