package index

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/parallel"
	"simsearch/internal/unionfind"
)

// A Group is near documents. Each is near the representative or, if GroupOptions.Chain is set, near
// some other.
type Group struct {
	Documents []uint32 // ascending, two or more
	// Representative is the document with the most near documents, the first of several.
	Representative uint32
	// Jaccard is the smallest similarity of two documents of the group, of a grouping by similarity.
	// Distance is the largest distance of two, of a grouping by distance. Documents without a
	// fingerprint do not count.
	Jaccard  float64
	Distance int
	// Apart is set if these two documents are not near each other.
	Apart bool
	// Estimated is set if the group is so large that its documents were compared with the
	// representative and with some others only. The true extreme may be worse.
	Estimated bool
}

// GroupOptions say how Groups works.
type GroupOptions struct {
	// Chain makes groups of whatever near pairs connect: A and C are in one group if both are near
	// B. Otherwise a group is its representative with documents that are near it.
	Chain         bool
	Threads       int                   // at least one
	PairsInMemory int                   // as of PairOptions
	Explain       func(how string)      // as of PairOptions
	Progress      func(done, parts int) // as of PairOptions
}

// Groups calls yield with groups of near documents, the largest first, equally large ones in the order
// of their first documents. A document is in one group at most.
//
// Without GroupOptions.Chain, documents are taken as representatives in the order of the number of
// documents near them, the most first; a group is the representative with those near documents that
// no earlier group has. Beside what Pairs takes, Groups takes 12 bytes a document and 16 a pair of
// distinct documents. Errors are those of Pairs.
func (ix *Snapshot) Groups(ctx context.Context, p Predicate, o GroupOptions, yield func(Group) error) error {
	search, err := ix.searcher(p)
	if err != nil {
		return err
	}
	g := graph{degrees: make([]uint32, ix.Len())}
	if o.Chain {
		g.sets = unionfind.New(ix.Len())
	}
	how := PairOptions{Threads: o.Threads, Groups: true, PairsInMemory: o.PairsInMemory, Explain: o.Explain, Progress: o.Progress}
	if err := ix.Pairs(ctx, p, how, g.add); err != nil {
		return err
	}
	return ix.reading(func() error {
		var groups []Group
		if o.Chain {
			groups = g.components()
		} else if groups, err = g.stars(ctx, search.areNear); err != nil {
			return err
		}
		slices.SortStableFunc(groups, func(a, b Group) int {
			return cmp.Or(cmp.Compare(len(b.Documents), len(a.Documents)), cmp.Compare(a.Documents[0], b.Documents[0]))
		})
		measure := func(ctx context.Context, i int) (*Group, error) {
			return &groups[i], search.measure(ctx, &groups[i])
		}
		if err := parallel.Ordered(ctx, o.Threads, len(groups), measure, func(g *Group) error { return yield(*g) }); err != nil {
			return err
		}
		return ix.Unchanged()
	})
}

// A graph is documents with the near pairs that Pairs finds for groups: of equal documents, the first
// has all pairs, and each other one a pair with the first.
type graph struct {
	degrees []uint32
	sets    unionfind.Sets // for components
	edges   []uint64       // for stars: each pair twice, a document in the upper half
}

func (g *graph) add(p Pair) error {
	g.degrees[p.A]++
	g.degrees[p.B]++
	if g.sets != nil {
		g.sets.Union(p.A, p.B)
		return nil
	}
	g.edges = append(g.edges, uint64(p.A)<<32|uint64(p.B), uint64(p.B)<<32|uint64(p.A))
	return nil
}

// components returns the connected components of two documents or more.
func (g *graph) components() []Group {
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
func (g *graph) stars(ctx context.Context, areNear func(a, b uint32) (bool, error)) ([]Group, error) {
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

// measured is the number of distinct documents up to which all are compared with all.
const measured = 2000

// comparisons calls compare with pairs of n distinct documents: all pairs or, of more than measured, the
// pairs with the representative, and those of measured documents evenly chosen. It reports whether it
// left any out.
func comparisons(ctx context.Context, n, representative int, compare func(a, b int) error) (some bool, err error) {
	step := 1
	if n > measured {
		step = (n + measured - 1) / measured
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
