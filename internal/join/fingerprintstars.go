package join

import (
	"context"

	"simsearch/hamming"
	"simsearch/internal/parallel"
	"simsearch/internal/radix"
	"simsearch/tables"
)

// Stars returns the center of each fingerprint within distance k, in [0, 64], as prefix.Sets.Stars finds that of a set: in the
// given order, a fingerprint is a center if none before it is within k, and otherwise belongs to the nearest of these, the
// first of several. order has all numbers. The first ones of order, given by their number, are centers in any case.
//
// Only centers are looked up, so that a crowd of fingerprints that are all near costs little. They are looked up in blocks, on
// several goroutines, among the centers of earlier blocks, and then one after the other among those of their own block. The
// centers are in tables of growing sizes, which are merged like the digits of a binary counter, so that each is sorted only
// as often as the number of blocks has digits. Of o it uses Threads and Progress. The error is that of ctx.
func (f *Fingerprints) Stars(ctx context.Context, k int, order []uint32, first int, o Options) ([]uint32, error) {
	st := &fingerprintStars{Fingerprints: f, k: k, order: order, first: first, of: make([]uint32, len(f.of))}
	if k == 0 { // they are distinct
		first = len(order)
		st.first = first
	}
	for from := 0; from < len(order); from += starBlock {
		to := min(len(order), from+starBlock)
		if err := st.block(ctx, from, to, o.Threads); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(to, len(order))
		}
	}
	return st.of, nil
}

// starBlock is how many fingerprints are looked up together, and starTask how many by one goroutine at a time.
const starBlock, starTask = 1 << 12, 1 << 9

type fingerprintStars struct {
	*Fingerprints
	k      int
	order  []uint32
	first  int
	of     []uint32
	levels []starLevel // of centers of earlier blocks; each at least twice as large as the next
}

// A starLevel has some centers.
type starLevel struct {
	values []uint64 // ascending
	places []uint32 // of each of them, in the order
	tables *tables.Tables
}

// A nearestCenter is the nearest center of a fingerprint that is known so far.
type nearestCenter struct {
	place    uint32
	distance uint8
	found    bool
}

// see takes a center if it is nearer, or as near and before the one that is known.
func (n *nearestCenter) see(place uint32, distance uint8) {
	if !n.found || distance < n.distance || distance == n.distance && place < n.place {
		*n = nearestCenter{place, distance, true}
	}
}

// block finds the centers of the fingerprints at places [from, to).
func (st *fingerprintStars) block(ctx context.Context, from, to, threads int) error {
	found := make([]nearestCenter, to-from)
	queries := make([]uint64, to-from)
	for i := range queries {
		queries[i] = st.Fingerprints.of[st.order[from+i]]
	}
	// Those that are centers in any case are not looked up.
	look := max(0, min(st.first-from, to-from))
	tasks := (to - from - look + starTask - 1) / starTask
	work := func(_ context.Context, task int) (struct{}, error) {
		at := look + task*starTask
		end := min(len(queries), at+starTask)
		for _, l := range st.levels {
			err := l.tables.NearBatch(queries[at:end], st.k, func(i int, matches []hamming.Match) error {
				for _, m := range matches {
					found[at+i].see(l.places[m.Index], m.Distance)
				}
				return nil
			})
			if err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	}
	if err := parallel.Ordered(ctx, threads, tasks, work, func(struct{}) error { return nil }); err != nil {
		return err
	}
	var fresh starLevel
	var matches []hamming.Match
	for i, q := range queries {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if i >= look {
			matches = hamming.Scan(matches[:0], fresh.values, q, st.k)
			for _, m := range matches {
				found[i].see(fresh.places[m.Index], m.Distance)
			}
		}
		number := st.order[from+i]
		if found[i].found {
			st.of[number] = st.order[found[i].place]
			continue
		}
		st.of[number] = number
		fresh.values, fresh.places = append(fresh.values, q), append(fresh.places, uint32(from+i))
	}
	st.add(fresh)
	return nil
}

// add adds the centers of a block to the levels.
func (st *fingerprintStars) add(l starLevel) {
	if len(l.values) == 0 {
		return
	}
	for n := len(st.levels); n > 0 && len(st.levels[n-1].values) < 2*len(l.values); n-- {
		l.values, l.places = append(l.values, st.levels[n-1].values...), append(l.places, st.levels[n-1].places...)
		st.levels = st.levels[:n-1]
	}
	radix.SortPairs(l.values, l.places)
	l.tables = tables.Build(l.values, tables.Choose(MaxBits, len(l.values), min(st.k, MaxBits-1), 0).Design)
	st.levels = append(st.levels, l)
}
