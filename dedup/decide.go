package dedup

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/join"
	"simsearch/internal/mmap"
)

// Decisions say which documents of a Collection are kept.
type Decisions struct {
	c       *Collection
	coded   relation      // of the distinct sets
	grouper *join.Grouper // of these, at the threshold
	best    []uint32      // the document that is kept of those that have each distinct set
	order   []uint32      // the distinct sets in the order in which they are kept
	refs    int           // how many of these the reference has
	// Kept is, for each document, the one that is kept in its place; itself if it is kept. Documents of the
	// reference come first.
	kept []uint32
	near []float64 // the similarity of each distinct set to that of the document kept for it
	// Inside is, for each distinct set that is no nearer than Options.Contained wants, the share of its features that
	// the other one has, and else 0. It is nil without that option.
	inside []float64
	glue   *glue // of suspicious groups, once texts have been written

	centers []uint32        // the set that is kept in the place of each
	counted map[float64]int // the documents that would be removed at other thresholds, as far as they have been counted
}

// Decide finds the near documents, and decides which are kept. The decisions depend on the documents and the options
// alone, not on threads or memory. It takes about two bytes a feature of distinct sets, in a temporary file beyond 64 MiB,
// and what prefix.Sets.Stars takes. It ends the use of what an earlier call has returned. The error is that of the
// file system, or the cause of ctx.
func (c *Collection) Decide(ctx context.Context) (d *Decisions, err error) {
	if c.leftOut, err = c.findLeftOut(ctx, c.hasNothing); err != nil {
		return nil, err
	}
	err = mmap.Guarded(func() error {
		d, err = c.decide(ctx)
		return err
	})
	return d, err
}

func (c *Collection) decide(ctx context.Context) (*Decisions, error) {
	if c.restored == nil {
		c.phase(Counting)
	}
	coded, err := c.collect(ctx, c.o.Progress)
	if err != nil {
		return nil, err
	}
	c.phase(Comparing)
	d := &Decisions{c: c, coded: coded, kept: make([]uint32, len(c.of)), counted: map[float64]int{}}
	for _, t := range c.below {
		d.counted[t.Threshold] = t.Removed
	}
	d.best = c.best()
	d.order, d.refs = c.order(d.best)
	how := join.Options{Threads: c.o.Threads, Progress: c.progress}
	if d.grouper, err = join.NewGrouper(ctx, coded, c.o.Threshold, how); err != nil {
		return nil, err
	}
	if d.centers, err = d.group(ctx, d.grouper, c.o.Threshold, how); err != nil {
		return nil, err
	}
	d.near = make([]float64, len(d.centers))
	if c.o.Contained > 0 {
		d.inside = make([]float64, len(d.centers))
	}
	for set, center := range d.centers {
		similarity, inside, err := coded.nearness(uint32(set), center)
		if err != nil {
			return nil, err
		}
		if d.near[set] = similarity; d.inside != nil && similarity < c.o.Threshold {
			d.inside[set] = inside
		}
	}
	for doc, set := range c.of {
		d.kept[doc] = uint32(doc)
		if set != noSet && uint32(doc) >= c.starts[c.refs] {
			d.kept[doc] = d.best[d.centers[set]]
		}
	}
	return d, c.save(ctx, d)
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
	case c.keys != nil:
		if order := c.keys.compare(a, b); order != 0 {
			return order > 0
		}
	case c.o.Keep.Way == Longest && c.lengths[a] != c.lengths[b]:
		return c.lengths[a] > c.lengths[b]
	}
	return a < b
}

// best returns, for each distinct set, the document that is kept of those that have it.
func (c *Collection) best() []uint32 {
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

// order returns the distinct sets in the order in which they are kept, and how many of them the reference has. If contained
// documents are removed, larger sets come first: what contains a document is kept before it is looked at.
func (c *Collection) order(best []uint32) (order []uint32, refs int) {
	order = make([]uint32, len(best))
	for set, doc := range best {
		order[set] = uint32(set)
		if doc < c.starts[c.refs] {
			refs++
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		first := c.starts[c.refs]
		if bySize := cmp.Compare(c.sizes[b], c.sizes[a]); bySize != 0 && c.o.Contained > 0 && best[a] >= first && best[b] >= first {
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
func (d *Decisions) group(ctx context.Context, near *join.Grouper, t float64, how join.Options) ([]uint32, error) {
	if d.c.o.Chain {
		return near.Components(ctx, t, d.order, how)
	}
	return near.Stars(ctx, t, d.order, d.refs, how)
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

// contained returns which share of the features of a removed document is in the one kept for it, if it is removed for
// that, and else 0.
func (d *Decisions) contained(doc uint32) float64 {
	if d.inside == nil || d.kept[doc] == doc {
		return 0
	}
	return d.inside[d.c.of[doc]]
}

// KeptFor returns the number of the document that is kept in the place of document doc, in the order of reading from 0: doc
// itself if it is kept.
func (d *Decisions) KeptFor(doc int) int { return int(d.kept[doc]) }

// countAt counts the documents that would be removed at other thresholds, unless it has been done before.
func (d *Decisions) countAt(ctx context.Context, thresholds []float64) error {
	var left []float64
	for _, t := range thresholds {
		if _, ok := d.counted[t]; !ok {
			left = append(left, t)
		}
	}
	if len(left) > 0 {
		d.c.phase(Trying)
	}
	removed, err := d.RemovedAt(ctx, left)
	for i, n := range removed {
		d.counted[left[i]] = n
	}
	return err
}
