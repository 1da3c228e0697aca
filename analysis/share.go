package analysis

import "simsearch/preprocess"

// A share says how much the analyses for fingerprint and set have in common.
type share uint8

const (
	shareAll   share = iota // the features are the same, or only one of the two is wanted
	shareWords              // sets have all words, fingerprints those that are no stop words
	shareNone
)

// share returns what the analyses of settings with sets have in common.
func (s Settings) share() share {
	switch {
	case !s.Fingerprints(), s.SetFeatures == s.Features && s.SetLanguage == s.Language:
		return shareAll
	case s.SetFeatures == preprocess.FeatureSpec{} && s.Features == s.SetFeatures && s.SetLanguage == preprocess.NoLanguage:
		return shareWords
	}
	return shareNone
}

// hashSet hashes the features of the set of text, and returns the set, a part of s.
func (a *Analysis) hashSet(s *Scratch, text []byte) []uint64 {
	a.hashBy(a.sets, s, text)
	return s.distinct()
}

// hashRest replaces the hashes of the features of the set, which hashSet has left, by those of the
// fingerprint.
func (a *Analysis) hashRest(s *Scratch, text []byte) {
	switch a.share {
	case shareWords:
		s.kept = a.analyzer.AppendKept(s.kept[:0], &s.Document, text)
		for i, word := range s.kept {
			s.hashes[i] = s.hashes[word]
		}
		s.hashes = s.hashes[:len(s.kept)]
	case shareNone:
		a.hash(s, text)
	}
}
