package tables

import (
	"errors"
	"math/bits"

	"simsearch/hamming"
	"simsearch/internal/match/kernels"
)

const (
	// listRoom is how many entries that passed are held at a time. It is at least listedRun.
	listRoom = 2048
	// listedRun is the number of entries above which a run is compared by itself, by tables of its own perhaps.
	listedRun = 1024
	// listedWithin is the distance from which a run is compared by itself, by both parts of its entries at
	// once: at distance 12 one random entry of nine passes.
	listedWithin = 12
)

// A wave is up to batchSize headers to be looked up in one table.
type wave struct {
	table    int
	n        int
	slot, of [batchSize]uint32 // the headers, and the queries that they are for
	permuted [batchSize]uint64 // these queries; when the wave is resolved, with the headers

	lo, hi, ends [batchSize]uint32 // the runs, and the ends of these in the list of entries that passed
	flip         [batchSize]uint32 // how a header differs from that of its query
	low, within  [batchSize]uint32 // the lowest bits of the query, and how many bits may differ besides the header
	alone        uint64            // the runs to be compared by themselves
}

// reset empties a wave.
func (w *wave) reset(table int) { w.table, w.n, w.alone = table, 0, 0 }

// turn takes each wave a step further, and begins a new one of the same table.
func (ws *waveSearch) turn(t *Tables) error {
	filled := ws.filled
	if filled.n > 0 {
		for j, slot := range filled.slot[:filled.n] {
			filled.hi[j] = slot + 2 // where it ends, and where the next one ends
		}
		kernels.Prefetch(t.tables[filled.table].dir.Starts, filled.slot[:filled.n], filled.hi[:filled.n], 2)
	}
	ws.resolve(t, ws.resolved)
	if err := ws.compare(t, ws.fetched, ws.resolved); err != nil {
		return err
	}
	ws.filled, ws.resolved, ws.fetched = ws.fetched, filled, ws.resolved
	ws.filled.reset(filled.table)
	return nil
}

// resolve finds the runs of a wave, and what they cost.
func (ws *waveSearch) resolve(t *Tables, w *wave) {
	tb := &t.tables[w.table]
	starts, shift, n := tb.dir.Starts, tb.dir.Shift, w.n
	if !tb.guards.dir.Whole() {
		for _, slot := range w.slot[:n] {
			tb.dir.Check(uint64(slot), uint64(slot))
		}
	}
	for j, slot := range w.slot[:n] {
		run := starts[slot:]
		w.lo[j], w.hi[j] = run[0], run[1]
	}
	ws.stats.LookUps += int64(n)
	entries := int64(0)
	for j, slot := range w.slot[:n] {
		lo, hi, of, permuted := w.lo[j], w.hi[j], w.of[j], w.permuted[j]
		if lo > hi || int(hi) > len(t.values) {
			panic(tb.dir.Bad(uint64(slot), uint64(slot), len(t.values)))
		}
		flip := uint64(slot) ^ permuted>>shift
		if hi-lo > longRun {
			count := tally{left: ws.left[of], price: ws.price}
			from, to := t.withHeader(w.table, int(lo), int(hi), permuted, search{k: ws.k, count: &count})
			lo, hi, ws.left[of] = uint32(from), uint32(to), count.left
			w.lo[j], w.hi[j] = lo, hi
			ws.stats.Steps += count.stats.Steps
		}
		within := ws.k - bits.OnesCount64(flip)
		w.flip[j], w.low[j], w.within[j] = uint32(flip), uint32(permuted&tb.tails.mask), uint32(min(within, 32))
		w.permuted[j] = permuted ^ flip<<shift
		if hi-lo > listedRun || within >= listedWithin || tb.tails.low == nil {
			w.alone |= 1 << j // compare counts its entries
			ws.left[of] -= ws.price.probe + ws.price.alone
			if within >= listedWithin {
				ws.left[of] -= int64(hi-lo) * ws.price.entry // it has two parts
			}
			if hi > lo && within >= manyPass {
				tb.tails.touchRun(int(lo), int(min(hi, lo+heavyFrom)))
			}
			continue
		}
		entries += int64(hi - lo)
		ws.left[of] -= ws.price.probe + int64(hi-lo)*ws.price.entry
	}
	ws.stats.Compared += entries
	if g := &tb.guards; !g.low.Whole() {
		for j := range n {
			g.checkLow(int(w.lo[j]), int(w.hi[j]))
		}
	}
}

