package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"simsearch/fingerprint"
	"simsearch/internal/analysis"
	"simsearch/internal/join"
)

// DefaultCosineRecall is the probability with which a pair whose cosine is just the one wanted is found.
const DefaultCosineRecall = 0.99

// Cosine is the kind of weighted features by their cosine. Candidates are within the distance that fingerprint.CosineDistance gives for
// it and for the recall. The cosine is exact where the index keeps texts or can read their sources again; otherwise it is the
// estimate by the distance of the fingerprints.
var Cosine = &Kind{
	Key: "cosine", Usage: "near is a cosine of the weighted words of at least `T`",
	Name: "a cosine", Short: "cosine",
	Fingerprints: true, Weighted: "weighted words", Recall: DefaultCosineRecall,
	Exactly:    "the cosine is verified by texts, where there are any",
	NoDistance: "--cosine chooses the distance of its candidates",
	NoNearest:  "those within a cosine come the nearest first: use --limit",
	NoNew:      "earlier records are remembered by their fingerprints or sets",
	NoWatch:    "the sources of candidates are not read while documents arrive",
	measure:    measureCosine,
	open:       newByCosine,
}

// measureCosine compares the weighted features of two texts.
func measureCosine(a *analysis.Analysis, x, y *analysis.Result) (m Measures, err error) {
	v, errV := vectorOf(a, x.Text)
	w, errW := vectorOf(a, y.Text)
	if v != nil && w != nil {
		m.Value = v.cosine(w)
	}
	m.Distance = distanceOf(x, y)
	return m, cmp.Or(errV, errW)
}

// byCosine verifies what is within a distance by the cosine of the weighted features that fingerprints are made of: by
// the features of its text, which is analysed again, or by the estimate from the distance if there is no text.
type byCosine struct {
	ix      *Snapshot
	p       Predicate
	sources SourceReader
	reading sync.Mutex // of sources, which are read one at a time

	// The vectors of documents that were compared last. Pairs come in the order of their first document, and near
	// documents have many pairs.
	mu       sync.Mutex
	recent   map[uint32]*vector
	features int // of recent
}

// recentFeatures is how many features recent vectors have, of 16 bytes: 64 MiB.
const recentFeatures = 1 << 22

func newByCosine(ix *Snapshot, p Predicate, sources SourceReader) criterion {
	p.Recall = cmp.Or(p.Recall, DefaultCosineRecall)
	c := &byCosine{ix: ix, p: p, sources: sources}
	bits := ix.Settings().Bits
	// The estimate alone decides without texts, so that what it refuses need not be found.
	k := fingerprint.EstimatedWithin(c.p.Threshold, bits)
	if ix.Keep() != KeepNothing {
		k = max(k, fingerprint.CosineDistance(c.p.Threshold, c.p.Recall, bits))
	}
	return &verified[uint32]{byDistance{ix, k}, c, true}
}

func (c *byCosine) query(r *analysis.Result, stats *Stats) (func(m *Match) (bool, error), error) {
	asked := sync.OnceValues(func() (*vector, error) { return vectorOf(c.ix.analysis, r.Text) }) // most queries have no candidate
	return func(m *Match) (near bool, err error) {
		query, err := asked()
		var v *vector
		if err == nil && query != nil {
			v, err = c.vector(m.Document)
		}
		if err != nil {
			return false, err
		}
		stats.Add(Stats{Verified: 1})
		m.Value, m.Estimate = c.compare(query, v, m.Distance)
		return m.Value >= c.p.Threshold, nil
	}, nil
}

// compare returns the cosine of two vectors, or the estimate by the distance if one is nil.
func (c *byCosine) compare(x, y *vector, distance int) (cosine float64, estimated bool) {
	if x == nil || y == nil {
		return fingerprint.Cosine(distance, c.ix.Settings().Bits), true
	}
	return x.cosine(y), false
}

func (c *byCosine) pair(p *join.Pair) (near bool, err error) {
	x, err := c.vector(p.A)
	if err != nil {
		return false, err
	}
	y, err := c.vector(p.B)
	if err != nil {
		return false, err
	}
	p.Value, p.Estimate = c.compare(x, y, p.Distance)
	return p.Value >= c.p.Threshold, nil
}

// identity returns the document itself: equal fingerprints do not make equal weights.
func (c *byCosine) identity(doc uint32) (uint32, bool, error) { return doc, true, nil }

func (c *byCosine) how() string {
	if c.ix.Keep() == KeepNothing {
		return fmt.Sprintf("; the index keeps no texts, so that the estimate cos(π·distance/%d) decides", c.ix.Settings().Bits)
	}
	of := "the texts that are kept"
	if c.ix.Keep() == KeepSource {
		of = "the sources, read again"
	}
	return fmt.Sprintf(", where a pair with a cosine of %v is with probability %v; verified by the weighted features of %s", c.p.Threshold, c.p.Recall, of)
}

// cosinesMeasured is the number of documents up to which all of a group are compared with all: texts are analysed again.
const cosinesMeasured = 300

func (c *byCosine) measure(ctx context.Context, g *Group) (err error) {
	return measureDistinct(ctx, g, c.p, cosinesMeasured, func(doc uint32) (uint32, bool, error) { return doc, true, nil },
		func(x, y uint32) (m Measures, err error) {
			p := join.Pair{A: x, B: y}
			if p.Distance, err = c.ix.Distance(x, y); err == nil {
				_, err = c.pair(&p)
			}
			return p.Measures, err
		})
}

// text is Snapshot.textIfThere for several goroutines.
func (c *byCosine) text(doc uint32) ([]byte, error) {
	if c.ix.Keep() == KeepSource {
		c.reading.Lock()
		defer c.reading.Unlock()
	}
	return c.ix.textIfThere(doc, c.sources)
}

// vector returns the weighted features of a document, or nil if there is no text.
func (c *byCosine) vector(doc uint32) (*vector, error) {
	c.mu.Lock()
	v, ok := c.recent[doc]
	c.mu.Unlock()
	if ok {
		return v, nil
	}
	text, err := c.text(doc)
	if err == nil {
		v, err = vectorOf(c.ix.analysis, text)
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	size := 8 // of the entry itself
	if v != nil {
		size += len(v.features)
	}
	if c.recent == nil || c.features+size > recentFeatures {
		c.recent, c.features = map[uint32]*vector{}, 0
	}
	c.recent[doc] = v
	c.features += size
	return v, nil
}

// vectorOf returns the weighted features of a text, or nil if it is empty.
func vectorOf(a *analysis.Analysis, text []byte) (*vector, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var s analysis.Scratch
	features, weights, err := a.FingerprintWeights(&s, text)
	if err != nil {
		return nil, err
	}
	v := &vector{append([]uint64(nil), features...), weights, 0}
	for _, w := range weights {
		v.square += float64(w) * float64(w)
	}
	return v, nil
}

// A vector is features, as ascending hashes, and their weights in fixed point.
type vector struct {
	features []uint64
	weights  []int64
	square   float64 // the sum of the squares of the weights
}

// cosine returns the cosine of the angle between two vectors, in [0, 1]. explain.Cosine is the reference.
func (v *vector) cosine(w *vector) float64 {
	if v.square == 0 || w.square == 0 {
		return 0
	}
	dot := 0.0
	for i, j := 0, 0; i < len(v.features) && j < len(w.features); {
		switch x, y := v.features[i], w.features[j]; {
		case x < y:
			i++
		case y < x:
			j++
		default:
			dot += float64(v.weights[i]) * float64(w.weights[j])
			i++
			j++
		}
	}
	return min(1, dot/math.Sqrt(v.square*w.square))
}
