package index

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/gather"
	"simsearch/internal/parallel"
	"simsearch/internal/segment"
)

// Near returns the documents near q by o.Predicate: all of them, or the o.Limit nearest.
//
// By distance, the answer equals that of a scan of all fingerprints. By similarity, no match is missed
// unless o.Recall is below 1, and every match is verified as o.Verify says. If a segment is not planned for
// the threshold, Near compares all sets of that segment, or all signatures. With o.Nearest, the answer is
// the nearest documents.
//
// The error is ErrNoSearch, ErrWidth, ErrCorrupt, ErrClosed or the cause of ctx. The ids of matches
// are valid until Close.
func (ix *Snapshot) Near(ctx context.Context, q Query, o Options) (a Answer, err error) {
	search, err := ix.checked(&o)
	if err != nil {
		return a, err
	}
	if ctx.Err() != nil {
		return a, context.Cause(ctx)
	}
	err = ix.reading(func() error {
		r, err := q.analyse(ix.analysis)
		if err != nil {
			return err
		}
		of := search
		if f, ok := of.(*filtered); ok {
			of = f.searcher
		}
		if c, ok := of.(*byCosine); ok && q.of == ofStored {
			if r.Text, err = c.text(q.doc); err != nil {
				return err
			}
		}
		a.Empty = search.empty(&r)
		g := gather.One{Limit: o.Limit}
		if err := search.one(ctx, &r, &g, o.Stats); err != nil {
			return err
		}
		a.Matches = g.Matches()
		return search.finish(&r, a.Matches)
	})
	return a, err
}

// checked returns the searcher for o, or an error that says what is wrong with o. It makes Limit what the
// search wants.
func (ix *Snapshot) checked(o *Options) (searcher, error) {
	if o.Limit < 0 || o.Batch < 0 || o.Nearest < 0 {
		return nil, fmt.Errorf("%w: a limit of %d matches, the %d nearest and batches of %d documents: want 0 or more", ErrNoSearch, o.Limit, o.Nearest, o.Batch)
	}
	search, err := ix.searcher(o.Predicate, o.Sources)
	if b, ok := search.(*byBands); ok && o.Nearest == 0 {
		err = b.canLookUp()
	}
	if err == nil && o.Nearest > 0 {
		if o.Limit == 0 || o.Nearest < o.Limit {
			o.Limit = o.Nearest
		}
		search, err = newNearest(ix, o.Predicate, search)
	}
	if err != nil || len(o.Where) == 0 {
		return search, err
	}
	filter, err := ix.newFilter(o.Where)
	return &filtered{search, filter}, err
}

// NearAll answers every document as a query, in order, as Near does. It calls yield with each
// answer, which is valid during the call. Documents without a fingerprint are analysed as the
// documents of the index were.
//
// NearAll holds about 260,000 matches at a time, or those of a single query if it has more. If
// queries have many matches, fewer documents are searched for together. A query whose matches
// cannot be held is searched for alone when its turn comes.
//
// A Document needs to be valid only until the next one is asked for. A goroutine of NearAll asks
// for it. Before it yields the answers of a batch, NearAll makes sure that no segment was changed
// in the meantime (see Unchanged). The error is ErrNoSearch, ErrCorrupt, ErrClosed, ErrWidth with
// the id of the query, the error of ctx, or the first error of documents or yield.
func (ix *Snapshot) NearAll(ctx context.Context, documents iter.Seq2[*document.Document, error], o Options, yield func(Answer) error) error {
	search, err := ix.checked(&o)
	if err != nil {
		return err
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	hold := holdMatches / (2*max(1, o.Threads) + 1) // of each batch that may exist at a time
	return ix.reading(func() error {
		return ix.nearAll(ctx, documents, search, o, parallel.NewPace(o.Batch, hold, o.Threads), yield)
	})
}

// An asked is what a batch of queries has found.
type asked struct {
	*gather.Many
	stats *Stats // nil if nobody wants them
}

// holdMatches is about how many matches all batches of NearAll hold at a time. A match takes 48
// bytes. A query whose matches have no room is searched alone when its turn comes.
const holdMatches = 1 << 18

func (ix *Snapshot) nearAll(ctx context.Context, documents iter.Seq2[*document.Document, error], search searcher, o Options, p *parallel.Pace, yield func(Answer) error) error {
	ask := func(ctx context.Context, b *analysis.Batch) (asked, error) {
		h := asked{Many: gather.NewMany(ix.collection(), b.Len(), o.Limit, p.Hold())}
		if o.Stats != nil {
			h.stats = &Stats{}
		}
		err := search.batch(ctx, b, h.Many, h.stats)
		for i := 0; i < b.Len() && err == nil; i++ {
			r := b.Result(i)
			err = search.finish(&r, h.Queries[i].Found)
		}
		if err == nil {
			err = ix.Unchanged()
		}
		p.Learn(b.Len(), h.Counted)
		return h, err
	}
	return analysis.Each(ctx, ix.analysis, documents, o.Threads, p.Size, ask, func(b *analysis.Batch, h asked) error {
		if o.Stats != nil {
			o.Stats.Add(*h.stats)
		}
		for i := range b.Len() {
			r := b.Result(i)
			matches := h.Queries[i].Found
			if h.Late[i] {
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				alone := gather.One{Limit: o.Limit}
				if err := search.one(ctx, &r, &alone, o.Stats); err != nil {
					return err
				}
				matches = alone.Matches()
				if err := search.finish(&r, matches); err != nil {
					return err
				}
			}
			if err := yield(Answer{r.ID, search.empty(&r), matches, &r}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Explain says for each segment how a search by p is answered. The error is ErrNoSearch.
func (ix *Snapshot) Explain(p Predicate) ([]string, error) {
	search, err := ix.searcher(p, nil)
	if b, ok := search.(*byBands); ok {
		err = b.canLookUp()
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for i, s := range ix.segments {
		out = append(out, fmt.Sprintf("segment %s: %s", ix.parts[i].Ref.Name, search.explain(s)))
	}
	return out, nil
}

// ComparesAll reports whether a query by p is compared with all sets of some segment, or with all signatures.
// This happens if the segment was planned for a higher threshold.
func (ix *Snapshot) ComparesAll(p Predicate) bool {
	search, err := ix.searcher(p, nil)
	return err == nil && slices.ContainsFunc(ix.segments, func(s *segment.Segment) bool { return search.comparesAll(s) })
}
