package join

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"simsearch/internal/unionfind"
)

// A Group is near documents, ascending, and one of them that represents the others.
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

// Representatives returns the representative of each document, which may be itself. With chains, it is the
// document with the most near ones of all that pairs connect. Without, documents are taken in the order of
// the number of documents near them, the most first. One becomes a representative if it is near none before
// it, and otherwise belongs to the nearest of these. nearness says how near two documents are, more for nearer
// ones, and whether they are near enough. The error is that of nearness or of ctx.
func (g *Graph) Representatives(ctx context.Context, nearness func(a, b uint32) (float64, bool, error)) ([]uint32, error) {
	if g.sets != nil {
		return mostNear(g.sets, g.degrees), nil
	}
	return g.stars(ctx, nearness)
}

// mostNear returns, for each number, the one of its set with the highest degree, the first of several.
func mostNear(s unionfind.Sets, degrees []uint32) []uint32 {
	best := make([]uint32, len(s)) // of the set of each root, which is its least number
	for i := range best {
		root := s.Find(uint32(i))
		if uint32(i) == root || degrees[i] > degrees[best[root]] {
			best[root] = uint32(i)
		}
	}
	of := make([]uint32, len(s))
	for i := range of {
		of[i] = best[s.Find(uint32(i))]
	}
	return of
}

// MostNearFirst returns the numbers of degrees, the highest degree first, equal ones in their order.
func mostNearFirst(degrees []uint32) []uint32 {
	order := make([]uint32, len(degrees))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(degrees[b], degrees[a]) })
	return order
}

// stars returns the representative of each document, which it is near.
func (g *Graph) stars(ctx context.Context, nearness func(a, b uint32) (float64, bool, error)) ([]uint32, error) {
	slices.Sort(g.edges)
	ends := make([]int, len(g.degrees))
	at := 0
	for doc, degree := range g.degrees {
		at += int(degree)
		ends[doc] = at
	}
	neighbours := func(doc uint32) []uint64 { return g.edges[ends[doc]-int(g.degrees[doc]) : ends[doc]] }
	order := mostNearFirst(g.degrees)
	of := make([]uint32, len(order)) // the first representative that is near each document
	for doc := range of {
		of[doc] = noGroup
	}
	for _, doc := range order {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if of[doc] != noGroup {
			continue
		}
		of[doc] = doc
		near := neighbours(doc)
		if len(near) == 1 { // it may equal a document that is near a representative
			if r := of[uint32(near[0])]; r != noGroup {
				_, ok, err := nearness(r, doc)
				if err != nil {
					return nil, err
				}
				if ok {
					of[doc] = r
					continue
				}
			}
		}
		for _, edge := range near {
			if of[uint32(edge)] == noGroup {
				of[uint32(edge)] = doc
			}
		}
	}
	for doc, first := range of {
		if first == uint32(doc) {
			continue
		}
		best, found := 0.0, 0
		for _, edge := range neighbours(uint32(doc)) {
			r := uint32(edge)
			if of[r] != r || g.degrees[r] < g.degrees[doc] || g.degrees[r] == g.degrees[doc] && r > uint32(doc) {
				continue
			}
			near, _, err := nearness(r, uint32(doc))
			if err != nil {
				return nil, err
			}
			if found++; found == 1 || near > best {
				best, of[doc] = near, r
			}
		}
	}
	return of, nil
}

// Groups returns the groups of two documents or more, the largest first, equally large ones in the order of
// their first documents. of is the representative of each document.
func Groups(of []uint32) []Group {
	sizes := make([]uint32, len(of))
	for _, r := range of {
		sizes[r]++
	}
	at := map[uint32]int{} // the group of each representative
	var groups []Group
	for doc, r := range of {
		if sizes[r] < 2 {
			continue
		}
		i, ok := at[r]
		if !ok {
			i = len(groups)
			at[r] = i
			groups = append(groups, Group{make([]uint32, 0, sizes[r]), r})
		}
		groups[i].Documents = append(groups[i].Documents, uint32(doc))
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(len(b.Documents), len(a.Documents)) })
	return groups
}

// Measured is the number of distinct documents up to which all are compared with all.
const Measured = 512

// mostMeasured is about how many pairs of documents of all groups are compared, beside those with representatives.
const mostMeasured = 2e7

// MeasuredOf returns the number of documents, up to Measured, up to which all of a group are compared with all, so that it
// does not take long for groups of these sizes.
func MeasuredOf(sizes iter.Seq[int]) int {
	for most := Measured; ; most /= 2 {
		pairs := 0
		for n := range sizes {
			pairs += min(n, most) * min(n, most) / 2
		}
		if pairs <= mostMeasured || most < Measured/32 {
			return most
		}
	}
}

// Comparisons calls compare with pairs of n distinct documents: all pairs or, of more than most, the
// pairs with the representative, and those of up to most documents evenly chosen. It reports whether it
// left any out.
func Comparisons(ctx context.Context, n, representative, most int, compare func(a, b int) error) (some bool, err error) {
	step := 1
	if n > most {
		step = (n + most - 1) / most
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
