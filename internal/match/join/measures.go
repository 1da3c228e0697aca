package join

import "cmp"

// Measures say how near two documents are, or those of a group: as near as the two that are the least near. A search
// fills in what it is about, and zeros are the rest.
type Measures struct {
	Distance int // of the fingerprints in bits, or NoDistance
	// Value is what is compared beside a distance, such as the Jaccard similarity of sets: the more, the nearer.
	Value float64
	// Jaccard is the similarity of the sets where a judge of texts is asked beside it, whose answer is Value.
	Jaccard float64
}

// NoDistance is the distance where one of two documents has no fingerprint.
const NoDistance = -1

// Compare is less than 0 if m is nearer than other, and 0 if they are equally near.
func (m *Measures) Compare(other *Measures) int {
	if m.Value != other.Value {
		return cmp.Compare(other.Value, m.Value)
	}
	return cmp.Compare(m.Distance, other.Distance)
}

// Farthest makes m as far as other where that is farther.
func (m *Measures) Farthest(other *Measures) {
	m.Value, m.Distance, m.Jaccard = min(m.Value, other.Value), max(m.Distance, other.Distance), min(m.Jaccard, other.Jaccard)
}
