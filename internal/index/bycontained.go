package index

import (
	"context"
	"fmt"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
)

// Contained is the kind of sets of features by the share of the smaller one that the larger one has. The larger one
// may be of any size, since an excerpt is as much inside a book as inside a page; dedup --contained has no bound
// either. A bound would help sets of single words only: of news, film reviews and licences of ten words or more whose
// words are inside another text (.95), 99.9 % have half of their sequences of three words there, too, if it has at
// most 2.5 times as many words, and 38 % if it has more than ten times. Sets of such sequences need none. So commands
// tell that of sets of words (OfWords), and the answer stays what was asked for.
var Contained = &Kind{
	Key: "contained", Usage: "the longer text has at least the share `C` of the features of the shorter one; ask it of an index with --features word:3 --mode both",
	Name: "a contained share", Short: "contained",
	Sets:       true,
	Exactly:    "what is contained is compared feature by feature, and nothing is missed",
	NoDistance: "a text and one that contains it have fingerprints that are far apart",
	NoNearest:  "the longest texts have most of any text; those with the share come nearest first: use --limit",
	NoNew:      "earlier records are not looked through for one that contains the record; dedup --contained removes what is inside others",
	OfWords:    "long texts have most single words of short ones by chance; an index with --features word:3 --mode both tells what is an excerpt",
	Compare: func(x, y *analysis.Result) Measures {
		return Measures{Value: measureSets(prefix.Contained, x.Set, y.Set)}
	},
	open: newByContained,
}

// byContained searches by the contained share of sets, without a miss. The postings of an index are of the first
// features of each set, which tell nothing of a part of a large one, so that all sets are read: once for a query, and
// once for many queries that come together. A join makes lists of its own.
type byContained struct{ *bySets }

func newByContained(ix *Snapshot, p Predicate) criterion {
	b := byContained{newBySets(ix, p)}
	b.of, b.pairs, b.groups = prefix.Contained, join.ByContained, join.GroupContained
	return b
}

func (b byContained) near(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	if err := hasFeatures(r); err != nil || len(r.Set) == 0 {
		return err
	}
	return b.search(ctx, []*analysis.Result{r}, stats, func(_ int, s *segment.Segment, start uint32, near []segment.NearGroup) {
		g.AddAll(s, start, s.Sets().Groups(), near)
	})
}

func (b byContained) nearAll(ctx context.Context, batch *analysis.Batch, h *segment.GatheredMany, stats *Stats) error {
	var queries []*analysis.Result
	var asked []int // the document of each query
	err := eachQuery(ctx, batch, func(i int, r *analysis.Result) error {
		if len(r.Set) > 0 {
			queries, asked = append(queries, r), append(asked, i)
		}
		return hasFeatures(r)
	})
	for from := 0; from < len(queries) && err == nil; from += prefix.QueriesAtOnce {
		some := queries[from:min(len(queries), from+prefix.QueriesAtOnce)]
		err = b.search(ctx, some, stats, func(q int, s *segment.Segment, start uint32, near []segment.NearGroup) {
			h.Add(asked[from+q], s, start, s.Sets().Groups(), near)
		})
	}
	h.Sort()
	return err
}

// search calls take with each document near each query, by its number, in no certain order.
func (b byContained) search(ctx context.Context, queries []*analysis.Result, stats *Stats,
	take func(q int, s *segment.Segment, start uint32, near []segment.NearGroup),
) error {
	sets, one := make([][]uint64, len(queries)), make([]segment.NearGroup, 1)
	for q, r := range queries {
		sets[q] = r.Set
	}
	stats.Add(Stats{Queries: int64(len(queries))})
	for i, s := range b.ix.segments {
		found := int64(0)
		err := s.Sets().Coded().Containing(ctx, sets, b.p.Threshold, func(q int, m prefix.Match) {
			found++
			one[0] = segment.NearGroup{Number: m.Set, Measures: Measures{Value: m.By(b.of, len(sets[q]))}}
			take(q, s, b.ix.starts[i], one)
		})
		if err != nil {
			return err
		}
		stats.Add(Stats{Compared: int64(s.Sets().Len()), Candidates: found, Verified: found})
	}
	return nil
}

func (b byContained) explain(s *segment.Segment) (how string, comparesAll bool) {
	return fmt.Sprintf("queries are compared with all %d sets, which are read once for up to %d of them: a small part of a set can be anywhere in it", s.Sets().Len(), prefix.QueriesAtOnce), true
}
