package eval

import (
	"slices"
	"testing"

	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/hamming"
)

// Fingerprints by other weights are those of a collection that is read with these weights, and their near
// pairs are those of comparing all.
func TestOtherWeights(t *testing.T) {
	t.Parallel()
	texts, _ := generated()
	texts = append(texts[:60:60], texts[3], "... !")
	by := map[fingerprint.Weighting]*Collection{}
	for _, weights := range []fingerprint.Weighting{fingerprint.TF, fingerprint.TFIDF} {
		s := analysis.Classic()
		s.Weights = weights
		by[weights] = load(t, texts, nil, LoadOptions{Settings: s})
	}
	for of, c := range by {
		other := by[map[fingerprint.Weighting]fingerprint.Weighting{fingerprint.TF: fingerprint.TFIDF, fingerprint.TFIDF: fingerprint.TF}[of]]
		w, err := otherWeights(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.fingerprints, other.Fingerprints) {
			t.Errorf("from %v: other fingerprints than those of a collection read as %v", of, other.Settings.Weights)
		}
		const k = 12
		want := map[[2]uint32]int{}
		for a := range uint32(c.Len()) {
			for b := a + 1; b < uint32(c.Len()); b++ {
				if d := hamming.Distance(other.Fingerprints[a], other.Fingerprints[b]); d <= k && len(c.Sets[a]) > 0 && len(c.Sets[b]) > 0 {
					want[[2]uint32{a, b}] = d
				}
			}
		}
		err = c.within(t.Context(), w.fingerprints, k, func(a, b uint32, d int) {
			if was, ok := want[[2]uint32{a, b}]; !ok || was != d {
				t.Errorf("pair %d, %d at distance %d", a, b, d)
			}
			delete(want, [2]uint32{a, b})
		})
		if err != nil || len(want) > 0 {
			t.Errorf("%d pairs are missed, %v", len(want), err)
		}
	}
}
