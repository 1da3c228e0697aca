package fingerprint

// Sums holds, for each bit of the hash, the weights of the features that have it
// set. It is the definition written out; Unit is the fast way for weights of one.
// The zero value has no features.
type Sums struct {
	set   [64]int64
	total int64
}

// Add counts a feature. Weights are positive integers whose sum must stay below
// 2^62: fixed point, if fractions are wanted.
func (s *Sums) Add(hash uint64, weight int64) {
	s.total += weight
	for j := range s.set {
		if hash>>j&1 == 1 {
			s.set[j] += weight
		}
	}
}

// Margin returns V[j], the weight of the features with bit j set less that of the
// others, j in [0, 64).
func (s *Sums) Margin(j int) int64 { return 2*s.set[j] - s.total }

// Total returns the sum of all weights.
func (s *Sums) Total() int64 { return s.total }

// Fingerprint returns the fingerprint of the features added, of 64 or 32 bits; ok
// is false if there are none.
func (s *Sums) Fingerprint(bits int) (fp uint64, ok bool) {
	for j := range bits {
		if s.Margin(j) >= 0 {
			fp |= 1 << j
		}
	}
	return fp, s.total > 0
}
