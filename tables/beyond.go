package tables

import (
	"errors"
	"math/bits"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/ints"
	"simsearch/internal/kernels"
)

// Searches that look up many headers wait for memory, which no processor foresees. So they collect the lines of up to batchSize
// headers, ask for all of them, and compare the lines that they asked for before. The same is done with the values that words lead to.
// Batches do so, too, with the headers of many queries, and single searches beyond the exact distance.
//
// The headers of a large batch are sorted, as Manku et al. do, so that lines and pages are read once for many queries.

// A waveSearch takes queries of one distance through the tables. It is used for one search at a time.
type waveSearch struct {
	k     int
	way   *way
	price prices
	stats Stats

	qs       []uint64
	left     []int64  // the time that each query may still take, in picoseconds; below 0 it has given up
	long     []span   // the last long range of values that each query was compared with
	permuted []uint64 // the queries under the permutation of the current table
	sorted   bool     // the headers of a table are to be sorted
	sound    bool     // where lines begin has been checked

	dst    []hamming.Match
	owners []uint32 // the query of each element of dst, if there are several queries
	base   int      // how many elements dst had before the search

	// Of each two, the first is being collected, and the second has been asked for.
	headers    [2]*headers
	waves      [2]*wave
	candidates [2]*candidates

	slots, sortedSlots []uint64
	of, sortedOf       []uint32
}

// Headers are up to batchSize look-ups.
type headers struct {
	n      int
	looks  [batchSize]look
	places [batchSize]kernels.Place // of what tells their lines or values
}

// A wave is up to batchSize lines, and the look-ups that they are for.
type wave struct {
	n             int
	lines         [batchSize]*kernels.Line
	words, within [batchSize]uint32 // the words of the headers looked up, and how many bits may differ in words
	numbers       [batchSize]uint64
	looks         [batchSize]look
}

// A look is a header that is looked up in a table for a query.
type look struct {
	permuted uint64 // the query with the header, under the permutation of the table
	of       uint32
	table    uint16
	apart    uint8 // in how many bits the header differs from that of the query
}

// Candidates are up to batchSize of what may be near.
type candidates struct {
	n      int
	all    [batchSize]candidate
	places [2 * batchSize]kernels.Place // of their values
}

// A candidate is what is known of a fingerprint that may be near a query.
type candidate struct {
	x      uint64
	of     uint32
	lo, hi uint32 // the values that it may be one of
	table  uint16
}

// A span is a range of the values, in which a word of a table led to candidates.
type span struct{ lo, hi, table uint32 }

// waveSearches are the memory of searches by waves.
var waveSearches = sync.Pool{New: func() any {
	return &waveSearch{
		headers:    [2]*headers{new(headers), new(headers)},
		waves:      [2]*wave{new(wave), new(wave)},
		candidates: [2]*candidates{new(candidates), new(candidates)},
	}
}}

