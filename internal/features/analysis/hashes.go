package analysis

import (
	"bytes"
	"sync"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

// combines reports whether features of a kind are hashed by their words or characters. MurmurHash3 then stands for
// fingerprint.WordGram and fingerprint.CharGram. The other hashes take an n-gram as one string, so that they agree with
// other systems.
func (s Settings) combines(f preprocess.FeatureSpec) bool {
	return s.Hash == fingerprint.Murmur3 && (f.Kind == preprocess.WordN || f.Kind == preprocess.CharN)
}

// Features are those of one kind that a text has, without the stop words of a language.
type features struct {
	preprocess.FeatureSpec
	analyzer *preprocess.Analyzer
	// If stop is not nil, all is an analyser of all words, of which stop words are dropped by their hashes: those of
	// AutoLanguage, which vote for the language.
	stop *preprocess.StopHashes
	all  *preprocess.Analyzer
	// kept are those of a text that has stop words alone, which are not dropped then; nil if none are dropped.
	kept *features
}

// newFeatures returns the features of a kind without the stop words of a language.
func (s Settings) newFeatures(f preprocess.FeatureSpec, language string) (m *features, err error) {
	m = &features{FeatureSpec: f}
	if m.analyzer, err = preprocess.New(preprocess.Options{Features: f, Language: language}); err != nil {
		return nil, err
	}
	if preprocess.CanonicalLanguage(language) != preprocess.NoLanguage {
		if m.kept, err = s.newFeatures(f, preprocess.NoLanguage); err != nil {
			return nil, err
		}
	}
	byHashes := f.Kind == preprocess.Words || f.Kind == preprocess.WordN && s.combines(f) // they are all that features are made of
	if !byHashes || language != preprocess.AutoLanguage {
		return m, nil
	}
	if m.stop, err = s.stopHashes(language); err == nil {
		m.all, err = preprocess.New(preprocess.Options{})
	}
	return m, err
}

// madeStopHashes are the functions that return the preprocess.StopHashes of a language and a hash.
var madeStopHashes sync.Map

// stopHashes returns the stop words of a language by their hashes. They are made once in a process, in some
// milliseconds.
func (s Settings) stopHashes(language string) (*preprocess.StopHashes, error) {
	type key struct {
		language string
		hash     fingerprint.Hash
	}
	made, _ := madeStopHashes.LoadOrStore(key{language, s.Hash}, sync.OnceValues(func() (*preprocess.StopHashes, error) {
		return preprocess.NewStopHashes(language, s.Hash.SumAll)
	}))
	return made.(func() (*preprocess.StopHashes, error))()
}

// hash sets sc.hashes to the hashes of the features of text, each as often as it occurs: those of its
// stop words if it has no others, or Whole if it has no words. It leaves in sc.Document the features,
// or all words.
func (s Settings) hash(m *features, sc *Scratch, text []byte) {
	switch s.hashOthers(m, sc, text); {
	case len(sc.hashes) > 0:
	case m.kept != nil:
		s.hash(m.kept, sc, text)
	default:
		sc.hashes = append(sc.hashes, s.hashFeature(m.FeatureSpec, Whole(text)))
	}
}

// Whole returns the feature of a text without words: itself, without the white space around it, or the
// end of a line if there is nothing else. So such texts are near if they are equal.
func Whole(text []byte) []byte {
	if whole := bytes.TrimSpace(text); len(whole) > 0 {
		return whole
	}
	return []byte{'\n'} // no hash of it is 0
}

// hashOthers is hash, but for texts of stop words alone or without words, of which it leaves no hashes.
func (s Settings) hashOthers(m *features, sc *Scratch, text []byte) {
	if m.stop == nil {
		m.analyzer.Analyze(&sc.Document, text)
		sc.hashes = s.appendHashes(sc.hashes[:0], sc, m.FeatureSpec)
		return
	}
	m.all.Analyze(&sc.Document, text)
	words, spans := sc.Document.WordSpans()
	if m.Kind == preprocess.Words {
		sc.hashes = m.stop.Drop(&sc.Document, text, s.Hash.SumAll(sc.hashes[:0], words, spans))
		return
	}
	sc.words = m.stop.Drop(&sc.Document, text, s.Hash.SumAll(sc.words[:0], words, spans))
	sc.hashes = fingerprint.AppendWordGrams(sc.hashes[:0], sc.words, m.N)
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

// hashFeature returns the hash of a feature of kind f, as it is in fingerprints and sets. It is the reference of the
// hashes of whole texts.
func (s Settings) hashFeature(f preprocess.FeatureSpec, feature []byte) uint64 {
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
