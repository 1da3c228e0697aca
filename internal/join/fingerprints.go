package join

import (
	"context"
	"errors"
	"fmt"

	"simsearch/hamming"
	"simsearch/tables"
)

// ByFingerprints calls yield with every pair of documents whose fingerprints are within distance k.
// Each pair comes once, ordered by A, then by B. documents is the number of all documents. docs are
// the numbers of those that have a fingerprint, in ascending order, and fps are their fingerprints,
// of up to width bits. Both slices are changed. It groups them, in 12 more bytes per document, and is ByGroups otherwise.
func ByFingerprints(ctx context.Context, documents int, docs []uint32, fps []uint64, width, k int, o Options, yield func(Pair) error) error {
	docs, fps = o.only(docs, fps)
	return ByGroups(ctx, documents, tables.Group(fps, docs), width, k, o, yield)
}

// ByGroups is ByFingerprints for documents that are grouped by their fingerprints, all of which take part. It does not
// change the groups.
//
// It joins the distinct fingerprints as tables.Pairs does. It takes 4 bytes per document and 40
// bytes per pair of distinct near fingerprints. If k is so large that comparing all fingerprints is
// cheaper, it holds no pairs at all. o.Design replaces the plan. The error is that of ctx or of the file system, or the first
// error of yield.
func ByGroups(ctx context.Context, documents int, groups tables.Groups, width, k int, o Options, yield func(Pair) error) error {
	if k < 0 {
		return nil
	}
	c := &collection{groups: groups}
	c.measure()
	design, ok := o.planPairs(c.groups.Values, width, k)
	if !ok {
		c.number(documents, func(uint32) bool { return true })
		return c.each(ctx, &compared{c, k}, o, yield)
	}
	n := &joined{listed{collection: c}}
	// Each pair is listed for both of its groups.
	n.neighbours.fs, n.neighbours.hold = o.Disk, 4*o.PairsInMemory
	how := tables.PairOptions{Threads: o.Threads, Design: design, Both: true, Disk: o.Disk, PairsInMemory: 2 * o.PairsInMemory, Progress: o.Progress}
	err := tables.Pairs(ctx, c.groups.Values, width, k, how, func(p tables.Pair) error { return n.neighbours.add(p.A, p.B) })
	if err == nil {
		err = n.neighbours.finish(len(c.groups.Values))
	}
	if err != nil {
		return errors.Join(err, n.neighbours.close())
	}
	// Most documents have a fingerprint of their own, which is near no other.
	c.number(documents, func(g uint32) bool { return len(c.groups.Members(g)) > 1 || n.neighbours.any(g) })
	return n.eachListed(ctx, n, o, yield)
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
		o.Explain(fmt.Sprintf("pairs within %d of %d fingerprints: %v, %s", k, n, d, d.Expected(n)))
	}
	return d, ok
}

// number sets the group of each document of a group that has pairs. The others are left out, as if they were empty.
func (c *collection) number(documents int, hasPairs func(g uint32) bool) {
	c.groupOf = make([]uint32, documents)
	for i := range c.groupOf {
		c.groupOf[i] = noGroup
	}
	for g := range uint32(len(c.groups.Values)) {
		if !hasPairs(g) {
			continue
		}
		for _, doc := range c.groups.Members(g) {
			c.groupOf[doc] = g
		}
	}
}

// joined relates groups whose near pairs have been found before.
type joined struct{ listed }

func (n *joined) near(_ context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	values, first := n.groups.Values, n.groups.Members(g)[0]
	dst = append(dst, neighbour{group: g})
	for _, other := range n.neighbours.of(g) {
		if members := n.groups.Members(other); members[len(members)-1] < first {
			continue // these pairs are found from its own side
		}
		dst = append(dst, neighbour{group: other, distance: hamming.Distance(values[g], values[other])})
	}
	return dst, nil
}

func (*joined) within(_, _ uint32) (float64, bool, error) { return 0, true, nil }

// compared relates groups by comparing each fingerprint with all others when it is asked.
type compared struct {
	*collection
	k int
}

func (c *compared) near(_ context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	for _, m := range hamming.Scan(nil, c.groups.Values, c.groups.Values[g], c.k) {
		dst = append(dst, neighbour{group: m.Index, distance: int(m.Distance)})
	}
	return dst, nil
}

func (c *compared) degree(_ context.Context, g uint32, groups bool) (documents int, _ error) {
	for _, m := range hamming.Scan(nil, c.groups.Values, c.groups.Values[g], c.k) {
		documents += c.counts(g, m.Index, groups)
	}
	return documents, nil
}

// weight assumes that the group may be near all others.
func (c *compared) weight(g uint32, _ bool) int {
	return maxPairs/maxRows + len(c.groupOf)/64 + len(c.groups.Members(g))
}

func (*compared) within(_, _ uint32) (float64, bool, error) { return 0, true, nil }
