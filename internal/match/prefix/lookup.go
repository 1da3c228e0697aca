package prefix

import (
	"math"
	"sort"

	"simsearch/internal/ground/ints"
)

// A query is a set that is looked for, and the memory to do so.
type query struct {
	sets         *Sets
	features     []uint64
	ints.Counter // by the numbers by size
	chooser      chooser
	ranges       [][2]uint32 // of first features among those of the postings
	places       []placed
	sink         uint64 // is of no use
	probe        probe
	ranks        Marks // of the features, while all sets are compared
}

// A placed is a first feature that has postings.
type placed struct {
	at    uint32 // where its sets are
	first int    // its number among the first features
}

// query returns a query of these sets, which its end gives back.
func (s *Sets) query(features []uint64) *query {
	if s.pairsOnly {
		panic(pairsOnly)
	}
	q, _ := s.queries.Get().(*query)
	if q == nil {
		q = &query{sets: s}
	}
	q.features = features
	return q
}

func (q *query) end() {
	q.Reset()
	q.probe.made = false
	q.features = nil
	q.sets.queries.Put(q)
}

// lookUp appends the near sets among those that share first features with the query.
func (q *query) lookUp(dst []Match, t float64, stats *Stats) []Match {
	p := q.sets.postings
	q.Grow(q.sets.Len() + 1<<16) // damaged lists may lead to any numbers of a block
	n := len(q.features)
	w := p.window(n, t)
	if w.lo == w.hi {
		return dst
	}
	first := q.chooser.Choose(p.rarity, q.features, Needed(n, w.least, w.common), true)
	q.find(first)
	entries := q.countAll(w)
	q.reach()
	least := func(size int) int { return LeastShared(n, size, t) }
	for _, set := range q.Found {
		if m, ok := q.compare(set, least); ok {
			dst = append(dst, m)
		}
	}
	if stats != nil {
		stats.LookUps += int64(len(first))
		stats.Entries += int64(entries)
		stats.Candidates += int64(len(q.Found))
	}
	return dst
}

// reach replaces the numbers by size that were found by the sets. What comparisons begin with is read in steps that
// do not wait for each other.
func (q *query) reach() {
	p, s := q.sets.postings, q.sets
	for i, x := range q.Found {
		if int64(x) >= int64(p.order.Len()) {
			panic(p.lists.Corruptf(0, "set %d of %d in a list", x, p.order.Len()))
		}
		set := p.set(x)
		q.Found[i] = set
	}
	if len(q.Found) < 2 || !s.ends.Guard.Whole() || !s.coded.Guard.Whole() {
		return
	}
	touched := byte(0)
	for _, set := range q.Found {
		if to := s.ends.All[set]; 0 < to && to <= uint64(len(s.coded.All)) {
			touched ^= s.coded.All[to-1] ^ s.coded.All[(s.ends.All[max(set, 1)-1]+to)/2%to]
		}
	}
	q.sink += uint64(touched)
}

// A window is which sets can be similar to a query of n features: those of numbers by size from lo to hi. From mid on
// they are larger than the query.
type window struct {
	lo, mid, hi uint32
	n, least    int // the features of the query, and of the smallest set
	common      int // how many first features are shared
	short       int // how many first features of the query find larger sets
	t           float64

	sizes, starts []uint32 // of the sets from lo to hi: the distinct sizes, and the first set of each and after the last
}

func (p *Postings) window(n int, t float64) (w window) {
	w = window{n: n, least: LeastSize(n, t), t: t}
	w.common = min(p.plan.Common, w.least)
	w.short = Needed(n, LeastShared(n, n, t), w.common)
	sizes := p.sizes.Range(0, uint64(p.sizes.Len()))
	starts := p.starts.Range(0, uint64(p.starts.Len()))
	from := sort.Search(len(sizes), func(i int) bool { return int(sizes[i]) >= w.least })
	middle := from + sort.Search(len(sizes)-from, func(i int) bool { return int(sizes[from+i]) > n })
	most := MostSize(n, t, math.MaxInt32)
	to := middle + sort.Search(len(sizes)-middle, func(i int) bool { return int(sizes[middle+i]) > most })
	w.lo, w.mid, w.hi = starts[from], starts[middle], starts[to]
	if w.lo > w.mid || w.mid > w.hi || int64(w.hi) > int64(p.order.Len()) {
		panic(p.starts.Corruptf(uint64(from), "the sets of %d to %d features have the numbers [%d, %d) of %d", w.least, most, w.lo, w.hi, p.order.Len()))
	}
	w.sizes, w.starts = sizes[from:to], starts[from:to+1]
	return w
}

