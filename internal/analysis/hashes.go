package analysis

import (
	"bytes"
	"slices"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

// combines reports whether features of a kind are hashed by their words or characters. MurmurHash3 then stands for
// fingerprint.WordGram and fingerprint.CharGram. The other hashes take an n-gram as one string, so that they agree with
// other systems.
func (s Settings) combines(f preprocess.FeatureSpec) bool {
	return s.Hash == fingerprint.Murmur3 && (f.Kind == preprocess.WordN || f.Kind == preprocess.CharN)
}

// appendHashes appends to dst the hash of each feature of s.Document, which has features of kind f.
func (s Settings) appendHashes(dst []uint64, sc *Scratch, f preprocess.FeatureSpec) []uint64 {
	switch {
	case !s.combines(f):
		text, spans := sc.Document.Features()
		return s.Hash.SumAll(dst, text, spans)
	case f.Kind == preprocess.CharN:
		return fingerprint.AppendCharGrams(dst, sc.Document.Joined(), f.N)
	}
	text, spans := sc.Document.WordSpans()
	sc.words = s.Hash.SumAll(sc.words[:0], text, spans)
	return fingerprint.AppendWordGrams(dst, sc.words, f.N)
}

// HashFeature returns the hash of a feature of kind f, as it is in fingerprints and sets. It is the reference of the
// hashes of whole texts.
func (s Settings) HashFeature(f preprocess.FeatureSpec, feature []byte) uint64 {
	switch {
	case !s.combines(f):
		return s.Hash.Sum(feature)
	case f.Kind == preprocess.CharN:
		return fingerprint.CharGram(feature)
	}
	var words []uint64
	for word := range bytes.SplitSeq(feature, []byte{' '}) {
		words = append(words, s.Hash.Sum(word))
	}
	return fingerprint.WordGram(words)
}

// AppendFeatureHashes appends to dst the hash of each feature of the fingerprint of text, as often as the feature occurs, and
// returns the extended slice. It leaves the features in sc.Document.
func (a *Analysis) AppendFeatureHashes(dst []uint64, sc *Scratch, text []byte) []uint64 {
	a.Features(sc, text)
	return a.settings.appendHashes(dst, sc, a.settings.Features)
}

// EachFeature calls do with each feature of the set of text, and its hash in the set, in the order of the text: as often
// as it occurs. The feature is a part of s and valid until s is used again.
func (a *Analysis) EachFeature(s *Scratch, text []byte, do func(hash uint64, feature []byte)) {
	set := a.Set(s, text)
	for i, hash := range s.hashes {
		if _, has := slices.BinarySearch(set, hash); has {
			do(hash, s.Document.Feature(i))
		}
	}
}
