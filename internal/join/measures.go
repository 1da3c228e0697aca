package join

import "cmp"

// Measures say how near two documents are, or those of a group: as near as the two that are the least near. A search fills in
// what it is about, and zeros are the rest.
type Measures struct {
	Distance int     // of the fingerprints in bits, or NoDistance
	Jaccard  float64 // the similarity of the sets, in [0, 1]
	// Cosine is that of the weighted features, in [0, 1]. CosineEstimated says that it follows from a distance, since a
	// text could not be read; it is in [-1, 1] then.
	Cosine          float64
	CosineEstimated bool
}

// NoDistance is the distance where one of two documents has no fingerprint.
const NoDistance = -1

// Compare is less than 0 if m is nearer than other, and 0 if they are equally near.
func (m *Measures) Compare(other *Measures) int {
	if m.Cosine != other.Cosine {
		return cmp.Compare(other.Cosine, m.Cosine)
	}
	if m.Distance != other.Distance {
		return cmp.Compare(m.Distance, other.Distance)
	}
	return cmp.Compare(other.Jaccard, m.Jaccard)
}
