package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/match/join"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/prefix"
	"simsearch/preprocess"
)

// CopyFloor is the Jaccard similarity of sets of features below which no two texts are judged: they are no copies.
// docs/measured/JUDGE.md says which copies that leaves out.
const CopyFloor = judge.Floor

// DefaultCopy is the probability of a copy from which on texts are near if nobody says what is.
const DefaultCopy = 0.6

// ByDefault makes a new index with settings s one for copies, if it can be and o does not say what it is for: it has
// sets of words, and keeps their texts.
func (o *WriterOptions) ByDefault(s analysis.Settings) {
	texts := o.Input.Holds != store.Fingerprints && o.Input.FingerprintField == "" && (o.Keep == KeepDefault || o.Keep == KeepText)
	if texts && s.Sets() && s.SetFeatures == (preprocess.FeatureSpec{}) && o.Search == (analysis.Search{}) {
		o.Search = analysis.Search{Copy: DefaultCopy, Planned: CopyFloor}
	}
}

// Copy is the kind of texts of which one is made from the other, as package judge says.
var Copy = &Kind{
	Key: "copy", Usage: "near is a probability of a copy of at least `P`; that one text was made from the other", Told: "what the index is made for: 0.6",
	Name: "a probability of a copy", Short: "copy",
	Sets: true, Texts: true,
	Exactly:    "all texts that have 45 % of their words in common, and three in a row near the beginning, or 80 %, are judged, and nothing is missed",
	NoDistance: "texts with many mistakes are copies, and their fingerprints are far apart",
	NoNearest:  "texts that have less than 45 % of their words in common are not judged; --jaccard finds the nearest",
	Compare: func(x, y *analysis.Result) (m Measures) {
		if m.Jaccard = measureSets(prefix.Jaccard, x.Set, y.Set); m.Jaccard >= CopyFloor {
			m.Value = judge.Default.Copy(judge.Read(x.Text), judge.Read(y.Text), m.Jaccard)
		}
		return m
	},
	open: func(ix *Snapshot, p Predicate) criterion {
		above := newBySets(ix, Similar(CopyFloor))
		return &byCopy{bySets: above, least: p.Threshold, any: p.Any}
	},
}

// byCopy judges what is near by its sets.
type byCopy struct {
	*bySets
	least float64
	any   bool // as Predicate.Any
}

// match returns a pair as a match of its query.
func (b *byCopy) match(p *join.Pair) Match {
	s, local := b.ix.locate(p.B)
	return Match{Document: p.B, ID: s.ID(local), Measures: p.Measures}
}

// above appends the pairs of query q with the documents that are judged for it.
func (b *byCopy) above(ctx context.Context, pairs []join.Pair, find finder, q int, r *analysis.Result, stats *Stats) ([]join.Pair, error) {
	if r.Text == nil && len(r.Set) > 0 {
		return pairs, fmt.Errorf("%w: what has no text cannot be judged", ErrNoSearch)
	}
	err := b.eachSegment(ctx, find, r, 0, stats, func(s *segment.Segment, start uint32, groups *segment.Groups, near []segment.NearGroup) {
		for _, n := range near {
			for _, doc := range s.Members(groups, n.Number) {
				pairs = append(pairs, join.Pair{A: uint32(q), B: start + doc, Measures: n.Measures})
			}
		}
	})
	return pairs, err
}

// pairsTogether is about how many pairs are judged together, part of these by one goroutine, and textsTogether of how
// many texts at most, which are held.
const pairsTogether, part, textsTogether = 1 << 18, 1 << 10, 1 << 12

// judgeTogether judges pairs of texts, which text returns, with documents, and leaves those that are near. Each
// document is read once, after its neighbour.
func (b *byCopy) judgeTogether(ctx context.Context, threads int, pairs []join.Pair, text func(a uint32) (*judge.Text, error)) (_ []join.Pair, err error) {
	var x *judge.Text
	texts := make([]*judge.Text, len(pairs))          // A of each
	order := make([]uint64, len(pairs), 2*len(pairs)) // documents, and the pairs of each
	for i, p := range pairs {
		order[i] = uint64(p.B)<<32 | uint64(i)
		if i == 0 || p.A != pairs[i-1].A {
			if x, err = text(p.A); err != nil || ctx.Err() != nil {
				return nil, cmp.Or(err, context.Cause(ctx))
			}
		}
		texts[i] = x
	}
	ints.Sort(order, order[len(pairs):2*len(pairs)])
	work := func(ctx context.Context, i int) (is struct{}, err error) {
		var y *judge.Text
		for k, at := range order[i*part : min(len(pairs), (i+1)*part)] {
			p := &pairs[uint32(at)]
			if k == 0 || p.B != uint32(order[i*part+k-1]>>32) {
				if y, err = b.ix.texts.Of(p.B); err != nil {
					return is, err
				}
			}
			p.Jaccard = p.Value
			p.Value, _ = judge.Default.CopyOf(texts[uint32(at)], y, p.Jaccard, b.least)
		}
		return is, context.Cause(ctx)
	}
	err = parallel.Ordered(ctx, threads, (len(pairs)+part-1)/part, work, func(struct{}) error { return nil })
	return slices.DeleteFunc(pairs, func(p join.Pair) bool { return p.Value < b.least }), err
}

