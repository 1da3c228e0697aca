package prefix

import (
	"encoding/binary"
	"errors"

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
// the size was written share nothing with any other. They refer to the bytes of f, as those of Load. The error is
// section.ErrCorrupt.
func LoadSome(f *section.File, n uint64) (*Sets, error) {
	ranks, err := f.Uint64s(secNumRanks, 1)
	if err != nil {
		return nil, err
	}
	if ranks[0] >= 1<<32 {
		return nil, f.Corruptf(secNumRanks, 0, "%d features", ranks[0])
	}
	bytes, err := f.Size(secCoded)
	if err != nil {
		return nil, err
	}
	s := &Sets{ranks: int(ranks[0]), pairsOnly: true, postings: &Postings{}}
	if s.coded, err = section.Integers[byte](f, secCoded, bytes); err != nil {
		return nil, err
	}
	s.ends, err = section.Integers[uint64](f, secEnds, n)
	return s, err
}
