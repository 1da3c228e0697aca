package segment

import (
	"context"
	"fmt"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/bulk"
	"simsearch/tables"
)

// Fingerprints of more than 64 bits lie in tables of their own (tables.Wide), in groups of equal ones like others.

// isWide reports whether fingerprints have more than 64 bits.
func (l *Layout) isWide() bool { return l.Bits > 64 }

// words returns the number of words of a fingerprint.
func (l *Layout) words() int { return max(1, l.Bits/64) }

// writeWide writes the groups of equal fingerprints of more than 64 bits, of which all are the first words, and their
// tables.
func (b *Builder) writeWide(ctx context.Context, w *section.Writer, all []uint64, o *WriteOptions) error {
	words := b.layout.words()
	var values []uint64
	var docs []uint32
	for doc, fp := range all {
		if !b.isEmpty(doc) {
			one := document.NewLong(fp, b.more[doc])
			values, docs = append(values, one[:words]...), append(docs, uint32(doc))
		}
	}
	g := tables.Group(values, words, docs)
	bulk.WriteGroups(w, fingerprintGroups, g, b.Len())
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	o.explain(tables.DescribeWide(len(g.Values)/words, b.layout.Bits), fmt.Sprintf("for %d fingerprints", len(g.Values)/words))
	o.phase("building tables")
	return tables.WriteWide(ctx, w, g.Values, b.layout.Bits, o.Threads)
}

// value returns the fingerprint of a group, which may have any width.
func (s *Segment) value(group uint32) (fp document.Long) {
	words := s.words
	at := uint64(group) * uint64(words)
	copy(fp[:], s.values.Range(at, at+uint64(words)))
	return fp
}

// hasPrints reports whether there are fingerprints.
func (s *Segment) hasPrints() bool { return s.tables != nil || s.wide != nil }

// Near appends the groups of equal fingerprints within distance k of that of a document, nearest first. The segment
// must have fingerprints. stats, if not nil, counts the work.
func (s *Segment) Near(dst []hamming.Match, fp document.Long, k int, stats *tables.Stats) ([]hamming.Match, error) {
	if s.wide == nil {
		return s.tables.NearStats(dst, fp[0], k, stats)
	}
	return s.wide.Near(dst, fp[:s.words], k, stats), nil
}

// Explain says how a query within distance k is answered.
func (s *Segment) Explain(k int) string {
	if s.wide != nil {
		return s.wide.Explain(k)
	}
	t := s.tables
	return fmt.Sprintf("%v, %s; a query within %d %s", t.Design(), t.Design().Expected(t.Len()), k, t.Explain(k))
}

// checkValues returns a section.ErrCorrupt unless the fingerprints of the groups ascend and have the right width.
func (s *Segment) checkValues() error {
	all, words := s.values.All, s.words
	for i := words; i < len(all); i += words {
		if slices.Compare(all[i-words:i], all[i:i+words]) >= 0 {
			return s.values.Corruptf(uint64(i), "fingerprint %x does not ascend", all[i:i+words])
		}
	}
	if s.tables != nil && len(all) > 0 {
		if bits := s.tables.Design().Width(); all[len(all)-1]>>1>>(bits-1) != 0 {
			return s.values.Corruptf(uint64(len(all)-1), "fingerprint %#x has more than %d bits", all[len(all)-1], bits)
		}
	}
	return nil
}
