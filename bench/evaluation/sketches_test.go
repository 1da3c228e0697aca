package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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
	for _, v := range minhash.Variants() {
		m := by[v.String()]
		if v == minhash.VariantXORMasks {
			continue
		}
		if math.Abs(m.bias) > 5*theory/math.Sqrt(trials) || m.deviation() > theory*(1+5/math.Sqrt(2*trials)) || m.absolute > m.deviation() {
			t.Errorf("%v: %+v, theory %.4f", v, m, theory)
		}
	}
	if m := by["independent"]; m.deviation() < theory*(1-5/math.Sqrt(2*trials)) || math.Abs(m.absolute/m.deviation()-math.Sqrt(2/math.Pi)) > 0.1 {
		t.Errorf("independent functions: %+v, theory %.4f", m, theory)
	}
	// Of the 133 elements that both sets of 200 have, a draw of 50 has 33 in the mean, and the other draw a
	// quarter of these: 8.3 of about 91.7.
	if m := by[naive]; math.Abs(m.bias-(8.3/91.7-exact)) > 0.01 {
		t.Errorf("drawn at random: %+v, exact %.3f", m, exact)
	}
	for _, e := range estimators() {
		if m := measureErrors(e, 20, 400, 0.5, 20, 1); (e.name == naive || e.name == "bottom-k") && (m.absolute != 0 || m.square != 0) {
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
		got := drawSome(r, set, 3)
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
	if got := drawSome(r, set, 100); !slices.Equal(got, set) {
		t.Errorf("all drawn: %v", got)
	}
}
