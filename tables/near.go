package tables

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"
	"sort"

	"simsearch/hamming"
)

// These decisions shape a search:
//
//   - A match is emitted by the first table that shows it. Whether an earlier table shows it is a
//     comparison of two headers. So there is no set of results, which would take memory.
//   - A search may give up. Plans are made for uniform
//     values. Such a search adds up what its look-ups, comparisons and matches cost, those in the tables of
//     heavy runs included. When that is more than half of a scan, it scans. So no data make it take more than about
//     twice as long as a scan. A search by equal headers does so, too, if it meets long runs.
//   - Each step is done for all tables before the next step, so that cache misses overlap.

// Near appends to dst a Match for every value within distance k of q, ordered by distance, then by
// value, and returns the extended slice. Match.Index is an index of Values. Match.Distance is in bits.
//
// Near finds the same matches as hamming.Scan, for every k. Up to Design.Exact it looks up the header
// of q in the tables. Beyond that it looks up all headers within the radii that cost the least, or scans the
// values if there are too many such headers.
//
// Near allocates only to grow dst. The error is ErrWidth if q has bits at or above the width. Then dst is
// returned as it was.
func (t *Tables) Near(dst []hamming.Match, q uint64, k int) ([]hamming.Match, error) {
	return t.NearStats(dst, q, k, nil)
}

// NearStats is like Near and adds its work to stats, unless stats is nil.
func (t *Tables) NearStats(dst []hamming.Match, q uint64, k int, stats *Stats) ([]hamming.Match, error) {
	if err := checkWidth(q, t.design.Width()); err != nil {
		return dst, err
	}
	if stats != nil {
		stats.Queries++
	}
	if k < 0 || len(t.Values()) == 0 {
		return dst, nil
	}
	if w := t.way(k); stats == nil && t.byLanes(k) && !w.scan {
		s := search{q: q, k: k, way: w}
		found, ok, err := t.nearFew(dst, s)
		if !ok {
			found, err = t.nearExact(dst, s)
		}
		if !errors.Is(err, errScan) {
			return t.ordered(dst, found, err)
		}
	}
	count := t.tally(math.MaxInt64)
	found, err := t.nearWithin(dst, q, k, &count)
	if stats != nil {
		stats.Add(count.stats)
	}
	return t.ordered(dst, found, err)
}

// ordered returns found, which begins with dst, with its new matches in the order that Near promises, or dst if
// there is an error.
func (t *Tables) ordered(dst, found []hamming.Match, err error) ([]hamming.Match, error) {
	if err != nil {
		return found[:len(dst)], err
	}
	sortMatches(found[len(dst):])
	return found, nil
}

// tally returns the tally of a search that may take as long as the given number of picoseconds.
func (t *Tables) tally(left int64) tally { return tally{left: left, price: t.prices} }

// nearWithin appends the matches of q in any order. It scans where that is faster than looking up headers, or
// turns out to be. It returns errScan if count is used up.
func (t *Tables) nearWithin(dst []hamming.Match, q uint64, k int, count *tally) ([]hamming.Match, error) {
	w := t.way(k)
	scan := int64(len(t.values)) * t.prices.scan
	if !w.scan {
		bound := min(int64(scanShare*float64(scan)), count.left)
		bounded := t.tally(bound)
		s := search{q: q, k: k, way: w, count: &bounded}
		search := t.nearBeyond
		if t.byLanes(k) {
			search = t.nearExact
		}
		found, err := search(dst, s)
		count.stats.Add(bounded.stats)
		count.spend(bound - bounded.left)
		if !errors.Is(err, errScan) {
			return found, err
		}
		dst = found[:len(dst)] // the values are less uniform than planned for
	}
	if !count.spend(scan) {
		return dst, errScan
	}
	return t.scan(dst, q, k, &count.stats), nil
}

// scan compares all values. It appends the matches in the order of the values.
func (t *Tables) scan(dst []hamming.Match, q uint64, k int, stats *Stats) []hamming.Match {
	stats.Scans++
	stats.Compared += int64(len(t.values))
	t.tables[0].guards.checkRest(0, len(t.values))
	return hamming.Scan(dst, t.values, q, k)
}

// maxLanes is the largest number of tables that nearExact looks up.
const maxLanes = 32

// byLanes reports whether nearExact answers queries within k.
func (t *Tables) byLanes(k int) bool {
	return k <= t.design.exact && len(t.tables) <= maxLanes
}

