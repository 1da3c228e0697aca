package eval

import (
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/preprocess"
)

// Characters are left out only of many texts, and only if others were tried.
func TestPassedOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		documents, bytes int
		kind             preprocess.Kind
		tried            []Choice
		want             bool
	}{
		{manyDocuments, manyBytes, preprocess.CharN, make([]Choice, 1), false},
		{manyDocuments + 1, 0, preprocess.CharN, make([]Choice, 1), true},
		{1, manyBytes + 1, preprocess.CharN, make([]Choice, 1), true},
		{manyDocuments + 1, 0, preprocess.WordN, make([]Choice, 1), false},
		{manyDocuments + 1, 0, preprocess.CharN, nil, false},
	} {
		a := &adviser{c: &Collection{Sets: make([][]uint64, tt.documents), texts: &texts{bytes: tt.bytes}}, choices: tt.tried}
		s := analysis.Classic()
		s.Features = preprocess.FeatureSpec{Kind: tt.kind, N: 5}
		if got := a.passesOver(s); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