func (b *byCopy) near(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats) error {
	var pairs []join.Pair // of queries and documents
	first := 0            // query of pairs
	judged := func(some []join.Pair) ([]join.Pair, error) {
		return b.judgeTogether(ctx, 1, some, func(i uint32) (*judge.Text, error) { return judge.Read(q.Result(int(i)).Text), nil })
	}
	judgeAll := func(end int) error {
		near, err := judged(pairs)
		found := make([]segment.Gathered, end-first)
		for _, p := range near {
			g := &found[int(p.A)-first]
			g.Found = append(g.Found, b.match(&p))
		}
		for q := range found {
			found[q].Limit = h.Limit
			h.Set(first+q, found[q].Matches(), found[q].Total)
		}
		first, pairs = end, pairs[:0]
		return err
	}
	find := b.find(stats)
	err := eachQuery(ctx, q, func(i int, r *analysis.Result) error {
		from := len(pairs)
		var err error
		if pairs, err = b.above(ctx, pairs, find, i, r, stats); err != nil {
			return err
		}
		if b.any {
			slices.SortFunc(pairs[from:], func(x, y join.Pair) int { return segment.MatchOrder(b.match(&x), b.match(&y)) })
		}
		if enough := from + h.Limit; b.any && from < enough && enough < len(pairs) {
			near, err := judged(slices.Clone(pairs[from:enough]))
			if err != nil {
				return err
			}
			if len(near) == h.Limit {
				pairs = pairs[:enough]
			}
		}
		if len(pairs) >= pairsTogether || i+1-first == textsTogether {
			return judgeAll(i + 1)
		}
		return nil
	})
	if err == nil {
		err = judgeAll(q.Len())
	}
	return err
}

func (b *byCopy) explain(s *segment.Segment) (string, bool) {
	how, all := b.bySets.explain(s)
	return how + "; the texts of sets that are similar enough are judged", all
}

func (b *byCopy) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	var pairs []join.Pair
	texts := 0 // of which they are
	judgeAll := func() error {
		near, err := b.judgeTogether(ctx, o.Threads, pairs, b.ix.texts.Of)
		for i := 0; i < len(near) && err == nil; i++ {
			err = yield(near[i])
		}
		pairs, texts = pairs[:0], 0
		return err
	}
	sets, openings := segment.NewAllSets(b.ix.segments), func(dst []uint32, doc uint32) ([]uint32, error) {
		text, err := b.ix.textOf(doc)
		return judge.AppendOpenings(dst, text), err
	}
	err := join.ByKeys(ctx, sets, b.p.Threshold, judge.Alike, openings, o, func(p join.Pair) error {
		if len(pairs) == 0 || pairs[len(pairs)-1].A != p.A {
			texts++
		}
		if pairs = append(pairs, p); len(pairs) == pairsTogether || texts == textsTogether {
			return judgeAll()
		}
		return nil
	})
	if err == nil {
		err = judgeAll()
	}
	return err
}

// group takes documents with the same text as one: texts of equal sets may have the words in another order.
func (b *byCopy) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	known := map[[2]uint64]uint32{} // the first document of each set and text
	sets := segment.NewAllSets(b.ix.segments)
	setOf, documents := sets.Of(), make([]uint32, sets.Sets()) // of each set
	for _, set := range setOf {
		if set != join.NoSet {
			documents[set]++
		}
	}
	of, only := make([]uint32, len(setOf)), make([]bool, len(setOf))
	for i, set := range setOf {
		doc := uint32(i)
		of[doc], only[doc] = doc, o.Only == nil || o.Only[doc]
		if !only[doc] || set == join.NoSet || documents[set] == 1 {
			continue
		}
		kept, err := b.ix.textOf(doc)
		if err != nil || ctx.Err() != nil {
			return nil, cmp.Or(err, context.Cause(ctx))
		}
		is := [2]uint64{uint64(set), fingerprint.Murmur3.Sum(kept)}
		if first, ok := known[is]; ok {
			of[doc], only[doc] = first, false
		} else {
			known[is] = doc
		}
	}
	o.Only, o.Groups, o.AnyOrder = only, false, true
	of, err := join.GroupPairs(ctx, of, chain, func(yield func(join.Pair) error) error { return b.join(ctx, o, yield) }, nil)
	return &join.Grouping{Of: of}, err
}

func (b *byCopy) measure(ctx context.Context, g *Group) error {
	p := Copy.Predicate(b.least, 0)
	of := func(doc uint32) (uint32, bool) { return doc, true }
	return measureDistinct(ctx, g, p, join.Measured, of, func(x, y uint32) (m Measures, err error) {
		if of, other, ok := b.setsOf(x, y); ok {
			m.Jaccard = of.measure(b.of, other)
		}
		if m.Jaccard < CopyFloor {
			return m, nil
		}
		m.Value, err = b.ix.Copied(x, y, m.Jaccard)
		return m, err
	})
}

// Copied returns how likely it is that one of the texts of two documents was made from the other, in [0, 1]. jaccard is
// the similarity of their sets.
func (ix *Snapshot) Copied(x, y uint32, jaccard float64) (float64, error) {
	one, err := ix.texts.Of(x)
	other, failed := ix.texts.Of(y)
	if err = cmp.Or(err, failed); err != nil {
		return 0, err
	}
	return judge.Default.Copy(one, other, jaccard), nil
}

// textOf returns the text of a document, or nil if none is kept: nothing is a copy of that.
func (ix *Snapshot) textOf(doc uint32) ([]byte, error) {
	text, err := ix.Text(doc, nil)
	if errors.Is(err, ErrNoText) {
		err = nil
	}
	return []byte(text), err
}
