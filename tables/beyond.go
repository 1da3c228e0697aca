package tables

import (
	"errors"
	"math/bits"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/kernels"
)

// A search beyond the exact distance looks up many headers, and waits for memory: a run of forty entries is
// three cache lines, which no processor foresees. So it takes a wave of headers through each step before the
// next step, and reads every line of their runs into the cache while it compares the wave before. The searches of a
// batch share their waves.
//
// A run is compared once: the entries that pass by their lowest 32 bits are listed, then the other bits of all of
// them are read, and then these are compared. At distance 8, two of five runs of 150 entries have such an entry.

const (
	// listRoom is how many entries that passed are held at a time. It is at least listedRun.
	listRoom = 2048
	// listedRun is the number of entries above which a run is compared by itself, by tables of its own perhaps.
	listedRun = 1024
	// listBelow is the distance from which a run is compared by itself, by both parts of its entries at
	// once: at distance 12 one random entry of nine passes.
	listBelow = 12
)

// A wide is one search beyond the exact distance. Its count is not nil.
type wide struct {
	search
	gaveUp bool
}

// A wave is the runs of up to batchSize headers of one table, of one search or of several.
type wave struct {
	table        int
	n            int
	lo, hi, ends [batchSize]uint32 // ends are those of the runs in list
	low, within  [batchSize]uint32 // the lowest bits of the search, and how many bits of these may differ
	flip         [batchSize]uint64 // how each header differs from that of its search
	q            [batchSize]uint64 // the permuted search, with the header of the run
	of           [batchSize]int32  // the number of the search
	alone        uint64            // the runs to be compared by themselves
	list         [listRoom + kernels.ListSlack]uint32
}

// A waveSearch takes searches of the same way through the tables.
type waveSearch struct {
	two        [2]wave
	next, last *wave
	wides      []wide
	dst        []hamming.Match
	owners     []int32 // of a batch: the number of the search of each element of dst
	batch      bool
}

// waves are the memory of searches beyond the exact distance.
var waves = sync.Pool{New: func() any { return new(waveSearch) }}

// nearBeyond looks up the header of q and all headers within the radius in each table. s.count must not be nil.
func (t *Tables) nearBeyond(dst []hamming.Match, s search) ([]hamming.Match, error) {
	ws := waves.Get().(*waveSearch)
	defer waves.Put(ws)
	ws.wides = append(ws.wides[:0], wide{search: s})
	ws.dst, ws.batch = dst, false
	err := ws.run(t)
	dst, ws.dst = ws.dst, nil
	if err == nil && ws.wides[0].gaveUp {
		err = errScan
	}
	return dst, err
}

// run appends the matches of the searches to ws.dst, in any order. Those of a search that has given up are not
// complete.
func (ws *waveSearch) run(t *Tables) error {
	ws.next, ws.last = &ws.two[0], &ws.two[1]
	ws.next.n, ws.last.n = 0, 0
	look := ws.wides[0].way.look
	var touched uint32
	for i := range t.tables {
		if tb := &t.tables[i]; look[i] >= 0 {
			touched |= tb.dir.Starts[tb.perm.Apply(ws.wides[0].q)>>tb.dir.Shift]
		}
	}
	keep(touched)
	for i := range t.tables {
		if look[i] < 0 {
			continue
		}
		ws.next.table = i
		for of := range ws.wides {
			if ws.wides[of].gaveUp {
				continue
			}
			if err := ws.lookUp(t, i, of, int(look[i])); err != nil {
				return err
			}
			if !ws.batch && ws.wides[of].gaveUp {
				return nil
			}
		}
		if ws.next.n > 0 {
			if err := ws.turn(t); err != nil {
				return err
			}
		}
	}
	ws.next.n = 0
	return ws.compare(t, ws.last, ws.next)
}

// lookUp looks up the headers within radius r of one search in table i.
func (ws *waveSearch) lookUp(t *Tables, i, of, r int) error {
	s, tb := &ws.wides[of], &t.tables[i]
	permuted := tb.perm.Apply(s.q)
	for apart := 0; apart <= min(r, tb.dir.Bits, s.k); apart++ {
		flip := lowBits(apart)
		headers := int(Ball(tb.dir.Bits, apart) - Ball(tb.dir.Bits, apart-1))
		for headers > 0 {
			w := ws.next
			some := min(headers, batchSize-w.n)
			headers -= some
			entries := 0
			var err error
			if flip, entries, err = w.add(t, permuted, flip, some, of, s.k-apart); err != nil {
				return err
			}
			if !s.count.looked(some) || !s.count.compared(entries) {
				s.gaveUp = true
				return nil
			}
			if w.n == batchSize {
				if err := ws.turn(t); err != nil {
					return err
				}
				if s.gaveUp {
					return nil
				}
			}
		}
	}
	return nil
}

