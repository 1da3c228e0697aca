package join

import (
	"context"
	"errors"

	"simsearch/internal/ground/spill"
)

// A relation says which groups of documents are near. Either the neighbours of each group are listed, or rows finds
// them each time that they are wanted.
type relation struct {
	*collection
	neighbours neighbours
	// measure returns how near two groups are: one and another one that is listed for it, or one and itself.
	measure func(g, other uint32) neighbour
	// rows, if not nil, returns the groups near g, without g itself, of which skip, if not nil, does not return true.
	rows func(g uint32, skip func(other uint32) bool) []neighbour
	// within, if not nil, returns the similarity of two documents of one group, and whether they are near. Otherwise
	// they are as near as equal ones.
	within func(a, b uint32) (similarity float64, ok bool)
}

// A neighbour is a near group.
type neighbour struct {
	group uint32
	Measures
}

// newRelation returns a relation of c that lists neighbours, as many in memory as o says.
func newRelation(c *collection, o Options) *relation {
	for g := range len(c.groups.Ends) - 1 {
		c.largest = max(c.largest, len(c.groups.Members(uint32(g))))
	}
	return &relation{collection: c, neighbours: newNeighbours(o.Disk, len(c.groups.Ends)-1, 4*o.PairsInMemory)}
}

// list lists the near pairs of groups that find adds, from any goroutine, each once, for both of their groups. A pair
// is a number with one of the two in each half. list changes the slices that it is given.
func (r *relation) list(ctx context.Context, o Options, find func(add func(pairs []uint64) error) error) (err error) {
	sorter := spill.NewSorter(o.Disk, "", 2*o.PairsInMemory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	if err := find(func(pairs []uint64) error { return addBothWays(sorter, pairs) }); err != nil {
		return err
	}
	return r.fill(ctx, sorter, func(g uint32) (uint32, bool) { return g, true })
}

// addBothWays adds pairs for both of their groups. It changes the slice.
func addBothWays(sorter *spill.Sorter, pairs []uint64) error {
	if err := sorter.Add(pairs); err != nil {
		return err
	}
	for i, p := range pairs {
		pairs[i] = p<<32 | p>>32
	}
	return sorter.Add(pairs)
}

// fill lists the pairs of a sorter. number returns the number of a group in r, which ascends with that of the pairs,
// or false if it is not in r.
func (r *relation) fill(ctx context.Context, sorter *spill.Sorter, number func(uint32) (uint32, bool)) error {
	for p, err := range sorter.Sorted(ctx) {
		if err != nil {
			return err
		}
		a, hasA := number(uint32(p >> 32))
		b, hasB := number(uint32(p))
		if hasA && hasB {
			if err := r.neighbours.add(a, b); err != nil {
				return err
			}
		}
	}
	return r.neighbours.finish()
}

// near appends group g and the groups near it. It leaves out a group whose documents all come before those of g: its
// pairs are found from its own side, and comparing sets is expensive.
func (r *relation) near(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	dst = append(dst, r.measure(g, g))
	first := r.groups.Members(g)[0]
	earlier := func(other uint32) bool {
		members := r.groups.Members(other)
		return members[len(members)-1] < first
	}
	if r.rows != nil {
		return append(dst, r.rows(g, earlier)...), nil
	}
	for i, other := range r.neighbours.of(g) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return dst, ctx.Err()
		}
		if earlier(other) {
			continue
		}
		dst = append(dst, r.measure(g, other))
	}
	return dst, nil
}

// weight estimates how many documents may be near those of group g, which count, too.
func (r *relation) weight(g uint32, groups bool) int {
	if r.rows != nil { // all may be near
		return len(r.groupOf)
	}
	// What is scattered in memory is not looked up for weights that cannot matter.
	if most := uint64(r.largest) * (1 + r.neighbours.most); most <= maxPairs/maxRows {
		return int(most)
	}
	return r.documents(g, r.neighbours.of(g), groups)
}

// degree returns how many documents of groups are near group g, which count, too. With Options.Groups, other groups
// count as one.
func (r *relation) degree(g uint32, groups bool) int {
	if r.rows == nil {
		return r.documents(g, r.neighbours.of(g), groups)
	}
	var others []uint32
	for _, n := range r.rows(g, nil) {
		others = append(others, n.group)
	}
	return r.documents(g, others, groups)
}

// documents returns how many documents group g and some others have. If groups is true, each of the others counts as
// one.
func (r *relation) documents(g uint32, others []uint32, groups bool) int {
	n := len(r.groups.Members(g))
	for _, other := range others {
		if groups {
			n++
		} else {
			n += len(r.groups.Members(other))
		}
	}
	return n
}
