package join

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// A Group is near documents, ascending, and one of them that represents the others.
type Group struct {
	Documents      []uint32
	Representative uint32
}

// A Grouping has the representative of each of some documents, which may be itself. Documents that it does not have
// are in no group.
type Grouping struct {
	Of        []uint32 // the place of the representative of each
	Documents []uint32 // the number of each, ascending; nil if that is its place
}

// Document returns the number of the document at a place.
func (g *Grouping) Document(place uint32) uint32 {
	if g.Documents == nil {
		return place
	}
	return g.Documents[place]
}

// Groups returns the groups as the function Groups does.
func (g *Grouping) Groups() []Group {
	groups := Groups(g.Of)
	if g.Documents == nil {
		return groups
	}
	for i := range groups {
		groups[i].Representative = g.Documents[groups[i].Representative]
		for j, place := range groups[i].Documents {
			groups[i].Documents[j] = g.Documents[place]
		}
	}
	return groups
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

// MeasuredOf returns the number of documents, up to Measured, up to which all of a group are compared with all, so
// that it does not take long for groups of these sizes.
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
func Distinct[T comparable](documents []uint32, representative uint32, of func(doc uint32) (value T, ok bool)) (values []T, at int) {
	known := map[T]int{}
	for _, doc := range documents {
		value, ok := of(doc)
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
	return values, at
}
