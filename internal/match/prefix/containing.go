package prefix

import (
	"context"
	"slices"

	"simsearch/internal/ground/ints"
)

// QueriesAtOnce is about how many queries of Containing are worth one reading of all sets: more take memory and save
// no time.
const QueriesAtOnce = 1 << 9

// commonContained is how many features of a choice are shared, if a pair shares as many.
const commonContained = 3

// Containing calls do with each query, by its number, and each set of which the larger one has at least the share t,
// in (0, 1], of the smaller one. Queries are sets of features, strictly ascending and not empty.
//
// If at least m of the n features of the smaller one are shared, any choice of n-m+c of these has c shared ones. The
// rarest are chosen, as far as that is known. Postings have no features of the larger one but its first, so that all
// sets are read, once for all queries. Each feature is looked up among those that were chosen of smaller queries, and
// those that are chosen of the set itself among all features of larger ones. What has c of them is compared. The
// error is the cause of ctx.
func (s *Sets) Containing(ctx context.Context, queries [][]uint64, t float64, do func(query int, m Match)) error {
	c := &containing{sets: s, t: t, queries: queries}
	c.list()
	for set := range uint32(s.Len()) {
		if set%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.look(set, do)
	}
	return nil
}

// containing is queries that are compared with all sets.
type containing struct {
	sets    *Sets
	t       float64
	queries [][]uint64
	common  []int // of each query
	ints.Counter

	all, chosen probe          // features of queries, and those that were chosen
	start       map[uint64]int // of each feature, where its entries begin
	features    []uint64       // of the entries, ascending
	entries     []uint32       // the number of a query, twice, and one more if the feature was chosen

	set []uint64 // of the collection
}

// choice returns how many features are chosen of a smaller set of n features, and how many of them are shared.
func (c *containing) choice(n int) (length, common int) {
	least := LeastSize(n, c.t)
	common = min(commonContained, least)
	return Needed(n, least, common), common
}

// list lists the queries by their features.
func (c *containing) list() {
	c.Grow(len(c.queries))
	var chooser chooser
	var chosen []uint64
	for q, features := range c.queries {
		length, common := c.choice(len(features))
		c.common = append(c.common, common)
		first := features[:length]
		if c.sets.postings.exists() {
			first = chooser.Choose(c.sets.postings.rarity, features, length, true)
		}
		from := len(chosen)
		chosen = append(chosen, first...)
		slices.Sort(chosen[from:])
		mine := chosen[from:]
		for _, f := range features {
			e := uint32(q) << 1
			if _, ok := slices.BinarySearch(mine, f); ok {
				e |= 1
			}
			c.features, c.entries = append(c.features, f), append(c.entries, e)
		}
	}
	ints.SortPairs(c.features, c.entries)
	c.start = make(map[uint64]int, len(c.features))
	for i, f := range c.features {
		if i == 0 || f != c.features[i-1] {
			c.start[f] = i
		}
	}
	c.all.make(slices.Compact(slices.Clone(c.features)))
	slices.Sort(chosen)
	c.chosen.make(slices.Compact(chosen))
}

// look compares a set with the queries that share enough of what is chosen.
func (c *containing) look(set uint32, do func(query int, m Match)) {
	d := c.sets.Decoder(set)
	ranks := d.Ranks
	c.set = c.sets.appendRanked(c.set[:0], set)
	length, common := c.choice(len(c.set))
	alone := len(c.set) - ranks
	defer c.Reset()
	for i, f := range c.set { // the rarest are those of no other set, which come last, and then the first ones
		mine := i < length-alone || i >= ranks && i-ranks < length
		if !mine && c.chosen.has(f) == 0 || mine && c.all.has(f) == 0 {
			continue
		}
		for at := c.start[f]; at < len(c.features) && c.features[at] == f; at++ {
			e := c.entries[at]
			switch q := e >> 1; {
			case mine && len(c.queries[q]) >= len(c.set):
				c.Count(q, common)
			case e&1 != 0 && len(c.queries[q]) < len(c.set):
				c.Count(q, c.common[q])
			}
		}
	}
	for _, q := range c.Found {
		query := c.sets.query(c.queries[q])
		least := func(size int) int { return LeastSize(min(size, len(query.features)), c.t) }
		m, ok := query.compare(set, least)
		if query.end(); ok {
			do(int(q), m)
		}
	}
}
