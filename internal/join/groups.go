package join

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/unionfind"
)

// A Group is near documents, ascending, and the one of them with the most near documents.
type Group struct {
	Documents      []uint32
	Representative uint32
}

// A Graph is documents with the near pairs that a join finds for Options.Groups: of equal documents,
// the first has all pairs, and each other one a pair with the first.
type Graph struct {
	degrees []uint32
	sets    unionfind.Sets // for components
	edges   []uint64       // for stars: each pair twice, a document in the upper half
}

// NewGraph returns a graph of documents without pairs. If chain is set, its groups are whatever pairs
// connect; else all documents of a group are near the representative.
func NewGraph(documents int, chain bool) *Graph {
	g := &Graph{degrees: make([]uint32, documents)}
	if chain {
		g.sets = unionfind.New(documents)
	}
	return g
}

// Add adds a pair.
func (g *Graph) Add(a, b uint32) {
	g.degrees[a]++
	g.degrees[b]++
	if g.sets != nil {
		g.sets.Union(a, b)
		return
	}
	g.edges = append(g.edges, uint64(a)<<32|uint64(b), uint64(b)<<32|uint64(a))
}

// Groups returns the groups of two documents or more, the largest first, equally large ones in the
// order of their first documents. Without chains, documents are taken as representatives in the order
// of the number of documents near them, the most first; a group is the representative with those near
// documents that no earlier group has. areNear tells whether two documents are near whose pair is not
// in the graph. The error is that of areNear or of ctx.
func (g *Graph) Groups(ctx context.Context, areNear func(a, b uint32) (bool, error)) (groups []Group, err error) {
	if g.sets != nil {
		groups = g.components()
	} else if groups, err = g.stars(ctx, areNear); err != nil {
		return nil, err
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Documents), len(a.Documents)), cmp.Compare(a.Documents[0], b.Documents[0]))
	})
	return groups, nil
}

// components returns the connected components of two documents or more.
func (g *Graph) components() []Group {
	at := map[uint32]int{} // the group of each root
	var groups []Group
	for doc, degree := range g.degrees {
		if degree == 0 {
			continue
		}
		root := g.sets.Find(uint32(doc))
		i, ok := at[root]
		if !ok {
			i = len(groups)
			at[root] = i
			groups = append(groups, Group{Representative: uint32(doc)})
		}
		of := &groups[i]
		of.Documents = append(of.Documents, uint32(doc))
		if degree > g.degrees[of.Representative] {
			of.Representative = uint32(doc)
		}
	}
	return groups
}

// stars returns groups in each of which all documents are near the representative.
func (g *Graph) stars(ctx context.Context, areNear func(a, b uint32) (bool, error)) ([]Group, error) {
	slices.Sort(g.edges)
	ends := make([]int, len(g.degrees))
	at := 0
	for doc, degree := range g.degrees {
		at += int(degree)
		ends[doc] = at
	}
	neighbours := func(doc uint32) []uint64 { return g.edges[ends[doc]-int(g.degrees[doc]) : ends[doc]] }
	var order []uint32
	for doc, degree := range g.degrees {
		if degree > 0 {
			order = append(order, uint32(doc))
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(g.degrees[b], g.degrees[a]) })
	var groups []Group
	taken := make([]bool, len(g.degrees))
	for _, representative := range order {
		if taken[representative] {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		documents := []uint32{representative}
		take := func(doc uint32) {
			taken[doc] = true
			documents = append(documents, doc)
		}
		for _, edge := range neighbours(representative) {
			near := uint32(edge)
			if !taken[near] {
				take(near)
			}
			// The equals of a near document have no pair with the representative.
			for _, edge := range neighbours(near) {
				equal := uint32(edge)
				if taken[equal] || equal == representative || g.degrees[equal] > 1 {
					continue
				}
				ok, err := areNear(representative, equal)
				if err != nil {
					return nil, err
				}
				if ok {
					take(equal)
				}
			}
		}
		if len(documents) > 1 {
			taken[representative] = true
			slices.Sort(documents)
			groups = append(groups, Group{Documents: documents, Representative: representative})
		}
	}
	return groups, nil
}

// Measured is the number of distinct documents up to which all are compared with all.
const Measured = 2000

// Comparisons calls compare with pairs of n distinct documents: all pairs or, of more than Measured, the
// pairs with the representative, and those of Measured documents evenly chosen. It reports whether it
// left any out.
func Comparisons(ctx context.Context, n, representative int, compare func(a, b int) error) (some bool, err error) {
	step := 1
	if n > Measured {
		step = (n + Measured - 1) / Measured
		for i := range n {
			if err := compare(representative, i); err != nil {
				return true, err
			}
		}
	}
	for a := 0; a < n; a += step {
		if ctx.Err() != nil {
			return step > 1, context.Cause(ctx)
		}
		for b := a + step; b < n; b += step {
			if err := compare(a, b); err != nil {
				return step > 1, err
			}
		}
	}
	return step > 1, nil
}

// Distinct returns the distinct values of documents, in the order of their first documents, and which of
// them is that of the representative. of returns the value of a document; ok is false if it has none.
func Distinct[T comparable](documents []uint32, representative uint32, of func(doc uint32) (value T, ok bool, err error)) (values []T, at int, err error) {
	known := map[T]int{}
	for _, doc := range documents {
		value, ok, err := of(doc)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		i, has := known[value]
		if !has {
			i = len(values)
			known[value] = i
			values = append(values, value)
		}
		if doc == representative {
			at = i
		}
	}
	return values, at, nil
}
