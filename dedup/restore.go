package dedup

import (
	"encoding/json"
	"fmt"
	"math"

	"simsearch/section"
)

// parseState checks a state.
func parseState(data []byte) (f *section.File, s savedState, err error) {
	if f, err = section.Parse(data); err != nil {
		return nil, s, err
	}
	if err := f.Verify(); err != nil {
		return nil, s, err
	}
	head, err := f.Bytes(secAbout)
	if err != nil {
		return nil, s, err
	}
	if err := json.Unmarshal(head, &s); err != nil || s.Run.V != aboutVersion {
		return nil, s, fmt.Errorf("%w: of another version of simsearch", section.ErrVersion)
	}
	documents := uint64(0)
	for _, n := range s.Documents {
		documents += uint64(n)
	}
	if len(s.Documents) != len(s.Run.Files) || len(s.Bad) != len(s.Run.Files) || documents > maxDocuments || s.Sets < 0 || s.Sets > maxDocuments {
		return nil, s, f.Corruptf(secAbout, 0, "%d files with %d documents", len(s.Run.Files), documents)
	}
	return f, s, nil
}

// restore takes up what was saved, of which the files are known.
func (c *Collection) restore(f *section.File, s *savedState) (*Decisions, error) {
	c.counts, c.bad, c.o.Settings = s.Documents, s.Bad, s.Run.Features
	documents := 0
	c.starts = nil
	for _, n := range append(s.Documents, 0) {
		c.starts = append(c.starts, uint32(documents))
		documents += int(n)
	}
	if err := c.readDocuments(f, documents, s.Sets); err != nil {
		return nil, err
	}
	k := &known{below: s.Below}
	d := &Decisions{c: c}
	var err error
	if d.kept, err = numbers(f, secKept, documents, documents); err != nil {
		return nil, err
	}
	if k.best, err = numbers(f, secBest, s.Sets, documents); err != nil {
		return nil, err
	}
	if k.order, err = numbers(f, secOrder, s.Sets, s.Sets); err != nil {
		return nil, err
	}
	seen := make([]bool, s.Sets)
	for i, set := range k.order {
		if seen[set] {
			return nil, f.Corruptf(secOrder, 4*uint64(i), "set %d stands there twice", set)
		}
		seen[set] = true
	}
	for doc, kept := range d.kept {
		if d.kept[kept] != kept || int(kept) != doc && c.of[doc] == noSet {
			return nil, f.Corruptf(secKept, 4*uint64(doc), "document %d is kept for document %d", kept, doc)
		}
	}
	if d.near, err = readShares(f, secNear, s.Sets); err != nil {
		return nil, err
	}
	if s.Run.Contained > 0 {
		if d.inside, err = readShares(f, secInside, s.Sets); err != nil {
			return nil, err
		}
	}
	for _, e := range s.Out.Examples {
		if int64(e.Document) >= int64(documents) {
			return nil, f.Corruptf(secAbout, 0, "document %d of %d", e.Document, documents)
		}
	}
	if c.out = s.Out; c.keys != nil {
		c.keys.unread, c.keys.first = s.Unread, s.First
	}
	if d.coded, err = c.load(f, s.Sets); err != nil {
		return nil, err
	}
	for _, set := range k.order {
		if k.best[set] < c.starts[c.refs] {
			k.refSets++
		}
	}
	c.earlier = k
	return d, nil
}

// writeShares writes a section of numbers in [0, 1].
func writeShares(w *section.Writer, name string, shares []float64) {
	saved := make([]uint64, len(shares))
	for i, x := range shares {
		saved[i] = math.Float64bits(x)
	}
	w.Begin(name)
	w.Uint64s(saved)
}

// readShares returns a section of n numbers in [0, 1].
func readShares(f *section.File, name string, n int) ([]float64, error) {
	saved, err := f.Uint64s(name, uint64(n))
	if err != nil {
		return nil, err
	}
	shares := make([]float64, n)
	for i, x := range saved {
		if shares[i] = math.Float64frombits(x); !(shares[i] >= 0 && shares[i] <= 1) {
			return nil, f.Corruptf(name, 8*uint64(i), "a share of %v", shares[i])
		}
	}
	return shares, nil
}

// numbers returns a section of n integers less than most.
func numbers(f *section.File, name string, n, most int) ([]uint32, error) {
	xs, err := f.Uint32s(name, uint64(n))
	if err != nil {
		return nil, err
	}
	for i, x := range xs {
		if int(x) >= most {
			return nil, f.Corruptf(name, 4*uint64(i), "%d of %d", x, most)
		}
	}
	return xs, nil
}

// readDocuments appends what writeDocuments has written of some documents and sets. After an error nothing is appended.
func (c *Collection) readDocuments(f *section.File, documents, sets int) error {
	lengths, err := f.Uint32s(secLengths, uint64(documents))
	if err != nil {
		return err
	}
	digests, err := f.Uint64s(secDigests, uint64(documents))
	if err != nil {
		return err
	}
	of, err := f.Uint32s(secOf, uint64(documents))
	if err != nil {
		return err
	}
	ids, err := f.Bytes(secIDs)
	if err != nil {
		return err
	}
	ends, err := f.Uint64s(secIDEnds, uint64(documents))
	if err != nil {
		return err
	}
	sizes, err := f.Uint32s(secSizes, uint64(sets))
	if err != nil {
		return err
	}
	at := uint64(len(c.ids))
	for i, end := range ends {
		if end < at || end > uint64(len(c.ids)+len(ids)) {
			return f.Corruptf(secIDEnds, 8*uint64(i), "id %d ends at %d", i, end)
		}
		at = end
	}
	for i, set := range of {
		if set != noSet && int(set) >= len(c.sizes)+sets {
			return f.Corruptf(secOf, 4*uint64(i), "set %d of %d", set, len(c.sizes)+sets)
		}
	}
	c.lengths, c.digests, c.of = append(c.lengths, lengths...), append(c.digests, digests...), append(c.of, of...)
	c.ids, c.idEnds, c.sizes = append(c.ids, ids...), append(c.idEnds, ends...), append(c.sizes, sizes...)
	return nil
}
