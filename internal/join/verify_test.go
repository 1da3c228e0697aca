package join

import (
	"slices"
	"testing"

	"simsearch/minhash"
)

// Signatures pass from the first number of positions at which the estimate reaches the threshold.
func TestVerifierPassesFromTheLeast(t *testing.T) {
	t.Parallel()
	for _, positions := range []int{16, 64, 128, 200} {
		for _, threshold := range []float64{0.01, 0.3, 0.5, 0.75, 0.99, 1} {
			for _, how := range []Verification{Exact, BySignature, Unverified} {
				v := NewVerifier(threshold, how, minhash.VariantFast, positions)
				a, b := make([]byte, positions), slices.Repeat([]byte{1}, positions)
				for agree := 0; ; agree++ {
					j, ok := v.estimate(a, b)
					if want := agree >= v.least; ok != want {
						t.Errorf("%d positions, %v, %v: %d agree, of %d at least: %v", positions, threshold, how, agree, v.least, ok)
					}
					if how == BySignature && ok != (j >= threshold) {
						t.Errorf("%d positions, threshold %v: an estimate of %v passes: %v", positions, threshold, j, ok)
					}
					if agree == positions {
						break
					}
					b[agree] = 0
				}
			}
		}
	}
}
