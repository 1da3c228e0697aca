// Package explain says how near two texts are, and why: the distance of their fingerprints, exact and estimated
// similarities, and the features that they share and in which they differ. It makes what people look at of them, too:
// titles, the passages in which they differ, and remarks on differences that change what a text says. Nothing of that
// can control a terminal.
//
//	a, err := analysis.New(analysis.Default())
//	x := explain.Text{ID: "draft", Text: draft}
//	y := explain.Text{ID: "final", Text: final}
//	c, err := explain.Compare(a, x, y, 3)
//	fmt.Println(c.Distance, c.Jaccard.Exact, c.Heaviest)
//
// Cosine is exact, by maps from features to weights. It is a reference, and made for two texts at a time.
package explain

import (
	"simsearch/internal/features/analysis"
	"simsearch/preprocess"
)

// Features maps the features of a text to their weights, all of them positive.
type Features map[string]int64

// count returns how often each feature of d occurs, which was made of text.
func count(d *preprocess.Document, text []byte) Features {
	f := make(Features)
	for i := range d.Len() {
		f[string(d.Feature(i))]++
	}
	if len(f) == 0 {
		f[string(analysis.Whole(text))] = 1
	}
	return f
}
