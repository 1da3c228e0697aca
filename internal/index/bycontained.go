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

func (b byContained) near(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats) error {
	var sets [][]uint64
	var asked []int // the query of each set
	err := eachQuery(ctx, q, func(i int, r *analysis.Result) error {
		if len(r.Set) > 0 {
			sets, asked = append(sets, r.Set), append(asked, i)
		}
		return hasFeatures(r)
	})
	if err == nil {
		stats.Add(Stats{Queries: int64(len(sets))})
	}
	one := make([]segment.NearGroup, 1)
	for from := 0; from < len(sets); from += prefix.QueriesAtOnce {
		some := sets[from:min(len(sets), from+prefix.QueriesAtOnce)]
		for i := 0; i < len(b.ix.segments) && err == nil; i++ {
			s, found := b.ix.segments[i], int64(0)
			err = s.Sets().Coded().Containing(ctx, some, b.p.Threshold, func(q int, m prefix.Match) {
				found++
				one[0] = segment.NearGroup{Number: m.Set, Measures: Measures{Value: m.By(b.of, len(some[q]))}}
				h.Add(asked[from+q], s, b.ix.starts[i], s.Sets().Groups(), one)
			})
			stats.Add(Stats{Compared: int64(s.Sets().Len()), Candidates: found, Verified: found})
		}
	}
	h.Sort()
	return err
}

func (b byContained) explain(s *segment.Segment) (how string, comparesAll bool) {
	return fmt.Sprintf("queries are compared with all %d sets, which are read once for up to %d of them: a small part of a set can be anywhere in it", s.Sets().Len(), prefix.QueriesAtOnce), true
}
