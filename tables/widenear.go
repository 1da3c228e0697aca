package tables

import (
	"context"
	"slices"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/match/kernels"
)

// What parts of a query cost, about, in nanoseconds: reading the entries of a key, comparing the next bits of an
// entry, comparing a fingerprint somewhere in memory, and comparing one after the other.
const (
	costKey     = 20
	costEntry   = .15
	costCompare = 12
	costScanned = 3
)

// passes has the share of the entries of keys at each distance d that are compared as a whole, of fingerprints spread
// evenly, if the next block has the same threshold: of those whose next 16 bits differ in at most d+1.
var passes [blockBits + 1]float64

func init() {
	for d := range passes {
		passes[d] = share(blockBits, d+1)
	}
}

// A wideSearch is the working memory of a query.
type wideSearch struct {
	t          *Wide
	q          []uint64
	k          int
	thresholds []int // t(i) of each block
	runs       []wideRun
	positions  []uint32
	candidates []uint32
	stats      Stats // of keys, and of fingerprints that were compared as a whole
}

// A wideRun is the entries [lo, hi) of a table, and how many of the next bits may differ.
type wideRun struct {
	lo, hi uint32
	limit  int
}

var wideSearches = sync.Pool{New: func() any { return new(wideSearch) }}

// Near appends the fingerprints within distance k of q, nearest first, and equally near ones by their numbers. q has
// Words(Width()) words. stats may be nil.
func (t *Wide) Near(dst []hamming.Match, q []uint64, k int, stats *Stats) []hamming.Match {
	if k < 0 {
		return dst
	}
	s := wideSearches.Get().(*wideSearch)
	defer wideSearches.Put(s)
	s.t, s.q, s.k, s.candidates, s.stats = t, q, k, s.candidates[:0], Stats{}
	dst = s.near(dst)
	if stats != nil {
		stats.Add(s.stats)
	}
	return dst
}