// A search is one query on its way through the tables.
type search struct {
	q     uint64
	k     int
	way   *way
	count *tally // nil if the search has no bound and no counts are wanted
}

// errScan is returned by a search that has given up.
var errScan = errors.New("tables: a scan is faster")

// fewTables is how many tables nearFew looks up, and fewEntries how many entries it compares at once: most slots have
// no more.
const fewTables, fewEntries = 3, 4

// nearFew is nearExact for few tables that have been checked. It has few steps, and no branch that depends on what is
// read and goes now this way, now that: so those of the next query overlap with them. ok is false if it has not found
// out what is near.
func (t *Tables) nearFew(dst []hamming.Match, s search) (found []hamming.Match, ok bool, err error) {
	if len(t.tables) > fewTables || s.k >= manyPass || t.design.IsDense() || !t.sound() {
		return dst, false, nil
	}
	var permuted [fewTables]uint64
	var lo, hi [fewTables]int
	for i, r := range s.way.radii {
		if tb := &t.tables[i]; i < fewTables && r >= 0 {
			permuted[i] = tb.perm.Apply(s.q)
			slot := tb.dir.Starts[permuted[i]>>(tb.dir.Shift&63):]
			lo[i], hi[i] = int(slot[0]), int(slot[1])
		}
	}
	near := 0 // is negative if an entry is
	for i, r := range s.way.radii {
		if i >= fewTables || r < 0 {
			continue
		}
		tails := &t.tables[i].tails
		if lo[i]+fewEntries > len(tails.low) || uint(hi[i]-lo[i]) > fewEntries {
			return dst, false, nil
		}
		for _, low := range tails.low[lo[i] : lo[i]+fewEntries] { // the last may be of the next slot
			near |= bits.OnesCount32(low^uint32(permuted[i]&tails.mask)) - s.k - 1
		}
	}
	for i := 0; near < 0 && i < len(t.tables) && i < fewTables && err == nil; i++ {
		dst, err = t.compare(dst, i, lo[i], hi[i], permuted[i], 0, s)
	}
	return dst, true, err
}

// Lanes are what nearExact finds in each table: the query under its permutation, and the run of its header.
type lanes struct {
	permuted [maxLanes]uint64
	lo, hi   [maxLanes]uint32
}

// nearExact looks up the header of q in each table. It does each step for all tables before the next,
// so that the cache misses of the directories overlap, and then those of the tables.
func (t *Tables) nearExact(dst []hamming.Match, s search) ([]hamming.Match, error) {
	var l lanes
	l.look(t, s)
	passed, err := l.passed(t, s)
	if err != nil {
		return dst, err
	}
	if s.count != nil {
		for i := range t.tables {
			if s.way.radii[i] < 0 {
				continue
			}
			s.count.looked(1)
			if passed>>i&1 == 0 { // compare counts the entries of the others
				s.count.compared(int(l.hi[i&(maxLanes-1)] - l.lo[i&(maxLanes-1)]))
			}
		}
	}
	for ; passed != 0; passed &= passed - 1 {
		i := bits.TrailingZeros(uint(passed)) & (maxLanes - 1)
		if dst, err = t.compare(dst, i, int(l.lo[i]), int(l.hi[i]), l.permuted[i], 0, s); err != nil {
			for passed &= passed - 1; passed != 0; passed &= passed - 1 { // these runs deserve tables as much
				if i := bits.TrailingZeros(uint(passed)) & (maxLanes - 1); int(l.hi[i]-l.lo[i]) > t.long {
					t.heavy[i].get(int(l.lo[i]), int(l.hi[i])).compared.Add(int64(l.hi[i] - l.lo[i]))
				}
			}
			return dst, err
		}
	}
	return dst, nil
}

