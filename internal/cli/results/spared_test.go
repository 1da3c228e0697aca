package results

import (
	"testing"

	"simsearch/internal/quality/explain"
)

// Documents are apart if their texts differ in what is spared, and in nothing else.
func TestSpared(t *testing.T) {
	of := texts{"I went to work at 8 today", "today I went to work at 8", "I went to work at 9 today", "I went to work at 8 TODAY"}
	for _, test := range []struct {
		kinds explain.FactKinds
		apart [4]bool // from the first one
	}{
		{explain.Order, [4]bool{false, true, false, false}},
		{explain.Numbers, [4]bool{false, false, true, false}},
		{explain.Numbers | explain.Order, [4]bool{false, true, true, false}},
		{explain.Negations, [4]bool{}},
	} {
		s := &Spared{Shower: Shower{Texts: of}, Kinds: test.kinds}
		for doc, want := range test.apart {
			if got, err := s.Apart(0, uint32(doc)); got != want || err != nil {
				t.Errorf("%v: document %d: %v, %v", test.kinds, doc, got, err)
			}
		}
	}
}
