package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/fingerprint"
	"simsearch/hamming"
)

// Bits of hyperplanes differ with the probability θ/π, even for vectors of two features, for which bits of hashes
// do not; and the errors are those of the theory.
func TestHyperplanesDifferByTheAngle(t *testing.T) {
	t.Parallel()
	const bits, trials = 64, 600
	for _, tt := range []struct {
		wa, wb []int64
		angle  float64 // by hand
	}{
		{[]int64{1, 0}, []int64{0, 1}, math.Pi / 2},
		{[]int64{1, 1}, []int64{1, 0}, math.Pi / 4},
		{[]int64{3, 0}, []int64{3, 3}, math.Pi / 4},
		{[]int64{1, 1, 0}, []int64{0, 1, 1}, math.Pi / 3},
	} {
		set := []uint64{5, 7, 11}[:len(tt.wa)]
		differing := 0
		var m moments
		for seed := range uint64(trials) {
			d := hamming.Distance(newNormals(seed, bits).sketch(set, tt.wa), newNormals(seed, bits).sketch(set, tt.wb))
			differing += d
			m.add(math.Cos(tt.angle), fingerprint.Cosine(d, bits))
		}
		p := tt.angle / math.Pi
		if got := float64(differing) / (bits * trials); math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/(bits*trials)) {
			t.Errorf("%v, %v: a share of %.4f differs, want %.4f", tt.wa, tt.wb, got, p)
		}
		deviation := m.deviation()
		if want := estimateError(math.Cos(tt.angle), bits); math.Abs(deviation/want-1) > 5/math.Sqrt(2*trials) {
			t.Errorf("%v, %v: a deviation of %.4f, in theory %.4f", tt.wa, tt.wb, deviation, want)
		}
	}
	// Of one bit, the estimate is 1 or −1, with a deviation of 2√(p(1−p)).
	if got := estimateError(0.5, 1); math.Abs(got-2*math.Sqrt(2./9)) > 1e-12 {
		t.Errorf("one bit: %v", got)
	}
	if got := estimateError(1, 64); got > 1e-12 {
		t.Errorf("equal vectors: %v", got)
	}
}

// The distance by sums over both sets is that of dense vectors.
func TestEuclidean(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		var dense [2][30]float64
		var sets [2][]uint64
		var weights [2][]int64
		for side := range 2 {
			for i := range dense[side] {
				if r.IntN(2) == 0 {
					w := 1 + r.Int64N(3*fingerprint.WeightOne)
					dense[side][i] = float64(w) / fingerprint.WeightOne
					sets[side], weights[side] = append(sets[side], uint64(i)), append(weights[side], w)
				}
			}
		}
		want := 0.0
		for i := range dense[0] {
			want += (dense[0][i] - dense[1][i]) * (dense[0][i] - dense[1][i])
		}
		if got := euclideanOf(sets[0], weights[0], sets[1], weights[1]); math.Abs(got-math.Sqrt(want)) > 1e-9 {
			t.Fatalf("%v, want %v", got, math.Sqrt(want))
		}
	}
	if got := euclideanOf([]uint64{1, 2}, []int64{3 * fingerprint.WeightOne, fingerprint.WeightOne}, []uint64{2, 9}, []int64{fingerprint.WeightOne, 4 * fingerprint.WeightOne}); got != 5 {
		t.Errorf("a triangle of 3, 4 and 5: %v", got)
	}
}

// Sketches are of distinct pairs and do not depend on the number of threads.
func TestHyperplaneSketches(t *testing.T) {
	t.Parallel()
	texts, _ := generated()
	var first map[uint32]uint64
	for _, threads := range []int{1, 3} {
		c := load(t, texts, nil, LoadOptions{Truth: "word:3", Threads: threads})
		pairs := c.sample()
		sketches, of, err := hyperplaneSketches(t.Context(), c, pairs)
		if err != nil || len(of) != len(pairs) {
			t.Fatalf("%d of %d pairs, %v", len(of), len(pairs), err)
		}
		slices.SortFunc(of, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
		if !slices.Equal(of, pairs) {
			t.Error("other pairs than those of the sample")
		}
		for doc, sketch := range sketches {
			if want := newNormals(c.seed, 64).sketch(c.Sets[doc], c.Weights[doc]); sketch != want || first != nil && first[doc] != want {
				t.Errorf("document %d: %x, want %x", doc, sketch, want)
			}
		}
		first = sketches
	}
}