// look finds the runs, and reads of each the first, the middle and the last cache line.
func (l *lanes) look(t *Tables, s search) {
	look := s.way.radii
	checked := t.sound()
	for i := range t.tables {
		if look[i] >= 0 {
			l.permuted[i&(maxLanes-1)] = t.tables[i].perm.Apply(s.q)
			if t.design.IsDense() && !checked {
				t.tables[i].guards.expectSlot(l.permuted[i&(maxLanes-1)] >> (t.tables[i].dir.Shift & 63))
			}
		}
	}
	for i := range t.tables {
		if look[i] < 0 {
			continue
		}
		tb := &t.tables[i]
		at := l.permuted[i&(maxLanes-1)] >> (tb.dir.Shift & 63)
		if !checked {
			tb.dir.Check(at, at)
		}
		slot := tb.dir.Starts[at:]
		l.lo[i&(maxLanes-1)], l.hi[i&(maxLanes-1)] = slot[0], slot[1]
	}
	var touched uint32
	for i := range t.tables {
		low, lo, hi := t.tables[i].tails.low, int(l.lo[i&(maxLanes-1)]), int(l.hi[i&(maxLanes-1)])-1
		if lo < len(low) && hi >= 0 && hi < len(low) {
			touched |= low[lo] | low[int(uint(lo+hi)/2)] | low[hi]
		}
	}
	keep(touched)
}

// passed returns the tables with an entry that may be within s.k. The other parts of these entries are
// read into the cache before the first is compared.
func (l *lanes) passed(t *Tables, s search) (passed int, err error) {
	long, sound := 0, t.sound()
	var rest uint64
	if t.design.IsDense() {
		for i := range t.tables {
			if s.way.radii[i] >= 0 {
				t.tables[i].expect(int(l.lo[i&(maxLanes-1)]), int(l.hi[i&(maxLanes-1)]), l.permuted[i&(maxLanes-1)]>>(t.tables[i].dir.Shift&63))
			}
		}
	}
	for i := range t.tables {
		lo, hi, permuted := int(l.lo[i&(maxLanes-1)]), int(l.hi[i&(maxLanes-1)]), l.permuted[i&(maxLanes-1)]
		if lo > hi || hi > len(t.values) {
			slot := permuted >> (t.tables[i].dir.Shift & 63)
			return 0, t.tables[i].dir.Bad(slot, slot, len(t.values))
		}
		if s.way.radii[i] < 0 {
			continue
		}
		if !sound {
			t.tables[i].guards.checkLow(lo, hi)
		}
		if hi-lo > longRun {
			lo, hi = t.withHeader(i, lo, hi, permuted, s)
			l.lo[i&(maxLanes-1)], l.hi[i&(maxLanes-1)] = uint32(lo), uint32(hi)
		}
		if hi-lo > 64 {
			if long += hi - lo; s.count == nil && long > max(t.long, len(t.values)/4) {
				return 0, errScan // to be searched with a bound
			}
			passed |= 1 << i
			continue
		}
		if s.k >= manyPass || t.tables[i].tails.low == nil {
			t.tables[i].guards.checkRest(lo, hi)
		}
		tails := &t.tables[i].tails
		if some := tails.passing(lo, hi, permuted, s.k); some != 0 {
			passed |= 1 << i
			rest |= tails.touch(lo + bits.TrailingZeros64(some))
		}
	}
	keep(uint32(rest))
	return passed, nil
}

// longRun is the number of entries of a search header above which the whole header is found.
const longRun = 64

// withHeader returns which of the entries [lo, hi) of table i, those of one search header, have the whole header of a
// query. It is a binary search for the first of them, and then for the first behind that with another header.
func (t *Tables) withHeader(i, lo, hi int, permuted uint64, s search) (from, to int) {
	tb := &t.tables[i]
	below := uint(tb.perm.Width() - tb.perm.HeaderBits()) // the bits of a tail that are not in the header
	if below >= tb.dir.Shift || s.k > t.design.exact {
		return lo, hi
	}
	steps, header := 0, permuted&tb.tails.mask>>below
	search := func(lo, hi int, behind uint64) int {
		return lo + sort.Search(hi-lo, func(j int) bool {
			steps++
			tb.guards.checkLow(lo+j, lo+j+1)
			tb.guards.checkRest(lo+j, lo+j+1)
			return tb.tails.at(lo+j)>>below >= behind
		})
	}
	from = search(lo, hi, header)
	to = search(from, hi, header+1)
	if s.count != nil {
		s.count.stats.Steps += int64(steps)
		s.count.spend(int64(steps) * s.count.price.probe)
	}
	return from, to
}

