package fingerprint

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestSimilarityDistance(t *testing.T) {
	for _, tt := range []struct {
		s    float64
		bits int
		want int
	}{{0.95, 64, 3}, {1, 64, 0}, {0, 64, 64}, {0.5, 64, 32}, {0.9, 64, 6}, {0.95, 32, 1}, {1 - 3.0/64, 64, 3}, {0.953125, 64, 3}, {0.96, 64, 2}, {0, 32, 32}} {
		if got := SimilarityDistance(tt.s, tt.bits); got != tt.want {
			t.Errorf("similarity %v of %d bits: distance %d, want %d", tt.s, tt.bits, got, tt.want)
		}
	}
	for _, width := range []int{32, 64} {
		for k := range width + 1 {
			if got := SimilarityDistance(Similarity(k, width), width); got != k {
				t.Errorf("the similarity of distance %d of %d bits has distance %d", k, width, got)
			}
			if got := SimilarityDistance(Similarity(k, width)+1e-12, width); k > 0 && got != k-1 {
				t.Errorf("a similarity above that of distance %d of %d bits has distance %d", k, width, got)
			}
		}
	}
}

func TestEstimatedWithin(t *testing.T) {
	for _, cosine := range []float64{1, 0.999, 0.95, 0.9, 0.5, 0.01} {
		k := EstimatedWithin(cosine, 64)
		if Cosine(k, 64) < cosine || Cosine(k+1, 64) >= cosine {
			t.Errorf("cosine %v: %d bits, whose estimate is %v, and %v of the next", cosine, k, Cosine(k, 64), Cosine(k+1, 64))
		}
	}
	for k := range 32 {
		if got := EstimatedWithin(Cosine(k, 64), 64); got != k {
			t.Errorf("the estimate of %d bits is that of %d", k, got)
		}
	}
}

// Bits that differ with the probability of the angle are within the distance as often as promised, and within
// one bit less are not.
func TestCosineDistanceKeepsItsRecall(t *testing.T) {
	const pairs = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	for _, cosine := range []float64{0.95, 0.8, 0.3} {
		var distances [65]int
		p := math.Acos(cosine) / math.Pi
		for range pairs {
			var differ uint64
			for bit := range 64 {
				if r.Float64() < p {
					differ |= 1 << bit
				}
			}
			distances[bits.OnesCount64(differ)]++
		}
		within := func(k int) float64 {
			n := 0
			for d := range k + 1 {
				n += distances[d]
			}
			return float64(n) / pairs
		}
		for _, recall := range []float64{0.5, 0.9, 0.99} {
			k := CosineDistance(cosine, recall, 64)
			const noise = 0.005
			if within(k) < recall-noise || within(k-1) > recall+noise {
				t.Errorf("cosine %v, recall %v: %d bits find %v, and a bit less %v", cosine, recall, k, within(k), within(k-1))
			}
		}
	}
	for _, tt := range []struct {
		cosine, recall float64
		want           int
	}{{1, 1, 0}, {1, 0.99, 0}, {0.9, 1, 64}} {
		if got := CosineDistance(tt.cosine, tt.recall, 64); got != tt.want {
			t.Errorf("cosine %v, recall %v: %d bits, want %d", tt.cosine, tt.recall, got, tt.want)
		}
	}
}
