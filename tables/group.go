package tables

import (
	"fmt"

	"simsearch/internal/radix"
)

// Groups says which documents share a fingerprint, so that searches need to look
// at each distinct fingerprint only once.
type Groups struct {
	Values []uint64 // distinct fingerprints, strictly ascending
	Ends   []uint32 // the members of value i are Members[Ends[i]:Ends[i+1]]; len(Values)+1 of them
	Member []uint32 // document numbers, ascending within a group
}

// Group sorts documents by fingerprint: document documents[i] has fingerprints[i],
// and the documents of equal fingerprints must be given in ascending order.
//
// Both slices are sorted in place, and the result keeps them. It takes 12 more
// bytes a document while it runs.
func Group(fingerprints []uint64, documents []uint32) Groups {
	if len(fingerprints) != len(documents) {
		panic(fmt.Sprintf("tables: %d fingerprints of %d documents", len(fingerprints), len(documents)))
	}
	radix.SortPairs(fingerprints, documents)
	g := Groups{Values: fingerprints[:0], Member: documents}
	for i, x := range fingerprints {
		if i == 0 || x != g.Values[len(g.Values)-1] {
			g.Values = append(g.Values, x) // never past i
			g.Ends = append(g.Ends, uint32(i))
		}
	}
	g.Ends = append(g.Ends, uint32(len(documents)))
	return g
}

// Members returns the documents of value i, a part of g.Member.
func (g *Groups) Members(i uint32) []uint32 { return g.Member[g.Ends[i]:g.Ends[i+1]] }
