package dedup

import "simsearch/internal/match/join"

// A relation says how near the sets of a Collection are that have features.
type relation interface {
	join.Relation
	// nearness returns the similarity of a set with another one, in [0, 1], and the share of it that the other one has.
	nearness(set, other uint32) (similarity, inside float64)
}

// similarSets are near by the Jaccard similarity of their features.
type similarSets struct{ join.Sets }

func (s *similarSets) nearness(set, other uint32) (similarity, inside float64) {
	shared, a, b := s.Shared(set, other)
	return float64(shared) / float64(a+b-shared), float64(shared) / float64(a)
}

// nearFingerprints are near by their distance.
type nearFingerprints struct{ *join.Fingerprints }

func (f nearFingerprints) nearness(set, other uint32) (similarity, inside float64) {
	return f.Similarity(set, other), 0
}

// knownSets are near by the Jaccard similarity of their features. Their near pairs are known from an earlier run.
type knownSets struct {
	join.Relation
	*stored
}

func (s knownSets) nearness(set, other uint32) (similarity, inside float64) {
	shared, a, b := s.stored.Shared(set, other)
	return float64(shared) / float64(a+b-shared), float64(shared) / float64(a)
}

// Len is that of the relation.
func (s knownSets) Len() int { return s.Relation.Len() }
