package tables

import (
	"sync"

	"simsearch/hamming"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/kernels"
)

// Searches that look up many headers wait for memory: a run of forty entries is three cache lines, which no
// processor foresees. So they take a wave of headers through each step before the next step. Three waves are on their
// way at a time: the directory is read for one, the runs for the wave before, and the runs of the wave before that are
// compared. Batches do so, too, with the headers of many queries, and single searches beyond the exact distance.
//
// The headers of a large batch are sorted, as Manku et al. do, so that runs and pages are read once for many queries.
//
// A run is compared once: the entries that pass by their lowest 32 bits are listed, then the other bits of all of
// them are read, and then these are compared. At distance 8, two of five runs of 150 entries have such an entry.

// A waveSearch takes queries of one distance through the tables. It is used for one search at a time.
type waveSearch struct {
	k     int
	way   *way
	price prices
	stats Stats

	qs       []uint64
	left     []int64  // the time that each query may still take, in picoseconds; below 0 it has given up
	permuted []uint64 // the queries under the permutation of the current table
	sorted   bool     // the headers of a table are to be sorted

	dst    []hamming.Match
	owners []uint32 // the query of each element of dst, if there are several queries
	base   int      // how many elements dst had before the search

	three                     [3]wave
	filled, resolved, fetched *wave
	list                      [listRoom + kernels.ListSlack]uint32

	slots, sortedSlots []uint64
	of, sortedOf       []uint32
}

// waveSearches are the memory of searches by waves.
var waveSearches = sync.Pool{New: func() any { return new(waveSearch) }}

// run appends the matches of the queries to ws.dst, in any order. Those of a query that has given up are not
// complete.
func (ws *waveSearch) run(t *Tables) error {
	ws.owners, ws.base = ws.owners[:0], len(ws.dst)
	ws.filled, ws.resolved, ws.fetched = &ws.three[0], &ws.three[1], &ws.three[2]
	for i := range ws.three {
		ws.three[i].reset(0)
	}
	if len(ws.permuted) < len(ws.qs) {
		ws.permuted = make([]uint64, len(ws.qs))
	}
	for i := range t.tables {
		if ws.way.radii[i] < 0 {
			continue
		}
		ws.filled.reset(i)
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
		if ws.filled.n > 0 {
			if err := ws.turn(t); err != nil {
				return err
			}
		}
	}
	for range 2 {
		if err := ws.turn(t); err != nil {
			return err
		}
	}
	return nil
}

// lookUp looks up the headers of all queries in table i.
func (ws *waveSearch) lookUp(t *Tables, i int) error {
	tb := &t.tables[i]
	radius := ws.radius(tb, i)
	levels := levelsOf(tb.dir.Bits, radius)
	for of, q := range ws.qs {
		if ws.left[of] < 0 {
			continue
		}
		permuted := tb.perm.Apply(q)
		header := permuted >> tb.dir.Shift
		for apart := range radius + 1 {
			flip := lowBits(apart)
			for range levels[apart] {
				w := ws.filled
				w.permuted[w.n], w.slot[w.n], w.of[w.n] = permuted, uint32(header^flip), uint32(of)
				if w.n++; w.n == batchSize {
					if err := ws.turn(t); err != nil || len(ws.qs) == 1 && ws.left[0] < 0 {
						return err
					}
				}
				if flip != 0 {
					flip = nextSubset(flip)
				}
			}
		}
	}
	return nil
}

// lookUpSorted is lookUp for the headers in their order, but for their lowest bits.
func (ws *waveSearch) lookUpSorted(t *Tables, i int) error {
	tb := &t.tables[i]
	radius := ws.radius(tb, i)
	levels := levelsOf(tb.dir.Bits, radius)
	permuted := ws.permuted[:len(ws.qs)]
	tb.perm.ApplyAll(permuted, ws.qs)
	ws.slots, ws.of = ws.slots[:0], ws.of[:0]
	for of, p := range permuted {
		if ws.left[of] < 0 {
			continue
		}
		header := p >> tb.dir.Shift
		for apart := range radius + 1 {
			flip := lowBits(apart)
			for range levels[apart] {
				ws.slots, ws.of = append(ws.slots, header^flip), append(ws.of, uint32(of))
				if flip != 0 {
					flip = nextSubset(flip)
				}
			}
		}
	}
	if len(ws.sortedSlots) < len(ws.slots) {
		ws.sortedSlots, ws.sortedOf = make([]uint64, len(ws.slots)), make([]uint32, len(ws.slots))
	}
	ints.PartitionPairs(ws.sortedSlots, ws.sortedOf, ws.slots, ws.of, tb.dir.Bits-min(tb.dir.Bits, sortBits))
	sortedOf := ws.sortedOf[:len(ws.slots)]
	for at, slot := range ws.sortedSlots[:len(ws.slots)] {
		w, of := ws.filled, sortedOf[at]
		w.permuted[w.n], w.slot[w.n], w.of[w.n] = permuted[of], uint32(slot), of
		if w.n++; w.n == batchSize {
			if err := ws.turn(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// radius returns within how many bits headers are looked up in table i.
func (ws *waveSearch) radius(tb *table, i int) int {
	return min(int(ws.way.radii[i]), tb.dir.Bits, ws.k)
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
		most = max(most, ball(t.tables[i].dir.Bits, int(r)))
	}
	return int(min(most, 1<<40))
}
