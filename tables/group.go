package tables

import (
	"fmt"
	"slices"
)

// Groups lists the documents of each distinct fingerprint, so that a search looks at each fingerprint
// once.
type Groups struct {
	Values []uint64 // distinct fingerprints, strictly ascending
	Ends   []uint32 // len(Values)+1 of them: the documents of Values[i] are Member[Ends[i]:Ends[i+1]]
	Member []uint32 // document numbers, ascending within a group
}

// Group sorts documents by fingerprint. Document documents[i] has the fingerprint fingerprints[i], or that of the
// i-th so many words, which are also the Values of the result. The documents of equal fingerprints must be in
// ascending order. It panics if the slices differ in length.
//
// Group sorts both slices in place, and the result refers to them. It takes 12 more bytes per
// document while it runs, and 8 more for a word if there are several.
func Group(fingerprints []uint64, words int, documents []uint32) Groups {
	if len(fingerprints) != words*len(documents) {
		panic(fmt.Sprintf("tables: %d fingerprints of %d documents", len(fingerprints)/words, len(documents)))
	}
	SortWide(fingerprints, words, documents)
	g := Groups{Values: fingerprints[:0], Member: documents}
	for i := range documents {
		v := fingerprints[i*words : (i+1)*words]
		if i == 0 || !slices.Equal(v, g.Values[len(g.Values)-words:]) {
			g.Values = append(g.Values, v...) // never past i
			g.Ends = append(g.Ends, uint32(i))
		}
	}
	g.Ends = append(g.Ends, uint32(len(documents)))
	return g
}

// Members returns the documents of Values[i], a part of g.Member.
func (g *Groups) Members(i uint32) []uint32 { return g.Member[g.Ends[i]:g.Ends[i+1]] }
