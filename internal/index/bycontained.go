package index

import (
	"context"
	"fmt"

	"simsearch/internal/analysis"
	"simsearch/internal/join"
	"simsearch/internal/prefix"
	"simsearch/internal/segment"
)

// Contained is the kind of sets of features by the share of the smaller one that the larger one has. The larger one may be of any size,
// since an excerpt is as much inside a book as inside a page; dedup --contained has no bound either. A bound would help sets of
// single words only: of news, film reviews and licences of ten words or more whose words are inside another text (.95), 99.9 % have
// half of their sequences of three words there, too, if it has at most 2.5 times as many words, and 38 % if it has more than ten times.
// Sets of such sequences need none. So commands tell that of sets of words (OfWords), and the answer stays what was asked for.
var Contained = &Kind{
	Key: "contained", Usage: "near are texts of which the longer one has at least the share `C` of the features of the shorter one, such as 0.9, as excerpts have; ask it of an index with --features word:3 --mode both",
	Name: "a contained share", Short: "contained",
	Sets: true, Recall: 1,
	Exactly:    "what is contained is compared feature by feature, and nothing is missed",
	NoDistance: "a text and one that contains it have fingerprints that are far apart",
	NoNearest:  "the longest texts have most of any text; those with the share come nearest first: use --limit",
	NoNew:      "earlier records are not looked through for one that contains the record; dedup --contained removes what is inside others",
	NoSQL:      ": a database cannot tell what is contained",
	OfWords:    "long texts have most single words of short ones by chance; an index with --features word:3 --mode both tells what is an excerpt",
	measure: func(_ *analysis.Analysis, x, y *analysis.Result) (Measures, error) {
		return Measures{Value: measureSets(prefix.Contained, x.Set, y.Set)}, nil
	},
	open: newByContained,
}

// byContained searches by the contained share of sets, without a miss. The postings of an index are of the first features of each set,
// which tell nothing of a part of a large one, so that a query is compared with all sets: 100 ms for 100,000 of 130 features.
// A join makes lists of its own.
type byContained struct{ *bySets }

func newByContained(ix *Snapshot, p Predicate, _ SourceReader) criterion {
	b := byContained{newBySets(ix, p)}
	b.of, b.find, b.pairs, b.groups = prefix.Contained, b.byAll, join.ByContained, join.GroupContained
	return b
}

// byAll compares all sets with that of a document.
func (b byContained) byAll(stats *Stats) finder {
	var matches []prefix.Match
	var found []segment.NearGroup
	return func(ctx context.Context, s *segment.Segment, r *analysis.Result) (*segment.Groups, []segment.NearGroup, error) {
		matches = matches[:0]
		least := func(size int) int { return prefix.LeastSize(min(len(r.Set), size), b.p.Threshold) }
		err := s.Sets().Coded().Each(ctx, r.Set, least, func(m prefix.Match) { matches = append(matches, m) })
		n := int64(s.Sets().Len())
		stats.Add(Stats{Compared: n, Candidates: n, Verified: n})
		found = b.measured(found[:0], matches, r)
		return s.Sets().Groups(), found, err
	}
}

func (b byContained) explain(s *segment.Segment) (how string, comparesAll bool) {
	return fmt.Sprintf("a query is compared with all %d sets, since a small part of a set can be anywhere in it", s.Sets().Len()), true
}
