package index

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/match/join"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/prefix"
	"simsearch/preprocess"
)

// CopyFloor is the Jaccard similarity of sets of features from which on two texts are judged: others are no copies. docs/measured/JUDGE.md
// says which copies that leaves out.
const CopyFloor = 0.5

// DefaultCopy is the probability of a copy from which on texts are near if nobody says what is.
const DefaultCopy = 0.6

// ByDefault makes a new index with settings s one for copies, if it can be and o does not say what it is for: it has sets of words, and keeps
// their texts.
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
	Exactly:    "all texts that have half of their words in common are judged, and nothing is missed",
	NoDistance: "texts with many mistakes are copies, and their fingerprints are far apart",
	NoNearest:  "texts that have less than half of their words in common are not judged; --jaccard finds the nearest",
	measure: func(_ *analysis.Analysis, x, y *analysis.Result) (m Measures, err error) {
		if m.Jaccard = measureSets(prefix.Jaccard, x.Set, y.Set); m.Jaccard >= CopyFloor {
			m.Value = judge.Default.Copy(judge.Read(x.Text), judge.Read(y.Text))
		}
		return m, nil
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

// judged sets the value of a document that is to be near a text, and reports whether it is. Until then the similarity
// is in its place.
func (b *byCopy) judged(m *Measures, x *judge.Text, doc uint32) (bool, error) {
	y, err := b.texts.Of(doc)
	if err != nil {
		return false, err
	}
	m.Jaccard, m.Value = m.Value, judge.Default.Copy(x, y)
	return m.Value >= b.least, nil
}

func (b *byCopy) near(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	if r.Text == nil && len(r.Set) > 0 {
		return fmt.Errorf("%w: what has no text cannot be judged", ErrNoSearch)
	}
	var above segment.Gathered
	if err := b.bySets.near(ctx, r, &above, stats); err != nil || len(above.Found) == 0 {
		return err
	}
	x := judge.Read(r.Text)
	return verifyEach(ctx, above.Found, g, func(m *Match) (bool, error) { return b.judged(&m.Measures, x, m.Document) })
}

func (b *byCopy) nearAll(ctx context.Context, batch *analysis.Batch, h *segment.GatheredMany, stats *Stats) error {
	return eachAlone(ctx, batch, h, stats, b.near)
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
	x, err := b.texts.Of(p.A)
	if err != nil {
		return false, err
	}
	return b.judged(&p.Measures, x, p.B)
}

func (b *byCopy) group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error) {
	o.Groups = false // texts of equal sets may have the words in another order
	return groupPairs(ctx, b.ix, b.join, chain, o, func(x, y uint32) (bool, error) {
		similarity, err := b.similarity(x, y)
		if err != nil || similarity < CopyFloor {
			return false, err
		}
		return b.pair(&join.Pair{A: x, B: y, Measures: Measures{Value: similarity}})
	})
}

func (b *byCopy) measure(ctx context.Context, g *Group) error {
	p := Copy.Predicate(b.least, 0)
	of := func(doc uint32) (uint32, bool, error) { return doc, true, nil }
	return measureDistinct(ctx, g, p, join.Measured, of, func(x, y uint32) (m Measures, err error) {
		similarity, err := b.similarity(x, y)
		if err != nil || similarity < CopyFloor {
			return Measures{Jaccard: similarity}, err
		}
		p := join.Pair{A: x, B: y, Measures: Measures{Value: similarity}}
		_, err = b.pair(&p)
		return p.Measures, err
	})
}

// similarity returns the Jaccard similarity of the sets of two documents.
func (b *byCopy) similarity(a, c uint32) (float64, error) {
	x, y, ok, err := b.setsOf(a, c)
	switch {
	case err != nil || !ok:
		return 0, err
	case x == y:
		return 1, nil
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
