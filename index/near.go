package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/parallel"
)

// A Match is a document near a query.
type Match struct {
	Document uint32
	ID       []byte // valid until the index is closed
	Distance int    // bits, in [0, k], of a search by distance
	// Jaccard is the similarity, in [0, 1], of a search by it.
	Jaccard float64
}

// Near appends to dst the documents within distance k of a fingerprint, ordered by
// distance, then by id, and returns the extended slice. The answer is that of a
// scan of all fingerprints. The error is ErrCriterion, ErrWidth or ErrCorrupt, with dst as it was.
func (ix *Index) Near(dst []Match, fp uint64, k int) ([]Match, error) {
	if err := Within(k).Check(ix.Settings()); err != nil {
		return dst, err
	}
	if err := ix.Settings().checkWidth(fp); err != nil {
		return dst, err
	}
	start := len(dst)
	var found []hamming.Match
	for i, s := range ix.segments {
		var err error
		if found, err = s.tables.Near(found[:0], fp, k); err != nil {
			return dst[:start], fileError(s.path, err)
		}
		if dst, err = ix.documents(dst, i, found); err != nil {
			return dst[:start], err
		}
	}
	sortMatches(dst[start:])
	return dst, nil
}

// documents appends the documents that have the fingerprints found in segment i.
func (ix *Index) documents(dst []Match, i int, found []hamming.Match) ([]Match, error) {
	s := ix.segments[i]
	for _, f := range found {
		members, err := s.members(f.Index)
		if err != nil {
			return dst, err
		}
		for _, doc := range members {
			id, err := s.id(doc)
			if err != nil {
				return dst, err
			}
			dst = append(dst, Match{Document: ix.starts[i] + doc, ID: id, Distance: int(f.Distance)})
		}
	}
	return dst, nil
}

func sortMatches(ms []Match) {
	slices.SortFunc(ms, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), bytes.Compare(a.ID, b.ID))
	})
}

// An Answer is what NearDocuments finds for one document.
type Answer struct {
	ID      []byte // of the query
	Empty   bool   // it has no features, and so is near nothing
	Matches []Match
}

// NearDocuments answers every document as a query, in their order, as Near or Similar do: it
// calls yield with each answer, which is valid during the call. Documents without a
// fingerprint are analysed as those of the index were. Up to together documents are
// asked at a time on each of threads goroutines: many are fast, one answers at once.
//
// A Document needs to be valid only until the next one is asked for, from a goroutine of
// NearDocuments'. The error is ErrCriterion, ErrCorrupt, ErrWidth with the id of the query, that
// of ctx, or the first one of documents or yield.
func (ix *Index) NearDocuments(ctx context.Context, documents iter.Seq2[*Document, error], c Criterion, threads, together int, yield func(Answer) error) error {
	if err := c.Check(ix.Settings()); err != nil {
		return err
	}
	pool := sync.Pool{New: func() any { return new(batch) }}
	type answers struct {
		b       *batch
		matches [][]Match
	}
	ask := func(_ context.Context, b *batch) (answers, error) {
		if err := b.analyse(ix.analysis); err != nil {
			return answers{}, err
		}
		search := ix.nearBatch
		if c.BySets() {
			search = ix.similarBatch
		}
		matches, err := search(b, c)
		return answers{b, matches}, err
	}
	return parallel.Stream(ctx, threads, batches(documents, together, &pool), ask, func(a answers) error {
		for i, d := range a.b.docs {
			if err := yield(Answer{a.b.id(i), !d.ok, a.matches[i]}); err != nil {
				return err
			}
		}
		a.b.reset()
		pool.Put(a.b)
		return nil
	})
}

// nearBatch returns the matches of each document of a batch that has been analysed.
func (ix *Index) nearBatch(b *batch, c Criterion) ([][]Match, error) {
	matches := make([][]Match, len(b.docs))
	var queries []uint64
	var asked []int // the document of each query
	for i, d := range b.docs {
		if err := ix.Settings().checkWidth(d.fp); err != nil {
			return nil, fmt.Errorf("query %s: %w", b.id(i), err)
		}
		if d.ok {
			queries, asked = append(queries, d.fp), append(asked, i)
		}
	}
	for i, s := range ix.segments {
		err := s.tables.NearBatch(queries, c.Distance, func(q int, found []hamming.Match) (err error) {
			of := &matches[asked[q]]
			*of, err = ix.documents(*of, i, found)
			return err
		})
		if err != nil {
			return nil, fileError(s.path, err)
		}
	}
	for _, ms := range matches {
		sortMatches(ms)
	}
	return matches, nil
}
