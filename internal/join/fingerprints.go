package join

import (
	"context"
	"errors"
	"fmt"

	"simsearch/hamming"
	"simsearch/internal/wide"
	"simsearch/tables"
)

// ByGroups calls yield with every pair of documents whose fingerprints, of up to width bits or of 128 or 256 bits, are within distance k. Each pair comes
// once, ordered by A, then by B. documents is the number of all documents; groups has those that take part, by their
// fingerprints. It does not change the groups.
//
// It joins the distinct fingerprints as tables.EachPair does. It takes 4 bytes per document and 40
// bytes per pair of distinct near fingerprints. If k is so large that comparing all fingerprints is
// cheaper, it holds no pairs at all. o.Design replaces the plan. The error is that of ctx or of the file system, or the first
// error of yield.
func ByGroups(ctx context.Context, documents int, groups tables.Groups, width, k int, o Options, yield func(Pair) error) error {
	if k < 0 {
		return nil
	}
	c := &collection{groups: groups}
	r, values := newRelation(c, o), groups.Values
	if words := wide.WordsOf(width); words > 1 {
		return r.byTables(ctx, documents, width, k, o, yield)
	}
	r.measure = func(g, other uint32) (neighbour, error) {
		return neighbour{other, Measures{Distance: hamming.Distance(values[g], values[other])}}, nil
	}
	design, ok := o.planPairs(values, width, k)
	if !ok {
		c.number(documents, func(uint32) bool { return true })
		r.rows = func(g uint32, skip func(other uint32) bool) (near []neighbour, _ error) {
			for _, m := range hamming.Scan(nil, values, values[g], k) {
				if m.Index != g && (skip == nil || !skip(m.Index)) {
					near = append(near, neighbour{m.Index, Measures{Distance: int(m.Distance)}})
				}
			}
			return near, nil
		}
		return r.each(ctx, o, yield)
	}
	how := o.ofPairs(design)
	err := r.list(ctx, o, func(add func(pairs []uint64) error) error {
		return tables.EachPair(ctx, values, width, k, how, add)
	})
	if err != nil {
		return errors.Join(err, r.neighbours.close())
	}
	// Most documents have a fingerprint of their own, which is near no other.
	c.number(documents, func(g uint32) bool { return len(groups.Members(g)) > 1 || r.neighbours.any(g) })
	return r.each(ctx, o, yield)
}

// byTables is ByGroups of fingerprints of more than 64 bits.
func (r *relation) byTables(ctx context.Context, documents, width, k int, o Options, yield func(Pair) error) error {
	t, words := wide.Build(r.groups.Values, width, o.Threads), wide.Words(width)
	value := func(g uint32) []uint64 { return r.groups.Values[int(g)*words:][:words] }
	r.measure = func(g, other uint32) (neighbour, error) {
		return neighbour{other, Measures{Distance: wide.Distance(value(g), value(other))}}, nil
	}
	if o.Explain != nil {
		o.Explain(fmt.Sprintf("pairs within %d of %d fingerprints: %s", k, t.Len(), wide.Describe(t.Len(), width)))
	}
	err := r.list(ctx, o, func(add func(pairs []uint64) error) error {
		return t.EachPair(ctx, k, wide.PairOptions{Threads: o.Threads, Progress: o.Progress}, add)
	})
	if err != nil {
		return errors.Join(err, r.neighbours.close())
	}
	r.number(documents, func(g uint32) bool { return len(r.groups.Members(g)) > 1 || r.neighbours.any(g) })
	return r.each(ctx, o, yield)
}

// leastGathered is the least memory for values that are brought together, in bytes. With less, they would be read very often.
const leastGathered = 64 << 20

// ofPairs returns the options of a join of fingerprints by a design. Values that are brought together take a quarter of the memory
// for pairs, which are held meanwhile.
func (o *Options) ofPairs(design tables.Design) tables.PairOptions {
	how := tables.PairOptions{Threads: o.Threads, Design: design, Progress: o.Progress}
	if o.PairsInMemory > 0 {
		how.Memory = max(leastGathered, 10*int64(o.PairsInMemory))
	}
	return how
}

// planPairs returns the design of tables by which pairs of fingerprints are found, or false if all are compared. It explains which.
func (o *Options) planPairs(values []uint64, width, k int) (d tables.Design, ok bool) {
	if d, ok = o.Design, o.Design.Width() == width && k <= o.Design.Exact(); !ok {
		d, ok = tables.PlanPairs(values, width, k)
	}
	n := len(values)
	switch {
	case o.Explain == nil:
	case !ok:
		o.Explain(fmt.Sprintf("pairs within %d: each of %d fingerprints is compared with all, since tables would take longer", k, n))
	default:
		o.Explain(fmt.Sprintf("pairs within %d of %d fingerprints: %v", k, n, d))
	}
	return d, ok
}

// number sets the group of each document of a group that has pairs. The others are left out, as if they were empty.
func (c *collection) number(documents int, hasPairs func(g uint32) bool) {
	c.groupOf = make([]uint32, documents)
	for i := range c.groupOf {
		c.groupOf[i] = noGroup
	}
	for g := range uint32(len(c.groups.Ends) - 1) {
		if !hasPairs(g) {
			continue
		}
		for _, doc := range c.groups.Members(g) {
			c.groupOf[doc] = g
		}
	}
}
