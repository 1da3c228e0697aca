package tables

import (
	"fmt"

	"simsearch/internal/ints"
)

// Groups lists the documents of each distinct fingerprint, so that a search looks at each fingerprint
// once.
type Groups struct {
	Values []uint64 // distinct fingerprints, strictly ascending
	Ends   []uint32 // len(Values)+1 of them: the documents of Values[i] are Member[Ends[i]:Ends[i+1]]
	Member []uint32 // document numbers, ascending within a group
}

// Group sorts documents by fingerprint. Document documents[i] has fingerprints[i]. The documents of
// equal fingerprints must be in ascending order. It panics if the slices differ in length.
//
// Group sorts both slices in place, and the result refers to them. It takes 12 more bytes per
// document while it runs.
func Group(fingerprints []uint64, documents []uint32) Groups {
	if len(fingerprints) != len(documents) {
		panic(fmt.Sprintf("tables: %d fingerprints of %d documents", len(fingerprints), len(documents)))
	}
	ints.SortPairs(fingerprints, documents)
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

// Members returns the documents of Values[i], a part of g.Member.
func (g *Groups) Members(i uint32) []uint32 { return g.Member[g.Ends[i]:g.Ends[i+1]] }

// MergeGroups returns the groups of several collections as those of one. The documents of a part come before those of the
// next. The result may refer to a single part, and else takes 12 bytes for each group and 4 for each document; merging takes
// as much again.
func MergeGroups(parts []Groups) Groups {
	switch len(parts) {
	case 0:
		return Groups{Ends: []uint32{0}}
	case 1:
		return parts[0]
	}
	middle := len(parts) / 2
	return mergeTwo(MergeGroups(parts[:middle]), MergeGroups(parts[middle:]))
}

// mergeTwo merges groups, of which the documents of a come before those of b.
func mergeTwo(a, b Groups) Groups {
	out := Groups{
		Values: make([]uint64, 0, len(a.Values)+len(b.Values)),
		Ends:   make([]uint32, 1, len(a.Values)+len(b.Values)+1),
		Member: make([]uint32, 0, len(a.Member)+len(b.Member)),
	}
	for i, j := 0, 0; i < len(a.Values) || j < len(b.Values); {
		fromA := j == len(b.Values) || i < len(a.Values) && a.Values[i] <= b.Values[j]
		fromB := i == len(a.Values) || j < len(b.Values) && b.Values[j] <= a.Values[i]
		if fromA {
			out.Values, out.Member = append(out.Values, a.Values[i]), append(out.Member, a.Members(uint32(i))...)
			i++
		}
		if fromB {
			if !fromA {
				out.Values = append(out.Values, b.Values[j])
			}
			out.Member = append(out.Member, b.Members(uint32(j))...)
			j++
		}
		out.Ends = append(out.Ends, uint32(len(out.Member)))
	}
	return out
}
