package dedup

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/dedupreport"
	"simsearch/internal/join"
	"simsearch/internal/mmap"
)

// Decisions say which documents of a Collection are kept.
type Decisions struct {
	c       *Collection
	coded   relation      // of the distinct sets
	grouper *join.Grouper // of these, at the threshold
	// Kept is, for each document, the one that is kept in its place; itself if it is kept. Documents of the
	// reference come first.
	kept []uint32
	near []float64 // the similarity of each distinct set to that of the document kept for it
	// Inside is, for each distinct set that is no nearer than Options.Contained wants, the share of its features that
	// the other one has, and else 0. It is nil without that option.
	inside []float64
	glue   *glue // of suspicious groups, once texts have been written

	centers []uint32                  // the set that is kept in the place of each, while Decide runs
	below   []dedupreport.AtThreshold // what has been counted of other thresholds
}

// Decide finds the near documents, and decides which are kept. The decisions depend on the documents and the options
// alone, not on threads or memory. It takes about two bytes a feature of distinct sets, in a temporary file beyond 64 MiB,
// and what prefix.Sets.Stars takes. It ends the use of what an earlier call has returned. The error is that of the
// file system, or the cause of ctx.
func (c *Collection) Decide(ctx context.Context) (d *Decisions, err error) {
	if c.leftOut, err = c.findLeftOut(ctx, c.hasNothing); err != nil {
		return nil, err
	}
	if c.decided != nil {
		return c.decided, nil
	}
	err = mmap.Guarded(func() error {
		d, err = c.decide(ctx)
		return err
	})
	return d, err
}

func (c *Collection) decide(ctx context.Context) (*Decisions, error) {
	if c.coded == nil {
		c.phase(Counting)
	}
	coded, err := c.collect(ctx, c.o.Progress)
	if err != nil {
		return nil, err
	}
	c.phase(Comparing)
	d := &Decisions{c: c, coded: coded, kept: make([]uint32, len(c.of))}
	best := c.best()
	order, refs := c.order(best)
	how := join.Options{Threads: c.o.Threads, Progress: c.progress}
	if d.grouper, err = join.NewGrouper(ctx, coded, c.o.Threshold, how); err != nil {
		return nil, err
	}
	standsFor, err := d.group(ctx, d.grouper, order, refs, c.o.Threshold, how)
	if err != nil {
		return nil, err
	}
	d.near, d.inside = make([]float64, len(standsFor)), c.newInside()
	for set, center := range standsFor {
		similarity, inside, err := coded.nearness(uint32(set), center)
		if err != nil {
			return nil, err
		}
		d.near[set] = similarity
		d.setInside(uint32(set), inside)
	}
	for doc, set := range c.of {
		d.kept[doc] = uint32(doc)
		if set != noSet && uint32(doc) >= c.starts[c.refs] {
			d.kept[doc] = best[standsFor[set]]
		}
	}
	d.centers = standsFor
	return d, d.save(ctx)
}

// before reports whether document a is kept rather than b.
func (c *Collection) before(a, b uint32) bool {
	first := c.starts[c.refs]
	if inA, inB := a < first, b < first; inA != inB {
		return inA
	}
	switch {
	case c.rank != nil && c.rank[a] != c.rank[b]:
		return c.rank[a] < c.rank[b]
	case c.keys != nil && c.keys.compare(a, b) != 0:
		return c.keys.compare(a, b) > 0
	case c.o.Keep.Way == Longest && c.lengths[a] != c.lengths[b]:
		return c.lengths[a] > c.lengths[b]
	}
	return a < b
}

// best returns, for each distinct set, the document that is kept of those that have it.
func (c *Collection) best() []uint32 {
	if c.earlier != nil {
		return c.earlier.best
	}
	best := make([]uint32, len(c.sizes))
	for i := range best {
		best[i] = noSet
	}
	for doc, set := range c.of {
		if set != noSet && (best[set] == noSet || c.before(uint32(doc), best[set])) {
			best[set] = uint32(doc)
		}
	}
	return best
}

// order returns the distinct sets in the order in which they are kept, and how many of them the reference has.
func (c *Collection) order(best []uint32) (order []uint32, refs int) {
	if c.earlier != nil {
		return c.earlier.order, c.earlier.refSets
	}
	if c.ordersByLength() {
		return c.orderByLength(best)
	}
	return c.orderByComparing(best)
}

// orderByComparing is order without a faster way.
func (c *Collection) orderByComparing(best []uint32) (order []uint32, refs int) {
	order = make([]uint32, len(best))
	for set, doc := range best {
		order[set] = uint32(set)
		if doc < c.starts[c.refs] {
			refs++
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if bySize := c.bySize(a, b, best); bySize != 0 {
			return bySize
		}
		if c.before(best[a], best[b]) {
			return -1
		}
		return 1 // no two sets have one document
	})
	return order, refs
}

// group returns, for each set, the one that is kept in its place at similarity t.
func (d *Decisions) group(ctx context.Context, near *join.Grouper, order []uint32, refs int, t float64, how join.Options) ([]uint32, error) {
	if d.c.o.Chain {
		return near.Components(ctx, t, order, how)
	}
	return near.Stars(ctx, t, order, refs, how)
}

// A cluster is the documents that one is kept for.
type cluster struct {
	kept      uint32
	documents []uint32 // ascending, with the one that is kept
}

// clusters returns the clusters of two documents or more, the largest first, equally large ones in the order of their
// first documents.
func (d *Decisions) clusters() []cluster {
	sizes := make([]uint32, len(d.kept))
	for _, kept := range d.kept {
		sizes[kept]++
	}
	at := map[uint32]int{}
	var all []cluster
	for doc, kept := range d.kept {
		if sizes[kept] < 2 {
			continue
		}
		i, ok := at[kept]
		if !ok {
			i = len(all)
			at[kept] = i
			all = append(all, cluster{kept: kept, documents: make([]uint32, 0, sizes[kept])})
		}
		all[i].documents = append(all[i].documents, uint32(doc))
	}
	slices.SortStableFunc(all, func(a, b cluster) int { return cmp.Compare(len(b.documents), len(a.documents)) })
	return all
}

// exact reports whether a removed document has the text of the one kept for it.
func (d *Decisions) exact(doc uint32) bool {
	kept := d.kept[doc]
	return d.c.of[doc] == d.c.of[kept] && d.c.digests[doc] == d.c.digests[kept] && d.c.lengths[doc] == d.c.lengths[kept]
}

// similarity returns the similarity of a document to the one kept for it.
func (d *Decisions) similarity(doc uint32) float64 {
	if d.kept[doc] == doc {
		return 1
	}
	return d.near[d.c.of[doc]]
}
