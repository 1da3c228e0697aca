package join

import (
	"context"

	"simsearch/internal/ground/ints"
)

// A Many is what a join knows before it yields very many pairs.
type Many struct {
	Pairs     int64
	Documents int64 // that are near another one
	Groups    int64 // of documents that pairs connect
	Largest   int   // the number of documents of the largest group of equal ones
	// About says that all numbers but Largest are estimates from some documents. AtMost says that the pairs are
	// candidates, which are yet to be verified.
	About, AtMost bool
}

// manyPairs is the number of pairs that a person may still read.
const manyPairs = 10_000

// looked is the number of groups or documents that an estimate looks at.
const looked = 64

// tellMany calls o.Many if there are many pairs.
func (r *relation) tellMany(ctx context.Context, o Options) error {
	if o.Many == nil {
		return nil
	}
	exact := r.rows == nil
	m := Many{Largest: r.largest, About: !exact, AtMost: o.keep != nil}
	// Of equal documents all is known. Of the others, some stand for all: groups, if only their first documents have
	// pairs, and otherwise documents, since a large group has more of these.
	n := len(r.groups.Ends) - 1
	several, all := 0, len(r.groups.Member)
	for g := range uint32(n) {
		if size := len(r.groups.Members(g)); size > 1 {
			several += size
			if o.Groups {
				m.Pairs += int64(size - 1)
			}
		}
	}
	groupOf := func(i int) uint32 { return r.groupOf[r.groups.Member[i]] }
	if o.Groups || exact {
		all, groupOf = n, func(i int) uint32 { return uint32(i) }
	}
	step := 1
	if !exact {
		step = max(1, (all+looked-1)/looked)
	}
	// One with d near ones counts as a share 1/(d+1) of a group. The sum is the number of groups if all of a group
	// are near each other. Otherwise it is more, and at most what groups of a representative each are (Caro 1979, Wei
	// 1981).
	pairs, alone, groups, seen := 0.0, 0.0, 0.0, 0
	for i := 0; i < all; i += step {
		if seen%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		seen++
		g := groupOf(i)
		d := r.degree(g, o.Groups)
		size := len(r.groups.Members(g))
		if d < 2 {
			continue
		}
		if size == 1 {
			alone++
		}
		counts := 1.0 // as so many
		switch {
		case o.Groups:
			d -= size - 1
		case exact:
			counts = float64(size)
		}
		pairs += counts * float64(d-1) / 2
		groups += counts / float64(d)
	}
	more := float64(all) / float64(max(1, seen))
	if m.Pairs += int64(pairs*more + .5); m.Pairs <= manyPairs {
		return nil
	}
	m.Documents, m.Groups = min(int64(several)+int64(alone*more+.5), int64(len(r.groups.Member))), max(1, int64(groups*more+.5))
	if exact {
		m.Groups = r.connected()
	}
	o.Many(m)
	return nil
}

// connected returns the number of groups of two documents or more that equal documents and neighbours make.
func (r *relation) connected() (groups int64) {
	n := len(r.groups.Ends) - 1
	sets := ints.NewDisjointSets(n)
	for g := range uint32(n) {
		for _, other := range r.neighbours.of(g) {
			sets.Union(g, other)
		}
	}
	for g := range uint32(n) {
		if sets.Find(g) == g && (r.neighbours.any(g) || len(r.groups.Members(g)) > 1) {
			groups++
		}
	}
	return groups
}
