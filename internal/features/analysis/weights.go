package analysis

import (
	"simsearch/fingerprint"
)

// Weights returns the set of the features of text, as Set does, and the weight of each feature in
// fixed point: fingerprint.WeightOne is 1.0. The set is a part of s and valid until s is used again. The error
// is that of Fingerprint.
func (a *Analysis) Weights(s *Scratch, text []byte) (set []uint64, weights []int64, err error) {
	set = a.Set(s, text)
	weights, err = a.weighHashed(s, set)
	return set, weights, err
}

// FingerprintWeights is Weights for the features of the fingerprint of text.
func (a *Analysis) FingerprintWeights(s *Scratch, text []byte) (features []uint64, weights []int64, err error) {
	a.hash(s, text)
	features = s.distinct()
	weights, err = a.weighHashed(s, features)
	return features, weights, err
}

// weighHashed returns the weights of set, the distinct ones of the hashed features.
func (a *Analysis) weighHashed(s *Scratch, set []uint64) ([]int64, error) {
	weights := make([]int64, 0, len(set))
	counts := make(map[uint64]int64, len(set))
	for _, h := range s.hashes {
		counts[h]++
	}
	for _, h := range set {
		w, err := a.weigh(h, counts[h])
		if err != nil {
			return nil, err
		}
		weights = append(weights, w)
	}
	return weights, nil
}

// Weight returns the weight of a feature that occurs count times in a document, in fixed point:
// fingerprint.WeightOne is 1.0. The error is that of Fingerprint.
func (a *Analysis) Weight(feature string, count int64) (int64, error) {
	return a.weigh(a.settings.hashFeature(a.settings.Features, []byte(feature)), count)
}

// weigh is Weight for the hash of a feature.
func (a *Analysis) weigh(hash uint64, count int64) (int64, error) {
	switch a.settings.Weights {
	case fingerprint.Set:
		return fingerprint.WeightOne, nil
	case fingerprint.LogTF:
		return int64(fingerprint.LogCount(uint32(count))), nil
	case fingerprint.TFIDF:
		if a.idf == nil {
			return 0, ErrNotLearnt
		}
		weights, err := a.idf.Weights(nil, []uint64{hash})
		if err != nil {
			return 0, err
		}
		return count * int64(weights[0]), nil
	}
	return count * fingerprint.WeightOne, nil
}