// compare compares the entries of the runs of a wave. Meanwhile it reads those of the next wave into the cache.
func (ws *waveSearch) compare(t *Tables, w, next *wave) error {
	ahead, later := t.tables[next.table].tails.low, kernels.Runs{Lo: next.lo[:next.n], Hi: next.hi[:next.n]}
	if ahead == nil { // the first one of dense tables
		later = kernels.Runs{}
	} else if next.n > w.n {
		kernels.Prefetch(ahead, next.lo[w.n:next.n], next.hi[w.n:next.n], heavyFrom)
		later.Lo = later.Lo[:w.n]
	}
	if w.n == 0 {
		return nil
	}
	for alone := w.alone; alone != 0; alone &= alone - 1 {
		j := bits.TrailingZeros64(alone)
		if err := ws.compareAlone(t, w, j); err != nil {
			return err
		}
		w.hi[j] = w.lo[j] // nothing is to be listed
	}
	low := t.tables[w.table].tails.low
	if low == nil {
		return nil // all were compared by themselves
	}
	runs := kernels.Runs{Lo: w.lo[:w.n], Hi: w.hi[:w.n], Qs: w.low[:w.n], Ks: w.within[:w.n]}
	for first := 0; first < w.n; {
		done := kernels.ListWithin32(ws.list[:], w.ends[:], low, runs, first, ahead, later)
		if err := ws.compareListed(t, w, first, done); err != nil {
			return err
		}
		first = done
	}
	return nil
}

// compareAlone compares the entries of run j of a wave.
func (ws *waveSearch) compareAlone(t *Tables, w *wave, j int) error {
	of, lo, hi := w.of[j], int(w.lo[j]), int(w.hi[j])
	if lo == hi {
		return nil
	}
	if ws.left[of] < 0 {
		if hi-lo > t.long { // it deserves tables as much as the runs that were compared
			t.heavy[w.table].get(lo, hi).compared.Add(int64(hi - lo))
		}
		return nil
	}
	flip := uint64(w.flip[j])
	count := tally{left: ws.left[of], price: ws.price}
	s := search{q: ws.qs[of], k: ws.k, way: ws.way, count: &count}
	var err error
	ws.dst, err = t.compare(ws.dst, w.table, lo, hi, w.permuted[j]^flip<<t.tables[w.table].dir.Shift, flip, s)
	ws.left[of] = count.left
	ws.stats.Add(count.stats)
	if errors.Is(err, errScan) {
		ws.left[of], err = min(ws.left[of], -1), nil
	}
	if err == nil {
		err = ws.own(t, of)
	}
	return err
}

// compareListed compares the entries in the list, which are those of the runs [first, done) of a wave.
func (ws *waveSearch) compareListed(t *Tables, w *wave, first, done int) error {
	tb := &t.tables[w.table]
	list := ws.list[:w.ends[done-1]]
	if len(list) == 0 {
		return nil
	}
	if !tb.guards.restWhole() {
		for _, j := range list {
			tb.guards.checkRest(int(j), int(j)+1)
		}
	}
	tb.tails.touchAll(list)
	from := uint32(0)
	for j := first; j < done; j++ {
		end := w.ends[j]
		if from == end {
			continue
		}
		entries, of := list[from:end], w.of[j]
		from = end
		if ws.left[of] -= int64(len(entries)) * ws.price.passed; ws.left[of] < 0 {
			continue
		}
		q, within := w.permuted[j], ws.k-bits.OnesCount32(w.flip[j])
		for _, e := range entries {
			x := tb.tails.at(int(e))
			d := hamming.Distance(x, q&tb.tails.mask)
			if d > within {
				continue
			}
			if ws.left[of] -= ws.price.match; ws.left[of] < 0 {
				break
			}
			s := search{q: ws.qs[of], k: ws.k, way: ws.way}
			ws.dst = t.found(ws.dst, w.table, int(e), q&^tb.tails.mask|x, ws.k-within+d, s)
		}
		if err := ws.own(t, of); err != nil {
			return err
		}
	}
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
