package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/analysis"
	"simsearch/lsh"
	"simsearch/minhash"
)

// The errors of independent functions are those of the theory, fast and bottom-k sketches are no worse, and
// elements drawn at random find too little. The bounds are five standard deviations.
func TestErrorsOfEstimates(t *testing.T) {
	t.Parallel()
	const trials, positions, size = 400, 50, 200
	by := map[string]sketchErrors{}
	for _, e := range estimators() {
		by[e.name] = measureErrors(e, size, positions, 0.5, trials, 3)
	}
	_, _, exact := overlapping(size, 0.5, 0)
	theory := minhash.StandardError(exact, positions)
	biasOf := func(m sketchErrors) float64 { return m.diff / float64(m.n) }
	for _, v := range minhash.Variants() {
		m := by[v.String()]
		if v == minhash.VariantXORMasks {
			continue
		}
		if math.Abs(biasOf(m)) > 5*theory/math.Sqrt(trials) || m.deviation() > theory*(1+5/math.Sqrt(2*trials)) || m.absolute > m.deviation() {
			t.Errorf("%v: %+v, theory %.4f", v, m, theory)
		}
	}
	if m := by["independent"]; m.deviation() < theory*(1-5/math.Sqrt(2*trials)) || math.Abs(m.absolute/m.deviation()-math.Sqrt(2/math.Pi)) > 0.1 {
		t.Errorf("independent functions: %+v, theory %.4f", m, theory)
	}
	// Of the 133 elements that both sets of 200 have, a draw of 50 has 33 in the mean, and the other draw a
	// quarter of these: 8.3 of about 91.7.
	if m := by[naive]; math.Abs(biasOf(m)-(8.3/91.7-exact)) > 0.01 {
		t.Errorf("drawn at random: %+v, exact %.3f", m, exact)
	}
	for _, e := range estimators() {
		if m := measureErrors(e, 20, 400, 0.5, 20, 1); (e.name == naive || e.name == "bottom-k") && (m.absolute != 0 || m.diffSquare != 0) {
			t.Errorf("%s of more positions than elements: %+v, want no error", e.name, m)
		}
	}
}

// Each element is drawn as often as the others, and none twice.
func TestDrawn(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	set := []uint64{2, 3, 5, 7, 11, 13, 17, 19}
	count := map[uint64]int{}
	const trials = 8000
	for range trials {
		got := drawn(r, set, 3)
		if len(got) != 3 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 3 {
			t.Fatalf("drawn %v", got)
		}
		for _, x := range got {
			count[x]++
		}
	}
	for _, x := range set {
		if math.Abs(float64(count[x])-trials*3/8) > 5*math.Sqrt(trials*3/8.*5/8) {
			t.Errorf("%d is drawn %d times of %d", x, count[x], trials)
		}
	}
	if got := drawn(r, set, 100); !slices.Equal(got, set) {
		t.Errorf("all drawn: %v", got)
	}
}

// A curve counts what a loop over all pairs does, and what it finds steepest is so.
func TestCurveCounts(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Bands: []lsh.Bands{{Bands: 8, Rows: 16}, {Bands: 20, Rows: 5}}})
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
		if m.missed != missed || m.vain != vain {
			t.Errorf("%v: %d missed and %d in vain, want %d and %d", b, m.missed, m.vain, missed, vain)
		}
	}
	m := &curve{bands: lsh.Bands{Bands: 20, Rows: 5}}
	r := rand.New(rand.NewPCG(4, 4))
	for range 20_000 {
		j := r.Float64()
		m.add(j, r.Float64() < m.bands.Probability(j))
	}
	if at, ok := m.steepest(); !ok || math.Abs(at-m.bands.Steepest()) > 0.076 {
		t.Errorf("steepest at %v, %v, want about %v", at, ok, m.bands.Steepest())
	}
	if math.Abs(m.missedPredicted-float64(m.missed)) > 5*math.Sqrt(m.missedPredicted)+1 || math.Abs(m.vainPredicted-float64(m.vain)) > 5*math.Sqrt(m.vainPredicted) {
		t.Errorf("predicted %.1f missed and %.1f in vain, counted %d and %d", m.missedPredicted, m.vainPredicted, m.missed, m.vain)
	}
}

// Sketches without positions are measured without an index of them, and named bands as others are.
func TestEveryKindOfSketchIsMeasured(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	for _, v := range minhash.Variants() {
		o := LoadOptions{Truth: "word:3", Misses: 5}
		o.Settings = analysis.Classic()
		o.Settings.Mode, o.Settings.Positions, o.Settings.Sketch = analysis.Both, analysis.DefaultPositions, v
		c := load(t, texts, clusters, o)
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
			if e.Name != "estimates" && (e.Name != "bands" && e.Name != "recall" || !v.Bandable()) {
				continue
			}
			if r, err := Run(t.Context(), c, []Experiment{e}, nil); err != nil || fmt.Sprint(r.Facts) == "" {
				t.Errorf("%v: %s: %v", v, e.Name, err)
			}
		}
	}
}