// nearByWaves looks up the header of q and all headers within the radius in each table.
func (t *Tables) nearByWaves(dst []hamming.Match, s search) ([]hamming.Match, error) {
	if len(t.values) == 0 {
		return dst, nil
	}
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

// run appends the matches of the queries to ws.dst, in any order, some of them twice. Those of a query that has given up are not
// complete.
func (ws *waveSearch) run(t *Tables) error {
	defer ws.forget()
	ws.owners, ws.base, ws.sound = ws.owners[:0], len(ws.dst), t.startsSound.of(t)
	if len(ws.permuted) < len(ws.qs) {
		ws.permuted, ws.long = make([]uint64, len(ws.qs)), make([]span, len(ws.qs))
	}
	clear(ws.long[:len(ws.qs)])
	for i := range t.tables {
		if ws.way.radii[i] < 0 {
			continue
		}
		lookUp := ws.lookUp
		if ws.sorted {
			lookUp = ws.lookUpSorted
		}
		if err := lookUp(t, i); err != nil {
			return err
		}
		if len(ws.qs) == 1 && ws.left[0] < 0 {
			return nil
		}
	}
	for _, step := range [...]func(*Tables) error{ws.turn, ws.turn, ws.read, ws.read, ws.settle, ws.settle} {
		if err := step(t); err != nil {
			return err
		}
	}
	return nil
}

// forget drops all addresses: tables may go before the memory of a search does.
func (ws *waveSearch) forget() {
	for i := range 2 {
		clear(ws.headers[i].places[:])
		clear(ws.waves[i].lines[:])
		clear(ws.candidates[i].places[:])
		ws.headers[i].n, ws.waves[i].n, ws.candidates[i].n = 0, 0, 0
	}
}

// lookUp looks up the headers of all queries in table i.
func (ws *waveSearch) lookUp(t *Tables, i int) error {
	tb := &t.tables[i]
	radius := ws.radius(tb, i)
	levels := levelsOf(tb.search, radius)
	shift := uint(tb.perm.Width() - tb.search)
	for of, q := range ws.qs {
		if ws.left[of] < 0 {
			continue
		}
		permuted := tb.perm.Apply(q)
		for apart := range radius + 1 {
			flip := lowBits(apart)
			for range levels[apart] {
				if err := ws.look(t, look{permuted ^ flip<<shift, uint32(of), uint16(i), uint8(apart)}); err != nil {
					return err
				}
				if flip != 0 {
					flip = nextSubset(flip)
				}
			}
			if len(ws.qs) == 1 && ws.left[0] < 0 {
				return nil
			}
		}
	}
	return nil
}

// lookUpSorted is lookUp for the headers in their order, but for their lowest bits.
func (ws *waveSearch) lookUpSorted(t *Tables, i int) error {
	tb := &t.tables[i]
	radius := ws.radius(tb, i)
	levels := levelsOf(tb.search, radius)
	shift := uint(tb.perm.Width() - tb.search)
	permuted := ws.permuted[:len(ws.qs)]
	tb.perm.ApplyAll(permuted, ws.qs)
	most := len(permuted) * int(ball(tb.search, radius))
	if len(ws.slots) < most {
		ws.slots, ws.of = make([]uint64, most), make([]uint32, most)
		ws.sortedSlots, ws.sortedOf = make([]uint64, most), make([]uint32, most)
	}
	slots, ofs, n := ws.slots[:most], ws.of[:most], 0
	for of, p := range permuted {
		if ws.left[of] < 0 {
			continue
		}
		header := p >> shift
		for apart := range radius + 1 {
			flip := lowBits(apart)
			for range levels[apart] {
				slots[n], ofs[n] = header^flip, uint32(of)
				n++
				if flip != 0 {
					flip = nextSubset(flip)
				}
			}
		}
	}
	ints.PartitionPairs(ws.sortedSlots, ws.sortedOf, slots[:n], ofs[:n], tb.search-min(tb.search, sortBits))
	sortedOf := ws.sortedOf[:n]
	for at, slot := range ws.sortedSlots[:n] {
		of := sortedOf[at]
		p := permuted[of]
		flip := p>>shift ^ slot
		// What tells the lines of headers in their order is in the cache.
		if err := ws.find(t, tb, &look{p ^ flip<<shift, of, uint16(i), uint8(bits.OnesCount64(flip))}); err != nil {
			return err
		}
	}
	return nil
}

// look collects a header.
func (ws *waveSearch) look(t *Tables, l look) error {
	h := ws.headers[0]
	n := h.n % batchSize
	h.looks[n] = l
	tb := &t.tables[l.table]
	if l.table == 0 {
		h.places[n] = kernels.PlaceOf(&t.dir.Starts[t.dir.Slot(l.permuted)])
	} else {
		h.places[n] = kernels.PlaceOf(&tb.Starts[tb.Bucket(l.permuted)/32])
	}
	if h.n++; h.n == batchSize {
		return ws.turn(t)
	}
	return nil
}

// turn asks for what tells the lines of headers, and finds those of the headers before.
func (ws *waveSearch) turn(t *Tables) error {
	kernels.Prefetch(ws.headers[0].places[:ws.headers[0].n])
	h := ws.headers[1]
	for i := range h.looks[:h.n] {
		l := &h.looks[i]
		if err := ws.find(t, &t.tables[l.table], l); err != nil {
			return err
		}
	}
	h.n = 0
	swap(&ws.headers)
	return nil
}

// find finds the lines or the values of a header, and collects them.
func (ws *waveSearch) find(t *Tables, tb *table, l *look) error {
	ws.left[l.of] -= ws.price.probe
	ws.stats.LookUps++
	if l.table == 0 {
		return ws.candidate(t, candidate{x: l.permuted, of: l.of})
	}
	from, to := tb.Span(l.permuted)
	if !ws.sound {
		if err := tb.CheckStarts(from, to); err != nil {
			return err
		}
	}
	first := tb.Line(from)
	last := first
	if to > from {
		last = tb.Line(to)
		ws.left[l.of] -= int64(last-first) * ws.price.line
	}
	if first > last || last >= uint64(len(tb.Lines)) {
		return tb.BadStarts(from, to)
	}
	word, within := tb.Word(l.permuted), uint32(min(ws.k-int(l.apart), 32))
	for ; first <= last; first++ {
		w := ws.waves[0]
		n := w.n % batchSize
		w.lines[n], w.words[n], w.within[n], w.numbers[n], w.looks[n] = &tb.Lines[first], word, within, first, *l
		if w.n++; w.n == batchSize {
			if err := ws.read(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func swap[T any](two *[2]*T) { two[0], two[1] = two[1], two[0] }

// read asks for the lines of one wave, and compares those of the one before.
func (ws *waveSearch) read(t *Tables) error {
	kernels.PrefetchLines(ws.waves[0].lines[:ws.waves[0].n])
	if err := ws.compare(t, ws.waves[1]); err != nil {
		return err
	}
	ws.waves[1].n = 0
	swap(&ws.waves)
	return nil
}

// compare compares the words of the lines of a wave.
func (ws *waveSearch) compare(t *Tables, w *wave) error {
	lines := w.lines[:w.n]
	some := kernels.LinesWithin(lines, w.words[:], w.within[:])
	if !t.linesSound.of(t) {
		if err := w.check(t); err != nil {
			return err
		}
	}
	compared := 0
	for _, l := range lines {
		compared += l.Count()
	}
	ws.stats.Compared += int64(compared)
	for ; some != 0; some &= some - 1 {
		n := bits.TrailingZeros64(some)
		l := &w.looks[n]
		if ws.left[l.of] < 0 {
			tb := &t.tables[l.table]
			if lo, hi, err := tb.Run(w.numbers[n]); err == nil && hi-lo > heavyFrom && tb.Has(w.numbers[n], l.permuted) {
				t.heavy[l.table].get(lo, hi).compared.Add(int64(hi - lo)) // it deserves tables as much as the runs that were compared
			}
			continue
		}
		var err error
		if count := lines[n].Count(); count <= kernels.LineWords {
			err = ws.words(t, l, lines[n][:count], 0, w.words[n], w.within[n])
		} else {
			ws.stats.Compared -= int64(count)
			err = ws.run1(t, l, w.numbers[n], w.words[n], w.within[n])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check compares the checksums of the lines of a wave.
func (w *wave) check(t *Tables) error {
	var numbers [batchSize]uint64
	for n := range w.n {
		numbers[n] = t.tables[w.looks[n].table].Number(w.numbers[n])
	}
	if bad := kernels.UnsoundLines(w.lines[:w.n], numbers[:w.n]); bad != 0 {
		n := bits.TrailingZeros64(bad)
		return t.tables[w.looks[n].table].Unsound(w.numbers[n])
	}
	return nil
}

// words adds the candidates among at most 64 words of a table. The first behind of them have been compared before.
func (ws *waveSearch) words(t *Tables, l *look, words []uint32, behind int, word, within uint32) error {
	tb := &t.tables[l.table]
	for passed := kernels.MaskWithin32(words, word, int(within)) &^ lowBits(behind); passed != 0; passed &= passed - 1 {
		j := bits.TrailingZeros64(passed)
		if j > 0 && words[j] == words[j-1] {
			continue // the same values
		}
		if err := ws.candidate(t, candidate{x: tb.known(l.permuted, words[j]), of: l.of, table: l.table}); err != nil {
			return err
		}
	}
	return nil
}

// run1 compares the words of a bucket that does not fit a line.
func (ws *waveSearch) run1(t *Tables, l *look, line uint64, word, within uint32) error {
	tb := &t.tables[l.table]
	lo, hi, err := tb.Run(line)
	if err != nil || !tb.Has(line, l.permuted) {
		return err
	}
	if hi-lo > heavyFrom {
		if done, err := ws.heavy(t, *l, lo, hi, int(l.table)); done || err != nil {
			return err
		}
	}
	ws.stats.Compared += int64(hi - lo)
	if ws.left[l.of] -= int64(hi-lo) * ws.price.entry; ws.left[l.of] < 0 {
		return nil
	}
	for behind := 0; lo+behind < hi && ws.left[l.of] >= 0; lo, behind = lo+63, 1 { // a word that is equal to the one before is compared once
		if err := ws.words(t, l, tb.More[lo:min(hi, lo+64)], behind, word, within); err != nil {
			return err
		}
	}
	return nil
}

// heavyValues searches the values of a candidate by tables of their own. done is false if there are none.
func (ws *waveSearch) heavyValues(t *Tables, c *candidate) (done bool, err error) {
	if c.hi-c.lo <= heavyFrom {
		return false, nil
	}
	return ws.heavy(t, look{permuted: ws.qs[c.of], of: c.of}, int(c.lo), int(c.hi), int(c.table))
}

// heavy searches a heavy run, for a look-up in table by, by its tables. done is false if it has none.
func (ws *waveSearch) heavy(t *Tables, l look, lo, hi, by int) (done bool, err error) {
	count := tally{left: ws.left[l.of], price: ws.price}
	s := search{q: ws.qs[l.of], k: ws.k, way: ws.way, count: &count}
	ws.dst, done, err = t.nearHeavy(ws.dst, int(l.table), lo, hi, l.permuted, int(l.apart), by, s)
	ws.left[l.of] = count.left
	ws.stats.Add(count.stats)
	if errors.Is(err, errScan) {
		ws.left[l.of], err = min(ws.left[l.of], -1), nil
	}
	if err == nil {
		err = ws.own(t, l.of)
	}
	return done, err
}

// candidate adds a candidate.
func (ws *waveSearch) candidate(t *Tables, c candidate) error {
	cs := ws.candidates[0]
	cs.all[cs.n%batchSize] = c
	if cs.n++; cs.n == batchSize {
		return ws.settle(t)
	}
	return nil
}

// settle asks for the values that candidates may be, and compares those of the candidates before.
func (ws *waveSearch) settle(t *Tables) error {
	cs := ws.candidates[0]
	for i := range cs.all[:cs.n] {
		c := &cs.all[i]
		lo, hi, err := t.valuesLike(c.x, t.tables[c.table].unknown)
		if err != nil {
			return err
		}
		c.lo, c.hi = uint32(lo), uint32(hi)
		// Values are compared eight at a time, with those behind the last.
		cs.places[2*i] = kernels.PlaceOf(&t.values[min(lo, len(t.values)-1)])
		cs.places[2*i+1] = kernels.PlaceOf(&t.values[max(1, min(lo+(hi-lo+7)&^7, len(t.values)))-1])
	}
	kernels.Prefetch(cs.places[:2*cs.n])
	cs = ws.candidates[1]
	for i := range cs.all[:cs.n] {
		c := &cs.all[i]
		if ws.left[c.of] < 0 {
			if c.hi-c.lo > heavyFrom {
				t.heavy[0].get(int(c.lo), int(c.hi)).compared.Add(int64(c.hi - c.lo)) // see compare
			}
			continue
		}
		if here := (span{c.lo, c.hi, uint32(c.table)}); c.hi-c.lo > shortRun {
			if ws.long[c.of] == here {
				continue // all matches among these values have been found
			}
			ws.long[c.of] = here
			if done, err := ws.heavyValues(t, c); err != nil {
				return err
			} else if done {
				continue
			}
		}
		if ws.left[c.of] -= ws.price.passed + int64(c.hi-c.lo)*ws.price.entry; ws.left[c.of] < 0 {
			continue
		}
		s := search{q: ws.qs[c.of], k: ws.k, way: ws.way}
		before := len(ws.dst)
		var err error
		if ws.dst, err = t.matches(ws.dst, int(c.table), int(c.lo), int(c.hi), s); err != nil {
			return err
		}
		ws.left[c.of] -= int64(len(ws.dst)-before) * ws.price.match
		if c.table == 0 {
			ws.stats.Compared += int64(c.hi - c.lo)
		}
		if err := ws.own(t, c.of); err != nil {
			return err
		}
	}
	cs.n = 0
	swap(&ws.candidates)
	return nil
}

// own notes that the matches found since the last call are those of a query. The error is errTooMany if there are more
// than are kept of several queries.
func (ws *waveSearch) own(t *Tables, of uint32) error {
	if len(ws.qs) == 1 {
		return nil
	}
	for len(ws.owners) < len(ws.dst)-ws.base {
		ws.owners = append(ws.owners, of)
	}
	if len(ws.owners) > t.tuning.keepMatches {
		return errTooMany
	}
	return nil
}

// radius returns within how many bits headers are looked up in table i.
func (ws *waveSearch) radius(tb *table, i int) int {
	return min(int(ws.way.radii[i]), tb.search, ws.k)
}

// levelsOf returns the number of differences of 0, 1, ..., r of n bits.
func levelsOf(n, r int) (levels [hamming.MaxBits + 1]int) {
	levels[0] = 1
	for apart := 1; apart <= r; apart++ {
		levels[apart] = levels[apart-1] * (n - apart + 1) / apart
	}
	return levels
}

// lookUps returns how many headers a query looks up in the table in which it looks up the most.
func (w *way) lookUps(t *Tables) int {
	most := 0.0
	for i, r := range w.radii {
		most = max(most, ball(t.tables[i].search, int(r)))
	}
	return int(min(most, 1<<40))
}
