package fingerprint

// Sums has for each bit of a hash the sum of the weights of the features that have it set. It follows the
// definition of the fingerprint. Unit and Weighted are faster. The zero value has no features.
type Sums struct {
	set   [64]int64
	total int64
}

// Add adds a feature. Weights are positive integers, or fixed-point numbers. The sum of all weights must
// be below 2^62.
func (s *Sums) Add(hash uint64, weight int64) {
	s.total += weight
	for j := range s.set {
		if hash>>j&1 == 1 {
			s.set[j] += weight
		}
	}
}

// Fingerprint returns the fingerprint of the features that were added. bits is 64 or 32. ok is false if
// there are no features.
func (s *Sums) Fingerprint(bits int) (fp uint64, ok bool) {
	for j := range bits {
		if 2*s.set[j] >= s.total { // V[j], the weight of the features with bit j less that of the others, is not negative
			fp |= 1 << j
		}
	}
	return fp, s.total > 0
}
