package join

import (
	"context"
	"errors"

	"simsearch/hamming"
	"simsearch/tables"
)

// ByFingerprints calls yield with every pair of documents whose fingerprints are within distance
// k, each once, ordered by A, then by B. docs are the numbers, below documents, of those that have a
// fingerprint, ascending, and fps their fingerprints, of up to width bits; both are changed.
//
// It joins the distinct fingerprints as tables.Pairs does, in 24 bytes a document and 40 a pair of
// distinct near fingerprints. Where k is so large that comparing all is cheaper, it holds no pairs at
// all. The error is that of ctx, of the file system, or the first of yield.
func ByFingerprints(ctx context.Context, documents int, docs []uint32, fps []uint64, width, k int, o Options, yield func(Pair) error) error {
	if k < 0 {
		return nil
	}
	c := groupFingerprints(documents, docs, fps)
	c.warn(o)
	design, ok := tables.PlanPairs(c.groups.Values, width, k)
	if !ok {
		return c.each(ctx, &compared{c, k}, o, yield)
	}
	n := &joined{listed{collection: c}}
	// Each pair is listed on both sides.
	n.neighbours.fs, n.neighbours.hold = o.Disk, 4*o.PairsInMemory
	how := tables.PairOptions{Threads: o.Threads, Both: true, Disk: o.Disk, PairsInMemory: 2 * o.PairsInMemory, Progress: o.Progress}
	err := tables.PairsBy(ctx, c.groups.Values, design, k, how, func(p tables.Pair) error { return n.neighbours.add(p.A, p.B) })
	if err == nil {
		err = n.neighbours.finish(len(c.groups.Values))
	}
	if err != nil {
		return errors.Join(err, n.neighbours.close())
	}
	return n.eachListed(ctx, n, o, yield)
}

// groupFingerprints brings together the documents that share a fingerprint.
func groupFingerprints(documents int, docs []uint32, fps []uint64) *collection {
	c := &collection{groupOf: make([]uint32, documents)}
	for i := range c.groupOf {
		c.groupOf[i] = noGroup
	}
	c.groups = tables.Group(fps, docs)
	for g := range c.groups.Values {
		for _, doc := range c.groups.Members(uint32(g)) {
			c.groupOf[doc] = uint32(g)
		}
	}
	return c
}

// joined relates fingerprints whose near pairs have been found.
type joined struct{ listed }

func (n *joined) near(_ context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	values := n.groups.Values
	dst = append(dst, neighbour{group: g})
	for _, other := range n.neighbours.of(g) {
		dst = append(dst, neighbour{group: other, distance: hamming.Distance(values[g], values[other])})
	}
	return dst, nil
}

func (*joined) within(_, _ uint32) (float64, bool, error) { return 0, true, nil }

// compared relates fingerprints that are compared, each with each, when it is asked.
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

// weight takes a group for one that may be near all.
func (c *compared) weight(g uint32, _ bool) int {
	return maxPairs/maxRows + len(c.groupOf)/64 + len(c.groups.Members(g))
}

func (*compared) within(_, _ uint32) (float64, bool, error) { return 0, true, nil }
