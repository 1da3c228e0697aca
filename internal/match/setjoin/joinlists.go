package setjoin

import (
	"cmp"
	"context"
	"math"
	"sync"
	"sync/atomic"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/prefix"
)

// A join finds the pairs of sets by the ranks of their prefixes. Sets are in the order of their sizes.
//
// The smaller set of a pair has the first rank that both share in its short prefix, and the larger one in its long
// one.
type join struct {
	prefix.Lengths
	*sketches
	sets  *prefix.Sets
	order []uint32 // the set at each place
	purpose
	found      atomic.Int64
	didCompare atomic.Int64
	long       int       // sets of a list that are of several tasks
	least      uint64    // what a chunk costs at least
	blocks     []uint64  // how many entries the lists of each rankStep ranks have
	searches   sync.Pool // of *groupSearch

	// The lists of a pass: the sets that have each rank from first on in their prefixes.
	first    uint32
	starts   []uint32 // of the list of each rank, and the end of the last
	lists    []entry
	room     uint64 // for how many entries there is room in lists: those of any pass
	postings int64  // of all passes so far
}

// rankStep is the number of ranks that are of one pass at least.
const rankStep = 1 << 10

// An entry says that a set has a rank in its prefix.
type entry struct {
	set      uint32 // its place
	at       uint32 // how many features it has before the rank, twice, and one more if that is in its short prefix
	previous uint32 // the rank before this one in the set, or NoRank for the first one
}

func newEntry(place uint32, before int, short bool, previous uint32) entry {
	e := entry{place, uint32(before) << 1, previous}
	if short {
		e.at |= 1
	}
	return e
}

func (e entry) place() uint32 { return e.set }

func (e entry) before() int { return int(e.at >> 1) }

func (e entry) short() bool { return e.at&1 != 0 }

// shareBefore reports whether two sets of one list are known to share a rank before that of the list. Near sets
// mostly do, unless it is the first that they share.
func (e entry) shareBefore(f entry) bool {
	return e.previous == f.previous && e.previous != prefix.NoRank
}

// scanPlaces is how many sets a goroutine reads at a time.
const scanPlaces = 1 << 13

// bySize returns all sets in the order of their sizes, and these sizes.
func bySize(ctx context.Context, s *prefix.Sets) (order []uint32, sizes []uint64, err error) {
	order, sizes = make([]uint32, s.Len()), make([]uint64, s.Len())
	for i := range order {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		size := s.Size(uint32(i))
		sizes[i], order[i] = uint64(size), uint32(i)
	}
	ints.SortPairs(sizes, order)
	return order, sizes, nil
}

func newJoin(ctx context.Context, s *prefix.Sets, t float64, p purpose, o Options) (*join, error) {
	n := s.Len()
	order, sizes, err := bySize(ctx, s)
	if err != nil {
		return nil, err
	}
	sum, squares := 0., 0.
	for _, size := range sizes {
		sum, squares = sum+float64(size), squares+float64(size)*float64(size)
	}
	mean := int(min(squares/max(1, sum), math.MaxInt32)) // of the set that a feature is in
	j := &join{Lengths: prefix.Lengths{T: t}, sets: s, order: order, purpose: p, long: longSets}
	j.sketches = newSketches(n, mean, 2*j.Unshared(mean)+1)
	j.least = cmp.Or(o.chunk, chunkCost)
	if o.long > 0 {
		j.long = o.long
	}
	if p.connected != nil { // a list is of one task, in which each set finds the others connected
		j.long = n
	}
	return j, j.sketchAll(ctx, o.Threads)
}

// sketchAll makes the sketches, and counts j.blocks.
func (j *join) sketchAll(ctx context.Context, threads int) error {
	n := len(j.order)
	j.blocks = make([]uint64, (j.sets.Ranks()+rankStep-1)/rankStep)
	work := func(ctx context.Context, task int) ([]uint32, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return j.sketch(task*scanPlaces, min(n, (task+1)*scanPlaces)), nil
	}
	return parallel.Ordered(ctx, threads, (n+scanPlaces-1)/scanPlaces, work, func(blocks []uint32) error {
		for i, n := range blocks {
			j.blocks[i] += uint64(n)
		}
		return nil
	})
}

// sketch reads the sets at places [from, to). It returns what they add to j.blocks.
func (j *join) sketch(from, to int) (blocks []uint32) {
	blocks = make([]uint32, len(j.blocks))
	for place := from; place < to; place++ {
		if (place-from)%ahead == 0 {
			j.touch(j.order[place:min(to, place+ahead)], false)
		}
		set := j.order[place]
		d := j.sets.Decoder(set)
		record := j.record(uint32(place))
		sketch := record[:j.words]
		clear(sketch)
		j.describe(record, d.Features, d.Alone)
		last := j.Probed(d.Features, 1)
		for at := d.Alone; d.Ranks > 0; at++ {
			r, err := d.Rank()
			if err != nil {
				panic(j.sets.Bad(set, err))
			}
			if at < last {
				blocks[r/rankStep]++
			}
			flip(sketch, r)
		}
	}
	return blocks
}

// touch reads from memory where the codes of sets begin, and the middle of them if they are wanted whole, all at the
// same time. Decoding would wait for one after the other. What it returns is of no use.
//
//go:noinline
func (j *join) touch(sets []uint32, whole bool) (touched byte) { //nolint:unparam // else nothing would be read
	for _, set := range sets {
		code := j.sets.Code(set)
		if touched ^= code[0]; whole {
			touched ^= code[len(code)/2]
		}
	}
	return touched
}

// eachPrefix calls do with the ranks from lo on and below hi that the sets at places [from, to) have in their prefixes.
func (j *join) eachPrefix(from, to int, lo, hi uint32, do func(rank uint32, e entry)) {
	var ranks [32]uint32
	for place := from; place < to; place++ {
		if (place-from)%ahead == 0 {
			j.touch(j.order[place:min(to, place+ahead)], false)
		}
		set := j.order[place]
		d := j.sets.Decoder(set)
		last, short := j.Probed(d.Features, 1), j.Short(d.Features, 1)
		previous := prefix.NoRank
		for at := d.Alone; at < last && d.Ranks > 0 && d.Next < uint64(hi); {
			some := ranks[:min(last-at, d.Ranks, len(ranks))]
			if err := d.Read(some); err != nil {
				panic(j.sets.Bad(set, err))
			}
			for i, r := range some {
				if lo <= r && r < hi {
					do(r, newEntry(uint32(place), at+i, at+i < short, previous))
				}
				previous = r
			}
			at += len(some)
		}
	}
}