// add adds the runs of n headers, which differ from that of permuted in flip and in the following differences of as
// many bits. within is how many other bits may differ. It returns the difference behind these, and the number of
// entries of the runs that are not compared by themselves. The wave must have room for n runs.
func (w *wave) add(t *Tables, permuted, flip uint64, n, of, within int) (next uint64, entries int, _ error) {
	tb := &t.tables[w.table]
	dir, shift := &tb.dir, tb.dir.Shift
	header, low := permuted>>shift, uint32(permuted&tb.tails.mask)
	sound := tb.guards.dir.Whole()
	for range n {
		slot := header ^ flip
		if !sound {
			if err := dir.Check(slot, slot); err != nil {
				return flip, 0, err
			}
		}
		lo, hi := dir.Starts[slot], dir.Starts[slot+1]
		if lo > hi || int(hi) > len(t.values) {
			return flip, 0, dir.Bad(slot, slot, len(t.values))
		}
		j := w.n & (batchSize - 1)
		w.lo[j], w.hi[j], w.flip[j], w.low[j] = lo, hi, flip, low
		w.q[j], w.of[j], w.within[j] = permuted^flip<<shift, int32(of), uint32(min(within, 32))
		switch {
		case lo == hi:
			w.n--
		case hi-lo > listedRun || within >= listBelow:
			w.alone |= 1 << j // compare counts its entries
		default:
			entries += int(hi - lo)
		}
		w.n++
		if flip != 0 {
			flip = NextSubset(flip)
		}
	}
	return flip, entries, nil
}

// turn reads the runs of the next wave into the cache, compares the wave before, and begins a new one of the same
// table.
func (ws *waveSearch) turn(t *Tables) error {
	w := ws.next
	tails := &t.tables[w.table].tails
	for alone := w.alone; alone != 0; alone &= alone - 1 {
		if j := bits.TrailingZeros64(alone); w.within[j] >= manyPass {
			tails.touchRun(int(w.lo[j]), int(min(w.hi[j], w.lo[j]+heavyFrom)))
		}
	}
	if err := ws.compare(t, ws.last, w); err != nil {
		return err
	}
	ws.next, ws.last = ws.last, ws.next
	ws.next.table, ws.next.n, ws.next.alone = w.table, 0, 0
	return nil
}

// compare compares the entries of the runs of a wave. Meanwhile it reads those of the next wave into the cache.
func (ws *waveSearch) compare(t *Tables, w, next *wave) error {
	ahead, later := t.tables[next.table].tails.low, kernels.Runs{Lo: next.lo[:next.n], Hi: next.hi[:next.n]}
	if next.n > w.n {
		kernels.Prefetch(ahead, next.lo[w.n:next.n], next.hi[w.n:next.n], heavyFrom)
		later.Lo = later.Lo[:w.n]
	}
	if w.n == 0 {
		return nil
	}
	tb := &t.tables[w.table]
	if g := &tb.guards; !g.low.Whole() {
		for j := range w.n {
			if err := g.checkLow(int(w.lo[j]), int(w.hi[j])); err != nil {
				return err
			}
		}
	}
	for alone := w.alone; alone != 0; alone &= alone - 1 {
		j := bits.TrailingZeros64(alone)
		if err := ws.compareAlone(t, w, j); err != nil {
			return err
		}
		w.hi[j] = w.lo[j] // nothing is to be listed
	}
	runs := kernels.Runs{Lo: w.lo[:w.n], Hi: w.hi[:w.n], Qs: w.low[:w.n], Ks: w.within[:w.n]}
	for first := 0; first < w.n; {
		done := kernels.ListWithin32(w.list[:], w.ends[:], tb.tails.low, runs, first, ahead, later)
		if err := ws.compareListed(t, w, first, done); err != nil {
			return err
		}
		first = done
	}
	return nil
}

// compareAlone compares the entries of run j of a wave.
func (ws *waveSearch) compareAlone(t *Tables, w *wave, j int) error {
	s := &ws.wides[w.of[j]]
	if s.gaveUp {
		return nil
	}
	permuted := w.q[j] ^ w.flip[j]<<t.tables[w.table].dir.Shift
	var err error
	ws.dst, err = t.compare(ws.dst, w.table, int(w.lo[j]), int(w.hi[j]), permuted, w.flip[j], s.search)
	ws.own(w.of[j])
	if errors.Is(err, errScan) {
		s.gaveUp, err = true, nil
	}
	return err
}

// compareListed compares the entries in the list of a wave, which are those of the runs [first, done).
func (ws *waveSearch) compareListed(t *Tables, w *wave, first, done int) error {
	tb := &t.tables[w.table]
	list := w.list[:w.ends[done-1]]
	if sound := tb.guards.rest.Whole(); !sound {
		for _, j := range list {
			if err := tb.guards.checkRest(int(j), int(j)+1); err != nil {
				return err
			}
		}
	}
	tb.tails.touchAll(list)
	from := uint32(0)
	for j := first; j < done; j++ {
		end := w.ends[j]
		if from == end {
			continue
		}
		entries := list[from:end]
		from = end
		s := &ws.wides[w.of[j]]
		if s.gaveUp || !s.count.spend(int64(len(entries))*s.count.price.passed) {
			s.gaveUp = true
			continue
		}
		apart, q := bits.OnesCount64(w.flip[j]), w.q[j]
		for _, e := range entries {
			x := tb.tails.at(int(e))
			d := apart + hamming.Distance(x, q&tb.tails.mask)
			if d > s.k {
				continue
			}
			if !s.count.spend(s.count.price.match) {
				s.gaveUp = true
				break
			}
			var err error
			if ws.dst, err = t.found(ws.dst, w.table, int(e), q&^tb.tails.mask|x, d, s.search); err != nil {
				return err
			}
		}
		ws.own(w.of[j])
	}
	return nil
}

// own notes that the matches found since the last call are those of a search.
func (ws *waveSearch) own(of int32) {
	if ws.batch {
		for len(ws.owners) < len(ws.dst) {
			ws.owners = append(ws.owners, of)
		}
	}
}
