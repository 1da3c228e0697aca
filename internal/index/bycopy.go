package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/match/join"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/prefix"
	"simsearch/preprocess"
)

// CopyFloor is the Jaccard similarity of sets of features from which on two texts are judged: others are no copies.
// docs/measured/JUDGE.md says which copies that leaves out.
const CopyFloor = 0.45

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
	Exactly:    "all texts that have 45 % of their words in common are judged, and nothing is missed",
	NoDistance: "texts with many mistakes are copies, and their fingerprints are far apart",
	NoNearest:  "texts that have less than 45 % of their words in common are not judged; --jaccard finds the nearest",
	Compare: func(x, y *analysis.Result) (m Measures) {
		if m.Jaccard = measureSets(prefix.Jaccard, x.Set, y.Set); m.Jaccard >= CopyFloor {
			m.Value = judge.Default.Copy(judge.Read(x.Text), judge.Read(y.Text))
		}
		return m
	},
	open: func(ix *Snapshot, p Predicate) criterion {
		above := newBySets(ix, Similar(CopyFloor))
		return &byCopy{bySets: above, least: p.Threshold, texts: judge.NewCache(ix.textOf)}
	},
}

// byCopy judges what is near by its sets.
type byCopy struct {
	*bySets
	least float64
	texts *judge.Cache
}

// judged sets the value of a pair, and reports whether it is near. Until then the similarity is in its place.
func (b *byCopy) judged(m *Measures, x, y *judge.Text) (near bool) {
	m.Jaccard = m.Value
	m.Value, near = judge.Default.CopyOf(x, y, b.least)
	return near
}

func (b *byCopy) near(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	var above segment.Gathered
	if err := b.above(ctx, r, &above, stats); err != nil || len(above.Found) == 0 {
		return err
	}
	x := judge.Read(r.Text)
	return verifyEach(ctx, above.Found, g, func(m *Match) (bool, error) {
		y, err := b.texts.Of(m.Document)
		return err == nil && b.judged(&m.Measures, x, y), err
	})
}

// above gathers what is judged for a document.
func (b *byCopy) above(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	if r.Text == nil && len(r.Set) > 0 {
		return fmt.Errorf("%w: what has no text cannot be judged", ErrNoSearch)
	}
	return b.bySets.near(ctx, r, g, stats)
}

// judgedTogether is about how many pairs of a batch are judged together, and queriesTogether how many queries at
// most, whose texts are held.
const judgedTogether, queriesTogether = 1 << 16, 1 << 10

// nearAll judges many pairs together, in the order of the documents: each text is read once, after its neighbour.
func (b *byCopy) nearAll(ctx context.Context, batch *analysis.Batch, h *segment.GatheredMany, stats *Stats) error {
	type pair struct {
		query int
		Match
	}
	var pairs []pair
	first := 0 // query of pairs
	judgeAll := func(end int) error {
		slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.Document, b.Document) })
		texts, found := make([]*judge.Text, end-first), make([]segment.Gathered, end-first)
		for i := range pairs {
			p := &pairs[i]
			if i%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			q := p.query - first
			if texts[q] == nil {
				r := batch.Result(p.query)
				texts[q] = judge.Read(r.Text)
			}
			y, err := b.texts.Of(p.Document)
			if err != nil {
				return err
			}
			if b.judged(&p.Measures, texts[q], y) {
				found[q].Found = append(found[q].Found, p.Match)
			}
		}
		for q := range found {
			found[q].Limit = h.Limit
			h.Set(first+q, found[q].Matches(), found[q].Total)
		}
		first, pairs = end, pairs[:0]
		return nil
	}
	err := eachQuery(ctx, batch, func(i int, r *analysis.Result) error {
		var above segment.Gathered
		if err := b.above(ctx, r, &above, stats); err != nil {
			return err
		}
		for _, m := range above.Found {
			pairs = append(pairs, pair{i, m})
		}
		if len(pairs) >= judgedTogether || i+1-first == queriesTogether {
			return judgeAll(i + 1)
		}
		return nil
	})
	if err == nil {
		err = judgeAll(batch.Len())
	}
	return err
}

func (b *byCopy) explain(s *segment.Segment) (string, bool) {
	how, all := b.bySets.explain(s)
	return how + "; the texts of sets that are similar enough are judged", all
}

func (b *byCopy) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	return b.bySets.join(ctx, o, func(p join.Pair) error {
		near, err := b.pair(&p)
		if err != nil || !near {
			return err
		}
		return yield(p)
	})
}

func (b *byCopy) pair(p *join.Pair) (near bool, err error) {
	x, y, err := b.both(p.A, p.B)
	return err == nil && b.judged(&p.Measures, x, y), err
}

// both returns what is compared of two documents.
func (b *byCopy) both(a, c uint32) (x, y *judge.Text, err error) {
	if x, err = b.texts.Of(a); err == nil {
		y, err = b.texts.Of(c)
	}
	return x, y, err
}

func (b *byCopy) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	o.Groups = false // texts of equal sets may have the words in another order
	return groupPairs(ctx, b.ix, b.join, chain, o, func(x, y uint32) (bool, error) {
		similarity := b.similarity(x, y)
		if similarity < CopyFloor {
			return false, nil
		}
		return b.pair(&join.Pair{A: x, B: y, Measures: Measures{Value: similarity}})
	})
}

func (b *byCopy) measure(ctx context.Context, g *Group) error {
	p := Copy.Predicate(b.least, 0)
	of := func(doc uint32) (uint32, bool) { return doc, true }
	return measureDistinct(ctx, g, p, join.Measured, of, func(x, y uint32) (m Measures, err error) {
		if m.Jaccard = b.similarity(x, y); m.Jaccard < CopyFloor {
			return m, nil
		}
		one, other, err := b.both(x, y)
		if err == nil {
			m.Value = judge.Default.Copy(one, other)
		}
		return m, err
	})
}

// similarity returns the Jaccard similarity of the sets of two documents.
func (b *byCopy) similarity(a, c uint32) float64 {
	x, y, ok := b.setsOf(a, c)
	switch {
	case !ok:
		return 0
	case x == y:
		return 1
	}
	return x.measure(b.of, y)
}

// textOf returns the text of a document, or nil if none is kept: nothing is a copy of that.
func (ix *Snapshot) textOf(doc uint32) ([]byte, error) {
	text, err := ix.Text(doc, nil)
	if errors.Is(err, ErrNoText) {
		err = nil
	}
	return []byte(text), err
}
