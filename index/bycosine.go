package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
)

// byCosine searches by the cosine of the weighted features that fingerprints are made of. Fingerprints within
// a distance are candidates. A candidate is verified by the features of its text, which is analysed again,
// or by the estimate from the distance if there is no text.
type byCosine struct {
	ix      *Snapshot
	cosine  float64
	recall  float64
	d       byDistance
	sources SourceReader
	reading sync.Mutex // of sources, which are read one at a time
	recent  recentVectors
}

func (ix *Snapshot) newByCosine(p Predicate, sources SourceReader) *byCosine {
	c := &byCosine{ix: ix, cosine: p.Cosine, recall: cmp.Or(p.Recall, DefaultCosineRecall), d: byDistance{ix: ix}, sources: sources}
	bits := ix.Settings().Bits
	// The estimate alone decides without texts, so that what it refuses need not be found.
	if c.d.k = fingerprint.EstimatedWithin(c.cosine, bits); ix.Keep() != KeepNothing {
		c.d.k = max(c.d.k, fingerprint.CosineDistance(c.cosine, c.recall, bits))
	}
	return c
}

func (c *byCosine) near(ctx context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	var near gather.One
	if err := c.d.near(ctx, r, &near, stats); err != nil || len(near.Found) == 0 {
		return err
	}
	query, err := c.vectorOf(r.Text)
	if err != nil {
		return err
	}
	for i, m := range near.Found {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var v *vector
		if query != nil {
			if v, err = c.vector(m.Document); err != nil {
				return err
			}
		}
		if m.Cosine, m.CosineEstimated = c.compare(query, v, m.Distance); m.Cosine >= c.cosine {
			g.Found = append(g.Found, m)
		}
	}
	stats.Add(Stats{Candidates: int64(len(near.Found)), Verified: int64(len(near.Found))})
	return nil
}

// lookEvery is the number of candidates between two checks whether the context is done.
const lookEvery = 64

// compare returns the cosine of two vectors, or the estimate by the distance if one is nil.
func (c *byCosine) compare(x, y *vector, distance int) (cosine float64, estimated bool) {
	if x == nil || y == nil {
		return fingerprint.Cosine(distance, c.ix.Settings().Bits), true
	}
	return x.cosine(y), false
}

func (c *byCosine) nearAll(ctx context.Context, batch *analysis.Batch, h *gather.Many, stats *Stats) error {
	return eachAlone(ctx, batch, h, stats, c.near)
}

func (c *byCosine) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	docs, fps, err := c.ix.allFingerprints()
	if err != nil {
		return err
	}
	of := make([]join.Fingerprinted[uint32], len(docs))
	for i, doc := range docs {
		// No two documents are equal: equal fingerprints do not make equal weights.
		of[i] = join.Fingerprinted[uint32]{Document: doc, Fingerprint: fps[i], Identity: doc}
	}
	if o.Explain != nil {
		o.Explain(fmt.Sprintf("pairs of fingerprints within %d bits%s", c.d.k, c.verification()))
	}
	verify := func(p *join.Pair) (near bool, err error) {
		p.Cosine, p.CosineEstimated, err = c.cosineOf(p.A, p.B, p.Distance)
		return p.Cosine >= c.cosine, err
	}
	return join.ByBoth(ctx, c.ix.Len(), of, c.ix.Settings().Bits, c.d.k, o, verify, yield)
}

func (c *byCosine) explain(s *segment.Segment) (string, bool) {
	how, _ := c.d.explain(s)
	return how + c.verification(), false
}

// verification says what is found by the distance, and how it is verified.
func (c *byCosine) verification() string {
	if c.ix.Keep() == KeepNothing {
		return fmt.Sprintf("; the index keeps no texts, so that the estimate cos(π·distance/%d) decides", c.ix.Settings().Bits)
	}
	of := "the texts that are kept"
	if c.ix.Keep() == KeepSource {
		of = "the sources, read again"
	}
	return fmt.Sprintf(", where a pair with a cosine of %v is with probability %v; verified by the weighted features of %s", c.cosine, c.recall, of)
}

func (c *byCosine) group(ctx context.Context, chain bool, o join.Options) ([]uint32, error) {
	return groupPairs(ctx, c.ix, c.join, chain, o, nil) // no two documents are equal
}

// cosinesMeasured is the number of documents up to which all of a group are compared with all: texts are analysed again.
const cosinesMeasured = 300

func (c *byCosine) measure(ctx context.Context, g *Group) (err error) {
	representative := slices.Index(g.Documents, g.Representative)
	g.Cosine = 1
	g.Estimated, err = join.Comparisons(ctx, len(g.Documents), representative, cosinesMeasured, func(i, j int) error {
		if i == j {
			return nil
		}
		a, b := g.Documents[i], g.Documents[j]
		distance, err := c.ix.distance(a, b)
		if err != nil {
			return err
		}
		cosine, estimated, err := c.cosineOf(a, b, distance)
		g.Cosine, g.Distance, g.CosineEstimated = min(g.Cosine, cosine), max(g.Distance, distance), g.CosineEstimated || estimated
		return err
	})
	g.Apart = g.Cosine < c.cosine
	return err
}

// cosineOf returns the cosine of two documents whose fingerprints are at a distance, or the estimate by that.
func (c *byCosine) cosineOf(a, b uint32, distance int) (cosine float64, estimated bool, err error) {
	x, err := c.vector(a)
	if err != nil {
		return 0, false, err
	}
	y, err := c.vector(b)
	if err != nil {
		return 0, false, err
	}
	cosine, estimated = c.compare(x, y, distance)
	return cosine, estimated, nil
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
	if v, ok := c.recent.get(doc); ok {
		return v, nil
	}
	text, err := c.text(doc)
	if err != nil {
		return nil, err
	}
	v, err := c.vectorOf(text)
	if err == nil {
		c.recent.put(doc, v)
	}
	return v, err
}

// vectorOf returns the weighted features of a text, or nil if it is empty.
func (c *byCosine) vectorOf(text []byte) (*vector, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var s analysis.Scratch
	features, weights, err := c.ix.analysis.FingerprintWeights(&s, text)
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

// recentVectors are the vectors of documents that were compared last. Pairs come in the order of their first
// document, and near documents have many pairs.
type recentVectors struct {
	mu       sync.Mutex
	of       map[uint32]*vector
	features int
}

// recentFeatures is how many features recentVectors hold, of 16 bytes: 64 MiB.
const recentFeatures = 1 << 22

func (r *recentVectors) get(doc uint32) (v *vector, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok = r.of[doc]
	return v, ok
}

func (r *recentVectors) put(doc uint32, v *vector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := 8 // of the entry itself
	if v != nil {
		size += len(v.features)
	}
	if r.of == nil || r.features+size > recentFeatures {
		r.of, r.features = map[uint32]*vector{}, 0
	}
	r.of[doc] = v
	r.features += size
}