// narrow removes the sets that are too large to be similar if a query's first feature of the given number, or one
// after it, is the last of the first features that they share. Such a set shares at most common - 1 features before
// it, and what is left of the query (positional filter: Xiao, Wang, Lin and Yu 2008).
func (w *window) narrow(first int) {
	shared := w.n - first + w.common - 1
	for len(w.sizes) > 0 && (shared < 1 || !Similar(min(shared, w.n), w.n, int(w.sizes[len(w.sizes)-1]), w.t)) {
		w.sizes = w.sizes[:len(w.sizes)-1]
		w.hi = min(w.hi, w.starts[len(w.sizes)])
	}
}

// find sets q.places to the first features that have postings. Memory is read in steps that do not wait for each other.
func (q *query) find(first []uint64) {
	p := q.sets.postings
	q.ranges, q.places = q.ranges[:0], q.places[:0]
	n := p.features.Len() / perFeature
	for _, f := range first {
		slot := p.dir.Slot(f)
		p.dir.Check(slot, slot)
		from, to, ok := p.dir.Entries(slot, slot, n)
		if !ok {
			panic(p.dir.Bad(slot, slot, n))
		}
		q.ranges = append(q.ranges, [2]uint32{uint32(from), uint32(to)})
	}
	if last := uint32(p.features.Len()) - 1; n > 0 && p.features.Guard.Whole() {
		// The branches below wait for what they read. Reading both ends of each slot before fetches them at the same
		// time. An empty slot has ends, too: a branch that leaves it out would wait.
		touched := uint16(0)
		for _, r := range q.ranges {
			touched ^= p.features.All[min(perFeature*r[0], last)] ^ p.features.All[min(perFeature*r[1], last)]
		}
		q.sink += uint64(touched)
	}
	for i, f := range first {
		features := p.features.Range(perFeature*uint64(q.ranges[i][0]), perFeature*uint64(q.ranges[i][1]))
		tag := p.tag(f)
		for ; len(features) >= perFeature; features = features[perFeature:] {
			if features[0] == tag {
				q.places = append(q.places, placed{uint32(features[1]) | uint32(features[2])<<16, i})
				break
			}
		}
	}
}

// countAll counts the sets of q.places, and returns how many entries it has read.
func (q *query) countAll(w window) (entries int) {
	p := q.sets.postings
	n := 0 // places that have lists
	for _, f := range q.places {
		if f.at >= inLists {
			q.places[n] = f
			n++
			continue
		}
		entries++
		if w.lo <= f.at && f.at < w.hi {
			q.Count(f.at, w.common)
		}
	}
	if lists := p.lists.All; p.lists.Guard.Whole() {
		touched := uint16(0)
		for _, f := range q.places[:n] {
			// A list mostly has two or three lines of the cache.
			if at := int(f.at &^ inLists); at+2*lineUnits < len(lists) {
				touched ^= lists[at] ^ lists[at+lineUnits] ^ lists[at+2*lineUnits]
			}
		}
		q.sink += uint64(touched)
	}
	for _, f := range q.places[:n] {
		n := q.countList(f.at, f.first, &w)
		entries += n
	}
	return entries
}

// endOfList checks a list, and returns where it ends, or a place behind it.
func (p *Postings) endOfList(at uint64) (end uint64) {
	for n := uint64(1 << 8); ; n *= 8 {
		end = min(at+n, uint64(p.lists.Len()))
		units := p.lists.Range(at, end)
		var none ints.Counter // of no number, so that the list is only passed
		rest, _, ok := none.CountNumbers(units, 0, 0, 1)
		if ok {
			_, _, ok = none.CountNumbers(rest, 0, 0, 1)
		}
		if ok || end == uint64(p.lists.Len()) {
			return end
		}
	}
}

// lineUnits is how many units a line of the cache has.
const lineUnits = 32

// manyEntries is the length of a list from which on it is worth while to narrow the window.
const manyEntries = 32

// countList counts the sets of a list that can be similar, for the query's first feature of the given number. It
// narrows w for the features that follow.
func (q *query) countList(place uint32, first int, w *window) (entries int) {
	p := q.sets.postings
	at := uint64(place &^ inLists)
	if at >= uint64(p.lists.Len()) {
		panic(p.badList(place))
	}
	end := uint64(p.lists.Len())
	if !p.lists.Guard.Whole() {
		end = p.endOfList(at)
	}
	units := p.lists.All[at:end]
	if len(units) > 2 && units[0]&1 == 1 && (units[0]>>1 > 1 || units[2] >= manyEntries) {
		w.narrow(first)
	}
	// Sets that are not larger have it in their short prefix. Larger ones are found by the short prefix of the query.
	hi := w.hi
	if first >= w.short {
		hi = min(hi, w.mid)
	}
	rest, entries, ok := q.CountNumbers(units, w.lo, hi, w.common)
	if ok && first < w.short && w.mid < w.hi {
		var more int
		_, more, ok = q.CountNumbers(rest, w.mid, w.hi, w.common)
		entries += more
	}
	if !ok {
		panic(p.badList(place))
	}
	return entries
}
