package minhash

import (
	"math"
	"testing"
)

// The rule of three: of k positions that all agree, the similarity is at least about 1 − 3/k.
func TestRange(t *testing.T) {
	for _, k := range []int{1, 16, 128, 1024} {
		low, high := Range(1, k)
		if high != 1 || math.Abs(math.Pow(low, float64(k))-0.05) > 1e-12 || k > 100 && math.Abs(low-(1-3/float64(k))) > 0.02*3/float64(k)+1e-3 {
			t.Errorf("%d positions agree: %v to %v", k, low, high)
		}
		none, bound := Range(0, k)
		if none != 0 || math.Abs(bound-(1-low)) > 1e-12 {
			t.Errorf("none of %d positions agrees: %v to %v", k, none, bound)
		}
	}
	if low, high := Range(0.5, 100); math.Abs(low-0.402) > 1e-3 || math.Abs(high-0.598) > 1e-3 {
		t.Errorf("half of 100 positions: %v to %v", low, high)
	}
	if low, high := Range(0.01, 100); low != 0 || high > 0.03 {
		t.Errorf("one of 100 positions: %v to %v", low, high)
	}
}
