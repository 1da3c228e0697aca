package analysis

import (
	"context"
	"iter"

	"simsearch/fingerprint"
	"simsearch/internal/files/document"
)

// learnTogether is the number of documents that one task analyses.
const learnTogether = 512

// Learn adds the documents to l, which learns how rare the features of fingerprints are. Ready-made
// fingerprints teach nothing. The rules for documents, threads and errors are those of Each.
func (a *Analysis) Learn(ctx context.Context, documents iter.Seq2[*document.Document, error], threads int, l *fingerprint.IDFLearner) error {
	type distinct struct {
		all  []uint64
		ends []int // where each document ends in hashes
	}
	analyse := func(_ context.Context, b *Batch) (f distinct, _ error) {
		defer b.done()
		s := &b.scratch
		for _, r := range b.results {
			if r.Given {
				continue
			}
			a.hash(s, b.bytes[r.idEnd:r.end])
			s.hashes = s.counter.Distinct(s.hashes)
			f.all = append(f.all, s.hashes...)
			f.ends = append(f.ends, len(f.all))
		}
		return f, nil
	}
	return each(ctx, documents, threads, func() int { return learnTogether }, analyse, func(_ *Batch, f distinct) error {
		at := 0
		for _, end := range f.ends {
			if end > at {
				if err := l.Add(f.all[at:end]); err != nil {
					return err
				}
			}
			at = end
		}
		return nil
	})
}