func (s *wideSearch) near(dst []hamming.Match) []hamming.Match {
	t, start := s.t, len(dst)
	var planned bool
	s.thresholds, planned = t.choose(s.thresholds[:0], s.k, s.cost)
	if !planned || !s.gather() { // comparing all costs less
		values := t.values.Range(0, uint64(t.n*t.words))
		s.stats.Scans++
		s.stats.Compared += int64(t.n)
		return ScanWide(dst, values, s.q, s.k)
	}
	s.stats.Compared += int64(len(s.candidates))
	for _, x := range s.candidates {
		if d := Distance(t.value(x), s.q); d <= s.k {
			dst = append(dst, hamming.Match{Index: x, Distance: uint16(d)})
		}
	}
	sortMatches(dst[start:]) // equal ones, found by several tables, are neighbours
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// choose appends the thresholds of the tables that cost the least for distance k, by what table i costs for keys at
// distance d. It returns false if comparing all fingerprints costs less.
func (t *Wide) choose(dst []int, k int, cost func(i, d int) float64) (thresholds []int, planned bool) {
	if len(t.tables) == 0 || k >= t.width {
		return dst, false
	}
	var next [mostBits / blockBits]float64 // what the next distance of each table costs
	for i := range t.tables {
		dst = append(dst, -1)
		next[i] = cost(i, 0)
	}
	sum := 0.
	for range k + 1 { // from the sum -m to k-m+1
		best := 0
		for i := range dst {
			if next[i] < next[best] {
				best = i
			}
		}
		if sum += next[best]; sum > costScanned*float64(t.n) {
			return dst, false
		}
		dst[best]++
		next[best] = cost(best, dst[best]+1)
	}
	return dst, true
}

// keys returns how many keys are at distance d from any one.
func (t *Wide) keys(d int) float64 {
	if d > t.keyBits {
		return 0
	}
	n, _ := choose(t.keyBits, d)
	return float64(n)
}

// uniform returns what a table costs for keys at distance d if fingerprints are spread evenly.
func (t *Wide) uniform(_, d int) float64 {
	keys := t.keys(d)
	return costOf(keys, keys*float64(t.n)/float64(uint(1)<<t.keyBits), d)
}

// costOf returns what some keys at distance d cost that have so many entries.
func costOf(keys, entries float64, d int) float64 {
	return costKey*keys + (costEntry+costCompare*passes[min(d, blockBits)])*entries
}

// cost returns what table i costs for keys at distance d from that of the query. The directory tells how many entries
// they have. Beyond a distance of 1 it is not asked for so many.
func (s *wideSearch) cost(i, d int) float64 {
	if d > 1 {
		return s.t.uniform(i, d)
	}
	entries, key := uint32(0), s.t.key(s.q, i)
	for mask := range subsets(s.t.keyBits, d) {
		lo, hi := s.t.span(i, key^uint32(mask))
		entries += hi - lo
	}
	return costOf(s.t.keys(d), float64(entries), d)
}

// gather gathers the candidates of all tables. It returns false if there are so many that comparing all costs less.
func (s *wideSearch) gather() bool {
	t := s.t
	most := t.n * costScanned / costCompare
	m := len(t.tables)
	for i, threshold := range s.thresholds {
		if threshold < 0 {
			continue
		}
		// The most in which this block and the next may differ.
		both := threshold + s.thresholds[(i+1)%m] + 1
		s.runs = s.runs[:0]
		key := t.key(s.q, i)
		for d := 0; d <= min(threshold, both); d++ {
			s.stats.LookUps += int64(t.keys(d))
			for mask := range subsets(t.keyBits, d) {
				lo, hi := t.span(i, key^uint32(mask))
				if lo < hi {
					s.runs = append(s.runs, wideRun{lo, hi, both - d})
				}
			}
		}
		s.list(i)
		if len(s.candidates) > most {
			return false
		}
	}
	return true
}

// runsAhead is how many runs ahead entries are read into the cache: memory takes as long as comparing about four.
const runsAhead = 4

// list appends the candidates among the runs of table i.
func (s *wideSearch) list(i int) {
	t := s.t
	b := &t.tables[i]
	next := t.next(s.q, i)
	for r, is := range s.runs {
		xs := b.next.Range(uint64(is.lo), uint64(is.hi))
		var ahead []uint16
		if r+runsAhead < len(s.runs) {
			after := s.runs[r+runsAhead]
			ahead = b.next.All[after.lo:min(after.hi, after.lo+1<<10)]
		}
		s.positions = slices.Grow(s.positions[:0], len(xs))[:len(xs)]
		n := kernels.ListWithin16(s.positions, xs, next, is.limit, is.lo, ahead)
		for _, e := range s.positions[:n] {
			x := t.number(i, e)
			s.candidates = append(s.candidates, x)
		}
	}
}

// pairTask is how many fingerprints are looked up by one goroutine at a time.
const pairTask = 1 << 10

// EachPair calls do with the pairs of values within distance k, each once: a number with the smaller index in its
// upper half and the larger one in the lower half. do is called from any goroutine and may keep or change the slice.
// The error is that of ctx or the first one of do. Of o it uses Threads and Progress.
//
// It looks up one fingerprint after the other. Neighbours in the order of the values share keys.
func (t *Wide) EachPair(ctx context.Context, k int, o PairOptions, do func(pairs []uint64) error) error {
	look := func(ctx context.Context, task int) (pairs []uint64, err error) {
		var found []hamming.Match
		for a := task * pairTask; a < min(t.n, (task+1)*pairTask); a++ {
			if a%16 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			found = t.Near(found[:0], t.value(uint32(a)), k, nil)
			for _, m := range found {
				if m.Index > uint32(a) {
					pairs = append(pairs, uint64(a)<<32|uint64(m.Index))
				}
			}
			if len(pairs) >= pairTask {
				if err := do(pairs); err != nil {
					return nil, err
				}
				pairs = nil
			}
		}
		if len(pairs) > 0 {
			err = do(pairs)
		}
		return nil, err
	}
	return o.ordered(ctx, (t.n+pairTask-1)/pairTask, look, func([]uint64) error { return nil })
}
