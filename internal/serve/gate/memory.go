package gate

import (
	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/kernels"
	"simsearch/internal/match/setjoin"
)

// A memory is some thousand documents, of which those that may be near another one are found by comparing all
// fingerprints, or sketches of all sets of a similar size: a third of a nanosecond each. An index of them would take
// longer to make than it saves.
type memory struct {
	all     []analysis.Result // what is compared of each
	texts   *judge.Cache      // by their numbers
	prints  []uint64          // the fingerprints of those that have one
	printed []uint32          // and their numbers
	sets    *setjoin.Sketched
}

func newMemory(near index.Predicate) *memory {
	threshold := index.CopyFloor
	if near.BySets() && !near.Kind.Texts {
		threshold = near.Threshold
	}
	m := &memory{sets: setjoin.NewSketched(threshold)}
	m.texts = judge.NewCache(func(i uint32) ([]byte, error) { return m.all[i].Text, nil })
	return m
}

// add adds a document, whose slices it keeps.
func (m *memory) add(r analysis.Result) {
	number := uint32(len(m.all))
	m.all = append(m.all, r)
	if r.HasFingerprint {
		m.prints, m.printed = append(m.prints, r.Fingerprint), append(m.printed, number)
	}
	m.sets.Add(r.Set)
}

// candidates appends to dst the numbers of documents that may be near r by p, and perhaps others: in no certain
// order, each once.
func (m *memory) candidates(dst []uint32, r *analysis.Result, p index.Predicate) []uint32 {
	switch {
	case p.Kind.Within && r.HasFingerprint:
		for at := 0; at < len(m.prints); at++ {
			next := kernels.NextWithin(m.prints[at:], r.Fingerprint, p.Distance)
			if at += next; at < len(m.prints) {
				dst = append(dst, m.printed[at])
			}
		}
	case p.Kind.Within:
	case p.Kind == index.Copy:
		dst = m.sets.AppendLikely(dst, r.Set, index.CopyFloor)
	case p.Kind == index.Jaccard:
		dst = m.sets.AppendLikely(dst, r.Set, p.Threshold)
	default: // the reference
		for i := range m.all {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

// near calls yield with the number of each document that is near r, and how near it is. With o.Nearest, these are all
// that have anything in common with r by the kind.
func (m *memory) near(ix *index.Snapshot, r *analysis.Result, o index.Options, yield func(i int, how index.Measures)) error {
	var buffer [64]uint32
	found := buffer[:0]
	if o.Nearest > 0 {
		for i := range m.all {
			found = append(found, uint32(i))
		}
	} else {
		found = m.candidates(found, r, o.Predicate)
	}
	var text *judge.Text // of r, once one is like it
	for _, i := range found {
		other := &m.all[i]
		how := index.Measures{}
		if !o.Kind.Texts {
			how = o.Kind.Compare(r, other)
		} else if how.Jaccard = index.Jaccard.Compare(r, other).Value; how.Jaccard < index.CopyFloor {
			continue
		} else {
			if text == nil {
				text = judge.Read(r.Text)
			}
			of, err := m.texts.Of(i)
			if err != nil {
				return err
			}
			how.Value, _ = judge.Default.CopyOf(text, of, how.Jaccard, o.Threshold)
		}
		has := (!o.Kind.Within || how.Distance != index.NoDistance) && (!o.BySets() || len(r.Set) > 0 && len(other.Set) > 0)
		if !has || o.Nearest == 0 && !o.Reached(&how) || o.Nearest > 0 && !o.Kind.Bare && how.Value == 0 {
			continue
		}
		if o.BySets() && !o.Kind.Within && ix.Settings().Fingerprints() { // as answers of an index have it
			if how.Distance = index.NoDistance; r.HasFingerprint && other.HasFingerprint {
				how.Distance = hamming.Distance(r.Fingerprint, other.Fingerprint)
			}
		}
		yield(int(i), how)
	}
	return nil
}
