package join

import (
	"math"
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

// Of the pairs at the threshold, the signatures of hardly one in two thousand say that its sets need not be compared,
// and of pairs far below it, those of most do.
func TestVerifierDoubts(t *testing.T) {
	t.Parallel()
	for _, positions := range []int{64, 128, 512} {
		for _, threshold := range []float64{0.5, 0.8, 0.9} {
			v := NewVerifier(threshold, Exact, minhash.VariantIndependent, positions)
			pass := func(j float64) (sum float64) { // the probability that enough positions agree
				p := j + (1-j)/256
				for agree := v.least; agree <= positions; agree++ {
					n, k := float64(positions), float64(agree)
					all, _ := math.Lgamma(n + 1)
					these, _ := math.Lgamma(k + 1)
					others, _ := math.Lgamma(n - k + 1)
					sum += math.Exp(all - these - others + k*math.Log(p) + (n-k)*math.Log(1-p))
				}
				return sum
			}
			if at, below := pass(threshold), pass(threshold-0.4); at < 0.9995 || below > 0.1 {
				t.Errorf("%d positions, threshold %v: %.5f of the pairs at it pass, and %.5f of those below", positions, threshold, at, below)
			}
		}
	}
}
