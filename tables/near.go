package tables

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/kernels"
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
// Near allocates only to grow dst. The error is ErrWidth if q has bits at or above the width, or
// section.ErrCorrupt, which only loaded tables return. Then dst is returned as it was.
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
	if err := t.ready(); err != nil {
		return dst, err
	}
	if w := t.way(k); stats == nil && w.plain {
		found, err := t.nearExact(dst, search{q: q, k: k, way: w})
		if !errors.Is(err, errScan) {
			return t.ordered(dst, found, err)
		}
		dst = found[:len(dst)]
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
	return append(found[:len(dst)], sortMatches(found[len(dst):])...), nil
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
		search := t.nearByWaves
		if t.design.byHand() {
			search = t.nearByHand
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
	return t.scan(dst, q, k, &count.stats)
}

// scan compares all values. It appends the matches in the order of the values.
func (t *Tables) scan(dst []hamming.Match, q uint64, k int, stats *Stats) ([]hamming.Match, error) {
	stats.Scans++
	stats.Compared += int64(len(t.values))
	if err := t.valuesGuard.CheckAll(); err != nil {
		return dst, err
	}
	return hamming.Scan(dst, t.values, q, k), nil
}

// A search is one query on its way through the tables.
type search struct {
	q     uint64
	k     int
	way   *way
	count *tally
}

// errScan is returned by a search that has given up.
var errScan = errors.New("tables: a scan is faster")

const (
	// maxLanes is the largest number of lines that nearExact reads.
	maxLanes = 24
	// exactTables is the largest number of tables that nearExact looks up.
	exactTables = 32
	// shortRun is the length up to which values are compared that agree on the bits of the directory, and nearExact compares the words
	// of a bucket that does not fit a line.
	shortRun = 64
)

// Lanes are what nearExact reads: a line of each table, or several where headers are short.
type lanes struct {
	search
	n             int
	lines         [maxLanes]*kernels.Line
	words, within [maxLanes]uint32 // the word of the query, and within how many bits of it words are to be
	tables        [maxLanes]uint8
	numbers       [maxLanes]uint64
	permuted      [exactTables]uint64 // the query, by table
	lo, hi        int                 // the values with the header of the first table
}

// nearExact looks up the header of a query in each table. It asks for all that a step reads before the step, so that the processor
// waits for it together. The error is errScan if there are more lines or longer buckets than it is made for.
func (t *Tables) nearExact(dst []hamming.Match, s search) ([]hamming.Match, error) {
	l := lanes{search: s}
	l.permute(t)
	if err := l.look(t); err != nil {
		return dst, err
	}
	return l.compare(dst, t)
}

// ahead is how many queries of a batch are between one step and the next.
const ahead = 4

// nearExactBatch does each step of nearExact for other queries, while memory answers what the last step has asked. It calls found for
// each query with its matches, or with an error.
func (t *Tables) nearExactBatch(buffer *[]hamming.Match, qs []uint64, k int, w *way, found func(i int, matches []hamming.Match, err error) error) error {
	var all [2*ahead + 1]lanes
	var failed [2*ahead + 1]error
	for i := range len(qs) + 2*ahead {
		if i < len(qs) {
			l := &all[i%len(all)]
			l.search, l.n = search{q: qs[i], k: k, way: w}, 0
			l.permute(t)
		}
		if at := i - ahead; at >= 0 && at < len(qs) {
			failed[at%len(all)] = all[at%len(all)].look(t)
		}
		if at := i - 2*ahead; at >= 0 {
			err := failed[at%len(all)]
			if err == nil {
				*buffer, err = all[at%len(all)].compare((*buffer)[:0], t)
			}
			if err = found(at, *buffer, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// permute permutes the query for each table, and asks for what tells the lines with its header.
func (l *lanes) permute(t *Tables) {
	var places [exactTables]kernels.Place
	n := 0
	if l.way.radii[0] >= 0 {
		places[0] = kernels.PlaceOf(&t.dir.Starts[t.dir.Slot(l.q)])
		n = 1
	}
	for i := 1; i < len(t.tables); i++ {
		if l.way.radii[i] < 0 {
			continue
		}
		tb := &t.tables[i]
		permuted := tb.perm.Apply(l.q)
		l.permuted[i%exactTables] = permuted
		places[n%exactTables] = kernels.PlaceOf(&tb.Starts[tb.Bucket(permuted)/32])
		n++
	}
	kernels.Prefetch(places[:n])
}

// look finds the lines and the values that have the header of the query, and asks for them.
func (l *lanes) look(t *Tables) (err error) {
	sound := t.startsSound.of(t)
	for i := 1; i < len(t.tables); i++ {
		if l.way.radii[i] < 0 {
			continue
		}
		tb := &t.tables[i]
		permuted := l.permuted[i%exactTables]
		from, to := tb.Span(permuted)
		if !sound {
			if err := tb.CheckStarts(from, to); err != nil {
				return err
			}
		}
		first := tb.Line(from)
		last := first
		if to > from {
			last = tb.Line(to)
		}
		if first > last || last >= uint64(len(tb.Lines)) {
			return tb.BadStarts(from, to)
		}
		if l.n+int(last-first) >= maxLanes {
			return errScan
		}
		word := tb.Word(permuted)
		for ; first <= last; first++ {
			n := l.n % maxLanes
			l.lines[n], l.words[n], l.within[n] = &tb.Lines[first], word, uint32(min(l.k, 32))
			l.tables[n], l.numbers[n] = uint8(i), tb.Number(first)
			l.n++
		}
	}
	kernels.PrefetchLines(l.lines[:l.n])
	l.lo, l.hi = 0, 0
	if l.way.radii[0] < 0 {
		return nil
	}
	slot := t.dir.Slot(l.q)
	if l.lo, l.hi, err = t.valuesOf(slot, slot); err != nil || l.lo == l.hi {
		return err
	}
	if l.hi-l.lo > shortRun {
		return errScan
	}
	kernels.Prefetch([]kernels.Place{kernels.PlaceOf(&t.values[l.lo]), kernels.PlaceOf(&t.values[min(l.lo+(l.hi-l.lo+7)&^7, len(t.values))-1])})
	return nil
}

// compare appends the matches to dst.
func (l *lanes) compare(dst []hamming.Match, t *Tables) (_ []hamming.Match, err error) {
	some := kernels.LinesWithin(l.lines[:l.n], l.words[:l.n], l.within[:l.n])
	if !t.linesSound.of(t) {
		if bad := kernels.UnsoundLines(l.lines[:l.n], l.numbers[:l.n]); bad != 0 {
			return dst, l.unsound(t, bits.TrailingZeros64(bad))
		}
	}
	if l.lo < l.hi {
		if dst, err = t.matches(dst, 0, l.lo, l.hi, l.search); err != nil {
			return dst, err
		}
	}
	for ; some != 0; some &= some - 1 {
		if dst, err = l.matches(dst, t, bits.TrailingZeros64(some)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// unsound returns the error of lane n, whose line fails its checksum.
func (l *lanes) unsound(t *Tables, n int) error {
	tb := &t.tables[l.tables[n]]
	return tb.Unsound(l.numbers[n] ^ tb.Number(0))
}

// matches appends the matches that the words of lane n lead to.
func (l *lanes) matches(dst []hamming.Match, t *Tables, n int) ([]hamming.Match, error) {
	i := int(l.tables[n])
	tb := &t.tables[i]
	words := l.lines[n][:]
	if count := l.lines[n].Count(); count <= kernels.LineWords {
		words = words[:count]
	} else {
		line := l.numbers[n] ^ tb.Number(0)
		lo, hi, err := tb.Run(line)
		if err != nil || !tb.Has(line, l.permuted[i%exactTables]) {
			return dst, err
		}
		if words = tb.More[lo:hi]; len(words) > shortRun {
			return dst, errScan
		}
	}
	for passed := kernels.MaskWithin32(words, l.words[n], int(l.within[n])); passed != 0; passed &= passed - 1 {
		j := bits.TrailingZeros64(passed)
		if j > 0 && words[j] == words[j-1] {
			continue // the same values
		}
		x := tb.known(l.permuted[i%exactTables], words[j])
		lo, hi, err := t.valuesLike(x, tb.unknown)
		switch {
		case err != nil:
			return dst, err
		case hi-lo > shortRun:
			return dst, errScan
		}
		if dst, err = t.matches(dst, i, lo, hi, l.search); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// known returns what a header and a word tell of a fingerprint. permuted has the header under the permutation of the table. The
// unknown bits are 0.
func (t *table) known(permuted uint64, word uint32) uint64 {
	header := permuted << t.Up &^ (^uint64(0) >> (t.Base & 63))
	return t.perm.invert((header | uint64(word)<<((32-t.Base)&63)) >> t.Up)
}

// valuesOf returns the range of the values of the slots [first, last] of the directory.
func (t *Tables) valuesOf(first, last uint64) (lo, hi int, err error) {
	if !t.dirGuard.Whole() {
		if err := t.dirGuard.Check(4*first, 4*first+8); err != nil {
			return 0, 0, err
		}
		if err := t.dirGuard.Check(4*last, 4*last+8); err != nil {
			return 0, 0, err
		}
	}
	lo, hi, ok := t.dir.Entries(first, last, len(t.values))
	if !ok {
		return 0, 0, t.dirGuard.Corruptf(4*first, "slots %#x to %#x lead to values [%d, %d) of %d", first, last, t.dir.Starts[first], t.dir.Starts[last+1], len(t.values))
	}
	return lo, hi, nil
}

// valuesLike returns the range of the values among which are all that differ from x in unknown bits alone. These are 0 in x. Where very
// many values agree on the bits of the directory, it searches further.
func (t *Tables) valuesLike(x, unknown uint64) (lo, hi int, err error) {
	lo, hi, err = t.valuesOf(t.dir.Slot(x), t.dir.Slot(x|unknown))
	if err != nil || hi-lo <= shortRun {
		return lo, hi, err
	}
	rest := lowBits(bits.Len64(unknown))
	if lo, err = t.firstValue(lo, hi, x&^rest); err == nil && x|rest != lowBits(t.design.width) {
		hi, err = t.firstValue(lo, hi, (x|rest)+1)
	}
	return lo, hi, err
}

// firstValue returns the first of the values [lo, hi) that is not below x, or hi.
func (t *Tables) firstValue(lo, hi int, x uint64) (int, error) {
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if err := t.valuesGuard.Check(8*uint64(mid), 8*uint64(mid)+8); err != nil {
			return lo, err
		}
		if t.values[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// matches appends those of the values [lo, hi) that are within s.k of s.q, and that table i shows and no earlier one. So no set of
// results is needed.
func (t *Tables) matches(dst []hamming.Match, i int, lo, hi int, s search) ([]hamming.Match, error) {
	if !t.valuesGuard.Whole() {
		if err := t.valuesGuard.Check(8*uint64(lo), 8*uint64(hi)); err != nil {
			return dst, err
		}
	}
	run := t.values[lo:hi]
	for at := kernels.NextWithin(run, s.q, s.k); at < len(run); at += 1 + kernels.NextWithin(run[at+1:], s.q, s.k) {
		if t.tables[i].shows(run[at]^s.q, s.way.radii[i]) {
			dst = t.found(dst, i, uint32(lo+at), s)
		}
	}
	return dst, nil
}

// found appends a value that table i shows, unless an earlier table shows it.
func (t *Tables) found(dst []hamming.Match, i int, index uint32, s search) []hamming.Match {
	differ := t.values[index] ^ s.q
	for e := range t.tables[:i] {
		if t.tables[e].shows(differ, s.way.radii[e]) {
			return dst
		}
	}
	return append(dst, hamming.Match{Index: index, Distance: uint8(bits.OnesCount64(differ))})
}

// shows reports whether a search within the radius finds what differs from the query in some bits in the table.
func (t *table) shows(differ uint64, radius int8) bool {
	return bits.OnesCount64(differ&t.mask) <= int(radius)
}

// sortMatches orders by distance, then by position, and returns the matches without those that are there twice: several words
// may lead to one value.
func sortMatches(ms []hamming.Match) []hamming.Match {
	switch {
	case len(ms) < 2:
	case len(ms) >= 64 && slices.IsSortedFunc(ms, func(a, b hamming.Match) int { return cmp.Compare(a.Index, b.Index) }):
		sortByDistance(ms)
	default:
		slices.SortFunc(ms, func(a, b hamming.Match) int {
			return cmp.Compare(uint64(a.Distance)<<32|uint64(a.Index), uint64(b.Distance)<<32|uint64(b.Index))
		})
	}
	return slices.Compact(ms)
}

// sortByDistance is sortMatches for matches that are ordered by position, as a scan finds them. It is a
// counting sort, since a scan may find thousands.
func sortByDistance(ms []hamming.Match) {
	scratch := matchBuffers.Get().(*[]hamming.Match)
	defer matchBuffers.Put(scratch)
	*scratch = append((*scratch)[:0], ms...)
	var next [hamming.MaxBits + 2]int // where the next match of each distance goes
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
