package simsearch

import (
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/quality/explain"
)

// A Comparison says how near two texts are, by the default settings.
type Comparison struct {
	Jaccard  float64 // of the sets of words, in [0, 1]
	Cosine   float64 // of the weighted words without stop words, in [0, 1]
	AInB     float64 // the share of the words of A that B has, in [0, 1]
	BInA     float64
	Distance int // of the fingerprints in bits
}

// Compare compares two texts.
func Compare(a, b string) (c Comparison, err error) {
	by, err := analysis.New(analysis.Default())
	if err != nil {
		return c, err
	}
	is, err := explain.Compare(by, explain.Text{Text: []byte(a)}, explain.Text{Text: []byte(b)}, 0)
	if err != nil {
		return c, err
	}
	return Comparison{Jaccard: is.Jaccard.Exact, Cosine: is.Cosine.Exact, AInB: is.AInB.Exact, BInA: is.BInA.Exact, Distance: is.Distance}, nil
}

// Fingerprint returns the SimHash fingerprint of a text, by the default settings of an index: 64 bits of its words
// without English stop words, weighted by how often they occur, or of the text itself if none are left. Package
// fingerprint makes others.
func Fingerprint(text string) (uint64, error) {
	by, err := analysis.New(analysis.Default())
	if err != nil {
		return 0, err
	}
	r, err := by.Analyse(&document.Document{Text: []byte(text)})
	return r.Fingerprint, err
}
