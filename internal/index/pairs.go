package index

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/join"
)

// A Pair is two near documents, A and B, and their Measures. A comes before B in the collection.
type Pair = join.Pair

// PairOptions say how Pairs and Groups work. Only Groups, Chain, Where and Limit change their answers.
type PairOptions struct {
	Threads int // at least one
	// Groups makes a group of the documents that share a fingerprint, by distance. By similarity, it makes
	// one of those whose sets are equal, or differ only in a few features that no other set has. With a
	// recall below 1, those that share a signature are one. Each document is paired only with the first
	// document of its group. All other pairs are pairs of first documents. So a million equal documents
	// make a million pairs, not half a trillion.
	//
	// By distance, all other pairs follow from these. By similarity nearly all do: a set that is nearly
	// equal to the first one may be near others, or not, where the first one is not, or is.
	Groups bool
	// Chain makes groups of whatever near pairs connect: A and C are in one group if both are near
	// B. Otherwise a group is its representative with documents that are near it.
	Chain bool
	// Limit, if not 0, is how many pairs are wanted, the nearest, or how many groups, the largest.
	Limit int
	// PairsInMemory is about how many pairs of fingerprints or sets are held in memory, at 88 bytes each at most.
	// Further pairs go to temporary files. 0 is what half of the machine's memory holds.
	PairsInMemory int
	// Many, if not nil, is called first if there are more than 10,000 pairs.
	Many func(Many)
	// Explain, if not nil, is called with a text that says how pairs are found.
	Explain func(how string)
	// Progress, if not nil, is called with the number of finished parts of the work and the number
	// of all parts.
	Progress func(done, parts int)
	// Where are conditions on kept fields. Documents that do not meet all of them are as if they were not there.
	Where []Where
	// Apart, if not nil, says of two near documents that they do not count as near. Groups leaves a document out of
	// which it says so, and the representative of its group. It is called by one goroutine at a time.
	Apart func(a, b uint32) (bool, error)
}

// Pairs calls yield with every pair of documents that are near by p. Each pair comes once, ordered by A, then by B.
// Empty documents are near nothing. With a limit, the nearest pairs come, nearest first; of those equally near, the
// first. They take 32 bytes each, twice.
//
// By distance, Pairs joins the distinct fingerprints as tables.Pairs does. Where the blocks of tables were chosen by
// hand, it joins by these, if they find the distance by equal headers. It takes three sevenths of a byte per
// document, 36 bytes more with conditions, 48 bytes per document that is near another one, and 40 bytes per pair of
// distinct near fingerprints. Fingerprints of several segments are brought together, in a temporary file if they take
// more than 64 MiB. If the distance is so large that comparing all fingerprints is cheaper, it holds no pairs at all.
//
// By similarity, Pairs joins the distinct sets by their first features (setjoin.Pairs), and misses
// none. It takes 36 bytes per document and 16 more for a pair of distinct sets. The sets of several
// segments are coded anew, in memory. With a recall below 1, or if sets are not compared, it verifies the
// pairs that lsh.Pairs finds by bands that it chooses itself, whatever bands the index has stored. It
// takes 36 bytes per document and 16 more per thread.
//
// Pairs verifies the segments first. At the end it makes sure that none was changed in the meantime
// (see Unchanged). The error is ErrNoSearch, ErrCorrupt, ErrClosed, lsh.ErrRecall, the error of ctx
// or of the file system, or the first error of yield.
func (ix *Snapshot) Pairs(ctx context.Context, p Predicate, o PairOptions, yield func(Pair) error) error {
	search, err := p.criterion(ix)
	if err != nil {
		return err
	}
	incomplete := p.BySets() && ix.Settings().Fingerprints()
	all := func(yield func(Pair) error) error {
		return ix.joining(o, func(how join.Options) error {
			return search.join(ctx, how, func(p Pair) error {
				if o.Apart != nil {
					if apart, err := o.Apart(p.A, p.B); err != nil || apart {
						return err
					}
				}
				if incomplete {
					p.Distance = ix.distance(p.A, p.B)
				}
				return yield(p)
			})
		})
	}
	if o.Limit == 0 {
		return all(yield)
	}
	nearest, err := nearestPairs(all, o.Limit)
	for i := 0; i < len(nearest) && err == nil; i++ {
		err = yield(nearest[i])
	}
	return err
}

