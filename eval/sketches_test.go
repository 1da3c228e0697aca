package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/match/lsh"
	"simsearch/minhash"
)

// A curve counts what a loop over all pairs does.
func TestCurveCounts(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Bands: []lsh.Bands{{Bands: 8, Rows: 16}, {Bands: 20, Rows: 5}}})
	if err := c.sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, b := range otherBands(c) {
		var pairs [][2]uint32
		missed, vain := 0, 0
		for x := range uint32(c.Len()) {
			for y := x + 1; y < uint32(c.Len()); y++ {
				if len(c.Sets[x]) == 0 || len(c.Sets[y]) == 0 {
					continue
				}
				pairs = append(pairs, [2]uint32{x, y})
				agree := false
				for i := range b.Bands {
					at := i * b.Rows
					agree = agree || string(c.signatures[x][at:at+b.Rows]) == string(c.signatures[y][at:at+b.Rows])
				}
				switch near := c.jaccard(x, y) >= 0.8; {
				case near && !agree:
					missed++
				case !near && agree:
					vain++
				}
			}
		}
		jaccards, err := measurePairs(t.Context(), c, pairs, c.jaccard)
		if err != nil {
			t.Fatal(err)
		}
		m := &curve{bands: b}
		for i, p := range pairs {
			m.add(jaccards[0][i], c.candidates(p[0], p[1], b))
		}
		if m.missed.n != missed || m.vain.n != vain {
			t.Errorf("%v: %d missed and %d in vain, want %d and %d", b, m.missed.n, m.vain.n, missed, vain)
		}
	}
	m := &curve{bands: lsh.Bands{Bands: 20, Rows: 5}}
	r := rand.New(rand.NewPCG(4, 4))
	for range 20_000 {
		j := r.Float64()
		m.add(j, r.Float64() < m.bands.Probability(j))
	}
	missed, vain := m.missed, m.vain
	if math.Abs(missed.predicted-float64(missed.n)) > 5*math.Sqrt(missed.predicted)+1 || math.Abs(vain.predicted-float64(vain.n)) > 5*math.Sqrt(vain.predicted) {
		t.Errorf("predicted %.1f missed and %.1f in vain, counted %d and %d", missed.predicted, vain.predicted, missed.n, vain.n)
	}
}

// Sketches without positions are measured without an index of them, and named bands as others are.
func TestEveryKindOfSketchIsMeasured(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	for _, v := range minhash.Variants() {
		o := LoadOptions{Truth: "word:3"}
		o.Settings = analysis.Classic()
		o.Settings.Mode, o.Settings.Positions, o.Settings.Sketch = analysis.Both, analysis.DefaultPositions, v
		c := load(t, texts, clusters, o)
		if err := c.sign(t.Context()); err != nil {
			t.Fatal(err)
		}
		n, sum := 0, 0.0
		for _, p := range c.sample() {
			if j := c.jaccard(p[0], p[1]); j > 0.5 {
				sum += math.Abs(c.estimate(p[0], p[1]) - j)
				n++
			}
		}
		if n < 100 || sum/float64(n) > 0.05 {
			t.Errorf("%v: a mean error of %.3f of %d pairs", v, sum/float64(n), n)
		}
		for _, e := range Experiments() {
			if e.Name != "estimates" && (e.Name != "bands" || !v.Bandable()) {
				continue
			}
			if r, err := Run(t.Context(), c, []Experiment{e}, nil); err != nil || fmt.Sprint(r.Facts) == "" {
				t.Errorf("%v: %s: %v", v, e.Name, err)
			}
		}
	}
}
