package main

import (
	"math"
	"math/rand/v2"
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
		sum, square := 0.0, 0.0
		for seed := range uint64(trials) {
			d := hamming.Distance(newNormals(seed, bits).sketch(set, tt.wa), newNormals(seed, bits).sketch(set, tt.wb))
			differing += d
			x := fingerprint.Cosine(d, bits)
			sum, square = sum+x/trials, square+x*x/trials
		}
		p := tt.angle / math.Pi
		if got := float64(differing) / (bits * trials); math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/(bits*trials)) {
			t.Errorf("%v, %v: a share of %.4f differs, want %.4f", tt.wa, tt.wb, got, p)
		}
		deviation := math.Sqrt(square - sum*sum)
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
		if _, got := vectors(sets[0], weights[0], sets[1], weights[1]); math.Abs(got-math.Sqrt(want)) > 1e-9 {
			t.Fatalf("%v, want %v", got, math.Sqrt(want))
		}
	}
	if _, got := vectors([]uint64{1, 2}, []int64{3 * fingerprint.WeightOne, fingerprint.WeightOne}, []uint64{2, 9}, []int64{fingerprint.WeightOne, 4 * fingerprint.WeightOne}); math.Abs(got-5) > 1e-12 {
		t.Errorf("a triangle of 3, 4 and 5: %v", got)
	}
}