// nearestPairs returns the nearest of all pairs, which come in their order.
func nearestPairs(all func(yield func(Pair) error) error, limit int) (nearest []Pair, err error) {
	cut := func() {
		slices.SortFunc(nearest, func(p, q Pair) int {
			return cmp.Or(p.Compare(&q.Measures), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
		})
		nearest = nearest[:min(limit, len(nearest))]
	}
	err = all(func(p Pair) error {
		if nearest = append(nearest, p); len(nearest)/2 >= limit {
			cut()
		}
		return nil
	})
	cut()
	return nearest, err
}

// Many is what Pairs knows before it yields very many pairs.
type Many = join.Many

// PairsInMemory returns PairOptions.PairsInMemory for an amount of memory in bytes, of which the given number of
// documents take their share, half of it at most.
func PairsInMemory(bytes int64, documents int) int {
	const (
		perDocument = 48
		perPair     = 48 + join.PerPair // sorted, 32; listed, 16; what a join takes to find them
		least       = 1 << 16
	)
	return int(max(least, (bytes-min(bytes/2, perDocument*int64(documents)))/perPair))
}

// joining calls do with verified segments, and makes sure afterwards that none was changed in the meantime.
func (ix *Snapshot) joining(o PairOptions, do func(join.Options) error) error {
	if o.PairsInMemory == 0 {
		o.PairsInMemory = PairsInMemory(spill.DefaultMemory(), ix.Len())
	}
	how := join.Options{
		Threads: o.Threads, Groups: o.Groups, PairsInMemory: o.PairsInMemory, Disk: ix.fs,
		Many: o.Many, Explain: o.Explain, Progress: o.Progress,
	}
	return ix.reading(func() error {
		if err := ix.verify(o.Threads); err != nil {
			return err
		}
		var err error
		if how.Only, err = ix.only(o.Where); err != nil {
			return err
		}
		if err := do(how); err != nil {
			return err
		}
		return ix.Unchanged()
	})
}

// Distance returns the distance of two documents of an index with fingerprints, or NoDistance.
func (ix *Snapshot) Distance(a, b uint32) (distance int, err error) {
	err = ix.reading(func() error {
		distance = ix.distance(a, b)
		return nil
	})
	return distance, err
}

// distance is Distance for a caller that is reading.
func (ix *Snapshot) distance(a, b uint32) int {
	x, okX := ix.Hashes(a)
	y, okY := ix.Hashes(b)
	if !okX || !okY {
		return NoDistance
	}
	return ix.between(x, y)
}

// A Group is near documents. Each is near the representative or, if PairOptions.Chain is set, near
// some other.
type Group struct {
	Documents []uint32 // ascending, two or more
	// Representative is the document with the most near documents, the first of several.
	Representative uint32
	// Measures are the smallest Jaccard similarity, or the largest Distance, of two documents of the group:
	// documents without a fingerprint do not count.
	Measures
	// Apart is set if these two documents are not near each other.
	Apart bool
	// Estimated is set if the group is so large that its documents were compared with the
	// representative and with some others only. The true extreme may be worse.
	Estimated bool
}

// Groups calls yield with groups of near documents, the largest first, equally large ones in the order
// of their first documents. A document is in one group at most.
//
// Without PairOptions.Chain, documents are taken as representatives in the order of the number of
// documents near them, the most first, unless an earlier representative is near; then they belong to the
// nearest of these. So no two representatives are near each other. Where hundreds of sets are near one,
// that number is a rough one. By distance, it counts the near fingerprints and the documents that are equal.
//
// By distance, and by exact similarity, Groups lists pairs only if they are few (join.GroupFingerprints,
// join.Representatives). Otherwise it takes 32 bytes a pair of distinct documents beside what Pairs takes. Errors are
// those of Pairs.
func (ix *Snapshot) Groups(ctx context.Context, p Predicate, o PairOptions, yield func(Group) error) error {
	search, err := p.criterion(ix)
	if err != nil {
		return err
	}
	o.Groups = true
	return ix.joining(o, func(how join.Options) error {
		of, err := search.group(ctx, o.Chain, how)
		if err != nil {
			return err
		}
		for place, representative := range of.Of {
			if o.Apart == nil || representative == uint32(place) {
				continue
			}
			apart, err := o.Apart(of.Document(representative), of.Document(uint32(place)))
			if err != nil {
				return err
			}
			if apart {
				of.Of[place] = uint32(place)
			}
		}
		groups := of.Groups()
		if o.Limit > 0 {
			groups = groups[:min(o.Limit, len(groups))]
		}
		measure := func(ctx context.Context, i int) (Group, error) {
			g := Group{Documents: groups[i].Documents, Representative: groups[i].Representative}
			return g, search.measure(ctx, &g)
		}
		return parallel.Ordered(ctx, o.Threads, len(groups), measure, yield)
	})
}

// measureDistinct fills in how near the documents of a group are by p: those that differ in what of returns of each,
// as compare measures two of these. Of a document without it, of returns false. Up to most are compared with all.
func measureDistinct[T comparable](ctx context.Context, g *Group, p Predicate, most int,
	of func(doc uint32) (x T, ok bool), compare func(x, y T) (Measures, error),
) (err error) {
	values, representative := join.Distinct(g.Documents, g.Representative, of)
	if len(values) > 0 {
		if g.Measures, err = compare(values[representative], values[representative]); err != nil {
			return err
		}
	}
	g.Estimated, err = join.Comparisons(ctx, len(values), representative, most, func(i, j int) error {
		if i == j {
			return nil
		}
		m, err := compare(values[i], values[j])
		g.Farthest(&m)
		return err
	})
	g.Apart = !p.Reached(&g.Measures)
	return err
}
