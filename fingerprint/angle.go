package fingerprint

import "math"

// CosineDistance returns the least distance k, in [0, bits], within which the fingerprints of two weighted
// vectors with the given cosine, in (0, 1], lie with probability recall or more. recall is in (0, 1]; with 1
// it is bits, unless the cosine is 1.
//
// A bit differs with probability p = θ/π (see Cosine), and the bits are taken to be independent, as those
// of random hyperplanes are: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC
// 2002, section 3. So the distance has a binomial distribution, of which k is a quantile.
func CosineDistance(cosine, recall float64, bits int) int {
	p := math.Acos(min(1, cosine)) / math.Pi
	chance := math.Pow(1-p, float64(bits)) // that the distance is k
	sum := chance
	k := 0
	for ; k < bits && (sum < recall || recall == 1 && p > 0); k++ {
		chance *= float64(bits-k) / float64(k+1) * p / (1 - p)
		sum += chance
	}
	return k
}

// EstimatedWithin returns the largest distance, in [0, bits], at which the estimate Cosine is at least the
// given cosine, in (0, 1].
func EstimatedWithin(cosine float64, bits int) int {
	k := 0
	for k < bits && Cosine(k+1, bits) >= cosine {
		k++
	}
	return k
}

// SimilarityDistance returns the largest distance of fingerprints of the given number of bits whose
// Similarity is at least s, in [0, 1]: 3 of 64 bits for 0.95. Similarities of 32 and 64 bits are exact.
func SimilarityDistance(s float64, bits int) int { return max(0, min(bits, int((1-s)*float64(bits)))) }
