package analysis

import (
	"context"
	"iter"

	"simsearch/fingerprint"
	"simsearch/internal/files/document"
)

// learnTogether is the number of documents that one task analyses.
const learnTogether = 512

// Learn adds the documents to l, which learns how rare their features are: of the fingerprint with weights tfidf, and of the set
// for rare n-grams, which some of the documents are enough for. Ready-made fingerprints and documents without features teach
// nothing. The rules for documents, threads and errors are those of Each.
func (a *Analysis) Learn(ctx context.Context, documents iter.Seq2[*document.Document, error], threads int, l *fingerprint.IDFLearner) error {
	type distinct struct {
		all  []uint64
		ends []int // where each document ends in hashes
	}
	byWords := a.settings.Weights == fingerprint.TFIDF
	if !byWords {
		documents, l.LeastShare = someOf(documents), 1./rareAmong
	}
	analyse := func(_ context.Context, b *Batch) (f distinct, _ error) {
		defer b.done()
		s := &b.scratch
		for _, r := range b.results {
			if r.ready {
				continue
			}
			text := b.bytes[r.idEnd:r.end]
			if byWords {
				a.hash(s, text)
				s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
				f.all = append(f.all, s.hashes...)
			}
			if a.settings.rare() {
				f.all = append(f.all, a.quarterOf(s, text)...)
			}
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

// quarterOf returns the features of the set of text that a set of rare n-grams may have by their priorities.
func (a *Analysis) quarterOf(s *Scratch, text []byte) []uint64 {
	if a.sets == nil {
		a.hash(s, text)
	} else {
		a.settings.hash(a.sets, s, text)
	}
	set := s.distinct()
	return set[:quarter(set, set)]
}

// learntWhole is how many documents at the beginning all teach how rare n-grams are. Of n more, it is one in n/learntWhole.
const learntWhole = 1000

// someOf yields the documents that are enough to know which features are common: all at the beginning, and ever fewer later, some
// 8,000 of a million.
func someOf(documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		n, next := 0, 0
		for d, err := range documents {
			if err == nil {
				if n++; n <= next {
					continue
				}
				next = n + n/learntWhole
			}
			if !yield(d, err) {
				return
			}
		}
	}
}