// nearBeyond looks up the header of q and all headers within the radius in each table. s.count must not be nil.
func (t *Tables) nearBeyond(dst []hamming.Match, s search) ([]hamming.Match, error) {
	ws := waveSearches.Get().(*waveSearch)
	defer waveSearches.Put(ws)
	ws.k, ws.way, ws.price, ws.stats, ws.sorted = s.k, s.way, s.count.price, Stats{}, false
	ws.qs, ws.left = append(ws.qs[:0], s.q), append(ws.left[:0], s.count.left)
	ws.dst = dst
	err := ws.run(t)
	dst, ws.dst = ws.dst, nil
	s.count.stats.Add(ws.stats)
	s.count.left = ws.left[0]
	if err == nil && s.count.left < 0 {
		err = errScan
	}
	return dst, err
}

// keep uses a value that is computed only to read memory into the cache.
//
//go:noinline
func keep(uint32) {}

// compare appends the entries [lo, hi) of table i that are within k of the query. These are one run;
// their lowest bits have been checked. permuted is the query under the permutation of the table. flip
// is the difference of its search header from that of the run.
func (t *Tables) compare(dst []hamming.Match, i, lo, hi int, permuted, flip uint64, s search) ([]hamming.Match, error) {
	tb := &t.tables[i]
	q := permuted ^ flip<<(tb.dir.Shift&63) // with the search header of the run
	apart := bits.OnesCount64(flip)
	if hi-lo > t.long {
		if found, done, err := t.nearHeavy(dst, i, lo, hi, q, apart, s); done || err != nil {
			return found, err
		}
	}
	if s.count != nil && !s.count.compared(hi-lo) {
		return dst, errScan
	}
	sound := tb.guards.restWhole()
	for at := lo; at < hi; at += 64 {
		if !sound && (s.k-apart >= manyPass || tb.tails.low == nil) {
			tb.guards.checkRest(at, min(hi, at+64))
		}
		passed := tb.tails.passing(at, min(hi, at+64), q, s.k-apart)
		if !sound && passed != 0 {
			tb.guards.checkRest(at, min(hi, at+64))
		}
		if s.count != nil && !s.count.spend(int64(bits.OnesCount64(passed))*s.count.price.passed) {
			return dst, errScan
		}
		for ; passed != 0; passed &= passed - 1 {
			j := at + bits.TrailingZeros64(passed)
			x := tb.tails.at(j)
			d := apart + hamming.Distance(x, q&tb.tails.mask)
			if d > s.k {
				continue
			}
			if s.count != nil && !s.count.spend(s.count.price.match) {
				return dst, errScan
			}
			dst = t.found(dst, i, j, q&^tb.tails.mask|x, d, s)
		}
	}
	return dst, nil
}

// found appends entry j of table i, a permuted fingerprint at distance d from the query, unless an earlier table shows
// it, or a later one: its header may differ behind the bits of the directory. So no set of results is needed.
func (t *Tables) found(dst []hamming.Match, i, j int, entry uint64, d int, s search) []hamming.Match {
	x := t.tables[i].perm.invert(entry)
	for e, mask := range s.way.masks[:i+1] {
		if shows := bits.OnesCount64((x^s.q)&mask) <= int(s.way.radii[e]); shows != (e == i) {
			return dst
		}
	}
	if i == 0 {
		return append(dst, hamming.Match{Index: uint32(j), Distance: uint16(d)})
	}
	rank := t.rank(x)
	return append(dst, hamming.Match{Index: uint32(rank), Distance: uint16(d)})
}

// sortMatches orders by distance, then by position.
func sortMatches(ms []hamming.Match) {
	switch {
	case len(ms) < 2:
	case len(ms) >= 64 && slices.IsSortedFunc(ms, func(a, b hamming.Match) int { return cmp.Compare(a.Index, b.Index) }):
		sortByDistance(ms)
	default:
		slices.SortFunc(ms, func(a, b hamming.Match) int {
			return cmp.Compare(uint64(a.Distance)<<32|uint64(a.Index), uint64(b.Distance)<<32|uint64(b.Index))
		})
	}
}

// sortByDistance is sortMatches for matches that are ordered by position, as a scan finds them. It is a
// counting sort, since a scan may find thousands.
func sortByDistance(ms []hamming.Match) {
	scratch := matchBuffers.Get().(*[]hamming.Match)
	defer matchBuffers.Put(scratch)
	*scratch = append((*scratch)[:0], ms...)
	var next [mostBits + 2]int // where the next match of each distance goes
	for _, m := range ms {
		next[m.Distance+1]++
	}
	for d := 1; d < len(next); d++ {
		next[d] += next[d-1]
	}
	for _, m := range *scratch {
		ms[next[m.Distance]] = m
		next[m.Distance]++
	}
}
