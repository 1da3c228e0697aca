package analysis

import (
	"encoding/json"
	"errors"
	"testing"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

func TestSettingsAsJSON(t *testing.T) {
	s := Default()
	s.Mode, s.Features, s.Weights, s.Hash = Both, preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.LogTF, fingerprint.MD5
	for want, s := range map[string]Settings{
		`{"mode":"simhash","features":"words","weights":"tf","lang":"en","bits":64,"hash":"murmur3","analyzer":1}`:                           Default(),
		`{"mode":"both","features":"word:3","weights":"log-tf","lang":"en","bits":64,"hash":"md5","analyzer":1,"perms":128,"sketch":"fast"}`: s.Canonical(),
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
	for _, unknown := range []string{`{"mode":"other"}`, `{"features":"word:0"}`, `{"weights":"x"}`, `{"sketch":"x"}`, `{"later":1}`, `{"bits":"x"}`} {
		if err := json.Unmarshal([]byte(unknown), new(Settings)); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", unknown, err)
		}
	}
}

func TestWeightsThatWereNotLearnt(t *testing.T) {
	s := Default()
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
	if w, err := a.Weight("text", 2); w != 2*WeightOne || err != nil {
		t.Errorf("%d, %v", w, err)
	}
}
