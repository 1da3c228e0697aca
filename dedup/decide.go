package dedup

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/dedupreport"
	"simsearch/internal/unionfind"
	"simsearch/prefix"
)

// Decisions say which documents of a Collection are kept.
type Decisions struct {
	c     *Collection
	coded *prefix.Sets
	// Kept is, for each document, the one that is kept in its place; itself if it is kept. Documents of the
	// reference come first.
	kept []uint32
	near []float64 // the similarity of each distinct set to that of the document kept for it

	centers []uint32                  // the set that is kept in the place of each, while Decide runs
	below   []dedupreport.AtThreshold // what has been counted of other thresholds
}

// Decide finds the near documents, and decides which are kept. The decisions depend on the documents and the options
// alone, not on threads or memory. It takes about two bytes a feature of distinct sets, and what prefix.Sets.Stars
// takes. The error is that of the file system, or the cause of ctx.
func (c *Collection) Decide(ctx context.Context) (*Decisions, error) {
	if c.decided != nil {
		return c.decided, nil
	}
	c.phase(Comparing)
	coded, err := c.collect(ctx)
	if err != nil {
		return nil, err
	}
	d := &Decisions{c: c, coded: coded, kept: make([]uint32, len(c.of))}
	best := c.best()
	order, refs := c.order(best)
	standsFor, err := c.group(ctx, coded, order, refs, c.o.Threshold, prefix.PairOptions{Threads: c.o.Threads, Progress: func(done, all int) {
		if c.o.Progress != nil {
			c.o.Progress(int64(done), int64(all))
		}
	}})
	if err != nil {
		return nil, err
	}
	d.near = make([]float64, len(standsFor))
	for set, center := range standsFor {
		shared, a, b, err := coded.Shared(uint32(set), center)
		if err != nil {
			return nil, err
		}
		d.near[set] = float64(shared) / float64(a+b-shared)
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

// collect returns the distinct sets, coded.
func (c *Collection) collect(ctx context.Context) (*prefix.Sets, error) {
	if c.coded != nil {
		return c.coded, nil
	}
	return prefix.Collect(ctx, distinctSets{c}, c.o.Threshold, prefix.Options{Threads: c.o.Threads, Memory: c.o.Memory / 4, PairsOnly: true})
}

// before reports whether document a is kept rather than b.
func (c *Collection) before(a, b uint32) bool {
	first := c.starts[c.refs]
	if inA, inB := a < first, b < first; inA != inB {
		return inA
	}
	if c.o.Keep == Longest && c.lengths[a] != c.lengths[b] {
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
	order = make([]uint32, len(best))
	for set, doc := range best {
		order[set] = uint32(set)
		if doc < c.starts[c.refs] {
			refs++
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if c.before(best[a], best[b]) {
			return -1
		}
		return 1 // no two sets have one document
	})
	return order, refs
}

// group returns, for each set, the one that is kept in its place.
func (c *Collection) group(ctx context.Context, coded *prefix.Sets, order []uint32, refs int, t float64, how prefix.PairOptions) ([]uint32, error) {
	of := make([]uint32, len(order))
	if !c.o.Chain {
		stars, err := coded.Stars(ctx, t, order, refs, how)
		for set, s := range stars {
			of[set] = s.Center
		}
		return of, err
	}
	// The sets of a component are numbered by their order, so that its least number is kept.
	place := make([]uint32, len(order))
	for i, set := range order {
		place[set] = uint32(i)
	}
	connected := unionfind.New(len(order))
	err := coded.Pairs(ctx, t, how, func(pairs []prefix.Pair) error {
		for _, p := range pairs {
			connected.Union(place[p.A], place[p.B])
		}
		return nil
	})
	for set := range of {
		of[set] = order[connected.Find(place[set])]
	}
	return of, err
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
