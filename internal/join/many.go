package join

import (
	"context"

	"simsearch/internal/unionfind"
)

// A Many is what a join knows before it yields very many pairs.
type Many struct {
	Pairs     int64
	Documents int64 // that are near another one
	Groups    int64 // of documents that pairs connect
	Largest   int   // the number of documents of the largest group of equal ones
	// About says that all numbers but Largest are estimates from some documents. AtMost says that the pairs are candidates,
	// which are yet to be verified.
	About, AtMost bool
}

// manyPairs is the number of pairs that a person may still read.
const manyPairs = 10_000

// looked is the number of groups that an estimate looks at.
const looked = 64

// counts returns how many documents of another group are near group g, or of g itself, if all are.
func (c *collection) counts(g, other uint32, groups bool) int {
	if groups && other != g {
		return 1
	}
	return len(c.groups.Members(other))
}

// tellMany calls o.Many if there are many pairs.
func (c *collection) tellMany(ctx context.Context, r relation, o Options) error {
	if o.Many == nil {
		return nil
	}
	n := len(c.groups.Ends) - 1
	m := Many{Largest: c.largest, AtMost: o.keep != nil}
	step := 1
	l, exact := r.(interface{ lists() *neighbours })
	if exact = exact && l.lists() != nil; !exact {
		step, m.About = (n+looked-1)/looked, true
	}
	// A document with d near ones counts as a share 1/(d+1) of a group. The sum is the number of groups if all documents of
	// a group are near each other. Otherwise it is more, and at most what groups of a representative each are (Caro 1979,
	// Wei 1981).
	pairs, documents, groups, seen := 0.0, 0.0, 0.0, 0
	for g := 0; g < n; g += max(1, step) {
		if g%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		seen++
		d, err := r.degree(ctx, uint32(g), o.Groups)
		if err != nil {
			return err
		}
		size := len(c.groups.Members(uint32(g)))
		if d < 2 {
			continue
		}
		if o.Groups { // each document but the first has one pair
			pairs += float64(size-1) + float64(d-size)/2
		} else {
			pairs += float64(size) * float64(d-1) / 2
		}
		documents += float64(size)
		groups += float64(size) / float64(d)
	}
	all := float64(n) / float64(max(1, seen))
	if m.Pairs = int64(pairs*all + .5); m.Pairs <= manyPairs {
		return nil
	}
	m.Documents, m.Groups = int64(documents*all+.5), max(1, int64(groups*all+.5))
	if exact {
		m.Groups = c.connected(l.lists())
	}
	o.Many(m)
	return nil
}

// connected returns the number of groups of two documents or more that equal documents and neighbours make.
func (c *collection) connected(of *neighbours) (groups int64) {
	n := len(c.groups.Ends) - 1
	sets := unionfind.New(n)
	for g := range uint32(n) {
		for _, other := range of.of(g) {
			sets.Union(g, other)
		}
	}
	for g := range uint32(n) {
		if sets.Find(g) == g && (of.any(g) || len(c.groups.Members(g)) > 1) {
			groups++
		}
	}
	return groups
}

// lists returns the neighbours of all groups.
func (l *listed) lists() *neighbours { return &l.neighbours }

func (l *listed) degree(_ context.Context, g uint32, groups bool) (documents int, _ error) {
	documents = len(l.groups.Members(g))
	for _, other := range l.neighbours.of(g) {
		documents += l.counts(g, other, groups)
	}
	return documents, nil
}
