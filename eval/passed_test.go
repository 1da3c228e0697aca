package eval

import (
	"testing"

	"simsearch/internal/analysis"
	"simsearch/internal/truth"
	"simsearch/preprocess"
)

// Characters are left out only of many texts, and only if words are good enough or better in the other language.
func TestPassedOver(t *testing.T) {
	t.Parallel()
	settings := func(kind preprocess.Kind, language string) analysis.Settings {
		s := analysis.Classic()
		s.Features, s.Language = preprocess.FeatureSpec{Kind: kind, N: 5}, language
		return s
	}
	words := func(f1 float64) []Choice {
		return []Choice{{Precision: truth.Rate{Share: f1}, Recall: truth.Rate{Share: f1}, F1: f1}}
	}
	for _, tt := range []struct {
		name      string
		documents int
		bytes     int
		choices   []Choice
		wanted    truth.Demands
		languages map[string]float64
		s         analysis.Settings
		passed    bool
	}{
		{"few texts", manyDocuments, manyBytes, words(1), truth.Demands{}, nil, settings(preprocess.CharN, "en"), false},
		{"words", manyDocuments + 1, 0, words(1), truth.Demands{}, nil, settings(preprocess.WordN, "en"), false},
		{"long texts", 1, manyBytes + 1, words(1), truth.Demands{}, nil, settings(preprocess.CharN, "en"), true},
		{"good words", manyDocuments + 1, 0, words(0.995), truth.Demands{}, nil, settings(preprocess.CharN, "en"), true},
		{"words that are not good enough", manyDocuments + 1, 0, words(0.98), truth.Demands{}, map[string]float64{"en": 2}, settings(preprocess.CharN, "en"), false},
		{"words that miss a demand", manyDocuments + 1, 0, words(0.995), truth.Demands{Recall: 0.999}, nil, settings(preprocess.CharN, "en"), false},
		{"the worse language", manyDocuments + 1, 0, words(0.9), truth.Demands{}, map[string]float64{"en": 2, "none": 2.1}, settings(preprocess.CharN, "en"), true},
		{"the better language", manyDocuments + 1, 0, words(0.9), truth.Demands{}, map[string]float64{"en": 2, "none": 2.1}, settings(preprocess.CharN, "none"), false},
		{"one of two that are equal", manyDocuments + 1, 0, words(0.9), truth.Demands{}, map[string]float64{"en": 2, "none": 2}, settings(preprocess.CharN, "en"), true},
		{"the other", manyDocuments + 1, 0, words(0.9), truth.Demands{}, map[string]float64{"en": 2, "none": 2}, settings(preprocess.CharN, "none"), false},
		{"another language", manyDocuments + 1, 0, words(0.9), truth.Demands{}, map[string]float64{"en": 2}, settings(preprocess.CharN, "de"), false},
	} {
		a := &adviser{c: &Collection{Sets: make([][]uint64, tt.documents), texts: &texts{texts: [][]byte{make([]byte, tt.bytes)}}}, o: AdviceOptions{Wanted: tt.wanted}, choices: tt.choices, byLanguage: tt.languages}
		if why := a.passesOver(tt.s); (why != "") != tt.passed {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
}
