package analysis

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
	"simsearch/minhash"
	"simsearch/preprocess"
)

func TestSettingsAsJSON(t *testing.T) {
	s := Classic()
	s.Positions = 64
	s.Mode, s.Features, s.Weights, s.Hash = Both, preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.LogTF, fingerprint.MD5
	for want, s := range map[string]Settings{
		`{"mode":"simhash","features":"words","weights":"tf","lang":"en","bits":64,"hash":"murmur3","analyzer":4}`:                                                                   Classic(),
		`{"mode":"both","features":"word:3","weights":"log-tf","lang":"en","bits":64,"hash":"md5","analyzer":4,"set_features":"word:3","set_lang":"en","perms":64,"sketch":"super"}`: s.Canonical(),
		`{"mode":"both","features":"words","weights":"tf","lang":"en","bits":64,"hash":"murmur3","analyzer":4,"set_lang":"none"}`:                                                    Default(),
	} {
		got, err := json.Marshal(s)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		var back Settings
		if err := json.Unmarshal(got, &back); err != nil || back != s {
			t.Errorf("%s is read as %+v, %v", got, back, err)
		}
	}
	for _, v := range minhash.Variants() {
		s := Default()
		s.Positions, s.Sketch = 32, v
		text, err := json.Marshal(s.Canonical())
		var back Settings
		if errBack := json.Unmarshal(text, &back); err != nil || errBack != nil || back != s || back.Sketch != v || !strings.Contains(string(text), `"sketch":"`+v.String()) {
			t.Errorf("%v is stored as %s, %v, and read as %+v, %v", v, text, err, back, errBack)
		}
		if err := back.CheckBands(); back.Validate() != nil || errors.Is(err, errNoBands) != (v == minhash.VariantBottomK) || back.Signatures() != v.Bandable() {
			t.Errorf("%v: %v, %v", v, back.Validate(), err)
		}
	}
	for _, unknown := range []string{`{"mode":"other"}`, `{"features":"word:0"}`, `{"weights":"x"}`, `{"sketch":"x"}`, `{"later":1}`, `{"bits":"x"}`} {
		if err := json.Unmarshal([]byte(unknown), new(Settings)); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", unknown, err)
		}
	}
}

func TestWeightsThatWereNotLearnt(t *testing.T) {
	s := Classic()
	s.Weights = fingerprint.TFIDF
	a, err := New(s)
	if err != nil || !a.Learns() {
		t.Fatalf("%v, learns: %v", err, a.Learns())
	}
	var scratch Scratch
	if _, _, err := a.Fingerprint(&scratch, []byte("a text")); !errors.Is(err, ErrNotLearnt) {
		t.Errorf("Fingerprint: %v", err)
	}
	if _, err := a.Weight("text", 1); !errors.Is(err, ErrNotLearnt) {
		t.Errorf("Weight: %v", err)
	}
	if a = a.WithIDF(fingerprint.EmptyIDF()); a.Learns() {
		t.Error("it learns though it has a model")
	}
	if w, err := a.Weight("text", 2); w != 2*fingerprint.WeightOne || err != nil {
		t.Errorf("%d, %v", w, err)
	}
}

// However much the analyses for fingerprint and set have in common, both are those of settings that
// have the one or the other alone.
func TestFingerprintAndSetOfOneAnalysis(t *testing.T) {
	texts := []string{"", "...", "to be or not to be", "The quick brown fox, the lazy dog and the rest", "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0 and more", "a a a"}
	spec := func(name string) (f preprocess.FeatureSpec) {
		if err := f.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, tt := range []struct {
		features, lang, setFeatures, setLang string
		weights                              fingerprint.Weighting
	}{
		{"words", "en", "words", "none", fingerprint.TF},
		{"words", "auto", "words", "none", fingerprint.LogTF},
		{"words", "en", "char:5", "none", fingerprint.TF},
		{"word:3", "en", "words", "none", fingerprint.Set},
		{"word:2", "none", "word:2", "none", fingerprint.Set},
		{"words", "none", "words", "en", fingerprint.TF},
	} {
		s := Classic()
		s.Features, s.Language, s.Weights = spec(tt.features), tt.lang, tt.weights
		alone, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Mode, s.SetFeatures, s.SetLanguage, s.Positions = Both, spec(tt.setFeatures), tt.setLang, DefaultPositions
		both, err := New(s.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		s = Classic()
		s.Mode, s.Features, s.Language = MinHash, spec(tt.setFeatures), tt.setLang
		sets, err := New(s.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			var scratch Scratch
			got, err := both.Analyse(&document.Document{Text: []byte(text)})
			if err != nil {
				t.Fatal(err)
			}
			fp, ok, _ := alone.Fingerprint(&scratch, []byte(text))
			if got.HasFingerprint != ok || got.Fingerprint != fp {
				t.Errorf("%+v: %q has fingerprint %x, %v; want %x, %v", tt, text, got.Fingerprint, got.HasFingerprint, fp, ok)
			}
			want, _ := sets.Analyse(&document.Document{Text: []byte(text)})
			if !slices.Equal(got.Set, want.Set) || !slices.Equal(got.Set, both.Set(&scratch, []byte(text))) || got.Digest != want.Digest || !slices.Equal(got.Signature, want.Signature) {
				t.Errorf("%+v: %q has another set", tt, text)
			}
		}
	}
}

// Hashes of pictures have a version of their own, and those of another one are refused.
func TestVersionOfPictures(t *testing.T) {
	s := Pictures(imagehash.DCT)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	s.Analyzer = imagehash.Version - 1
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "pictures have hashes of version 1") {
		t.Errorf("hashes of an earlier version: %v", err)
	}
	if err := Classic().Check(Pictures(imagehash.DCT)); err == nil {
		t.Error("texts and pictures are of one collection")
	}
}
