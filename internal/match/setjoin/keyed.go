package setjoin

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/prefix"
)

// Keys are the keys of things, which are numbered from 0 in the order in which they are added. A thing has up to 255.
// In memory is a byte of each thing, and what the Bytes hold.
type Keys struct {
	spill.Bytes
	counts []uint8
	all    int
	buffer []byte

	// Once ready: where the keys of each thing end, and the things of each set.
	mapped []byte
	ends   []uint64
	things [][]uint32
}

// A SetOf returns the set of a thing, if it has one.
type SetOf func(thing int) (set uint32, ok bool)

// NewKeys returns no keys. Those that are added are kept in bytes, which are empty.
func NewKeys(bytes spill.Bytes) *Keys { return &Keys{Bytes: bytes} }

// Add adds the keys of the next thing, which ascend.
func (k *Keys) Add(keys []uint32) {
	k.buffer = k.buffer[:0]
	for _, key := range keys {
		k.buffer = binary.LittleEndian.AppendUint32(k.buffer, key)
	}
	k.Append(k.buffer)
	k.counts, k.all = append(k.counts, uint8(len(keys))), k.all+len(keys)
}

// Len returns the number of things.
func (k *Keys) Len() int { return len(k.counts) }

// shared yields the keys that several things have, in the upper halves of numbers, and the sets of these things in the
// lower ones, in ascending order. setOf returns the set of a thing, if it has one. About room numbers are in memory at
// a time.
func (k *Keys) shared(ctx context.Context, room int, setOf SetOf) iter.Seq2[uint64, error] {
	length := func(thing int) (n int, ok bool) {
		if thing >= len(k.counts) {
			return 0, false
		}
		return 4 * int(k.counts[thing]), true
	}
	return func(yield func(uint64, error) bool) {
		passes := uint64(1 + k.all/room)
		together := min(room+room/4, k.all)
		all, scratch := make([]uint64, 0, together), make([]uint64, together)
		for pass := range passes { // a part of all keys
			from, to := uint32(pass*(1<<32)/passes), uint32((pass+1)*(1<<32)/passes-1)
			all = all[:0]
			err := k.Scan(length, func(thing int, keys []byte) error {
				if thing%lookEvery == 0 && ctx.Err() != nil {
					return context.Cause(ctx)
				}
				set, ok := setOf(thing)
				for ; ok && len(keys) > 0; keys = keys[4:] {
					if key := binary.LittleEndian.Uint32(keys); from <= key && key <= to {
						all = append(all, uint64(key)<<32|uint64(set))
					}
				}
				return nil
			})
			if err != nil {
				yield(0, err)
				return
			}
			if len(scratch) < len(all) { // keys are hashes, so that this is seldom
				scratch = make([]uint64, len(all))
			}
			ints.Sort(all, scratch[:len(all)])
			for i, x := range all {
				alone := (i == 0 || all[i-1]>>32 != x>>32) && (i+1 == len(all) || all[i+1]>>32 != x>>32)
				if !alone && !yield(x, nil) {
					return
				}
			}
		}
	}
}

// Keyed returns the pairs of sets whose similarity is at least alike, and those whose similarity is at least t and
// that have a key in common; 0 < t <= alike <= 1. Each comes once, in the order of the sets. keys returns the keys of
// things, once they are wanted, and setOf the set of a thing, if it has one. A set of several things has the keys of
// all. If there are more pairs than Options.Most, unless that is 0, the error is ErrMany. Otherwise it is that of
// keys or the cause of ctx.
//
// What Pairs does with the sets that share a rank, Keyed does with those that share a key. Where keys are rare, t may
// be low. Where very many sets have one, such as texts that begin alike, it leaves out of the pairs that Pairs finds
// at t those without a key in common. Beside what Pairs takes, it takes 8 bytes a set, 24 a pair, and for keys 40 MiB
// or four bytes each, or less if Options.Memory is less.
func Keyed(ctx context.Context, s *prefix.Sets, t, alike float64, keys func() (*Keys, error), setOf SetOf, o Options) ([]Pair, error) {
	k := &keyJoin{o: o, entries: leastKeyed}
	o.Most = 0 // else Pairs gives up by an estimate
	err := joinSets(ctx, s, alike, purpose{limit: k.o.Most}, o, k.add)
	var of *Keys
	if err == nil {
		of, err = keys()
	}
	if err == nil {
		if err = k.byKeys(ctx, s, t, of, setOf); errors.Is(err, errStopped) {
			err = k.byRanks(ctx, s, t, alike, of, setOf)
		}
	}
	if errors.Is(err, errStopped) {
		err = ErrMany
	}
	if err != nil {
		return nil, err
	}
	err = k.distinct()
	if o.Stats != nil {
		o.Stats.add(k.stats)
		o.Stats.Pairs = int64(len(k.pairs))
	}
	return k.pairs, err
}

// add adds pairs.
func (k *keyJoin) add(found []Pair) error {
	k.pairs = append(k.pairs, found...)
	return nil
}

// byRanks finds pairs as Pairs does, and leaves out those without a key in common. The error is errStopped if there are
// too many.
func (k *keyJoin) byRanks(ctx context.Context, s *prefix.Sets, t, alike float64, of *Keys, setOf SetOf) error {
	if err := of.ready(s.Len(), setOf); err != nil {
		return err
	}
	k.pairs = k.pairs[:0]
	wanted := func(p Pair) bool {
		return prefix.Jaccard(p.Shared, s.Size(p.A), s.Size(p.B)) >= alike || of.common(p.A, p.B)
	}
	o := k.o
	o.Most = 0
	return joinSets(ctx, s, t, purpose{limit: k.o.Most, wanted: wanted}, o, k.add)
}

// ready makes ready for common: n sets have the things.
func (k *Keys) ready(n int, setOf SetOf) (err error) {
	k.mapped, err = k.Map()
	k.things, k.ends = make([][]uint32, n), make([]uint64, len(k.counts)+1)
	for thing, count := range k.counts {
		k.ends[thing+1] = k.ends[thing] + 4*uint64(count)
		if set, ok := setOf(thing); ok {
			k.things[set] = append(k.things[set], uint32(thing))
		}
	}
	return err
}

// common reports whether two sets have a key in common.
func (k *Keys) common(a, b uint32) bool {
	for _, x := range k.things[a] {
		for _, y := range k.things[b] {
			x, y := k.mapped[k.ends[x]:k.ends[x+1]], k.mapped[k.ends[y]:k.ends[y+1]]
			for len(x) > 0 && len(y) > 0 {
				p, q := binary.LittleEndian.Uint32(x), binary.LittleEndian.Uint32(y)
				if p == q {
					return true
				}
				if p < q {
					x = x[4:]
				} else {
					y = y[4:]
				}
			}
		}
	}
	return false
}

// byKeys finds pairs by their keys. The error is errStopped if that takes long: if it compares more than mostSketches
// pairs of sketches a set, or mostCompared pairs a set, and more of these than may be near, or finds twice as many.
func (k *keyJoin) byKeys(ctx context.Context, s *prefix.Sets, t float64, of *Keys, setOf SetOf) (err error) {
	p := purpose{keyed: true, mostCompared: int64(k.o.candidates)}
	if k.o.Most > 0 {
		p.limit, p.mostCompared = 2*k.o.Most, cmp.Or(p.mostCompared, max(k.o.Most, mostCompared*int64(s.Len())))
	}
	if k.join, err = newJoin(ctx, s, t, p, k.o); err != nil {
		return err
	}
	k.places, k.last = make([]uint32, s.Len()), slices.Repeat([]uint32{prefix.NoRank}, s.Len())
	for place, set := range k.order {
		k.places[set] = uint32(place)
	}
	room := min(max(keysTogether, of.all/mostKeyPasses), int(cmp.Or(k.o.Memory, defaultMemory)/32))
	key := uint64(0)
	for is, err := range of.shared(ctx, max(64, room), setOf) {
		if err != nil {
			return err
		}
		if is>>32 != key>>32 {
			if err := k.list(ctx); err != nil {
				return err
			}
		}
		key = is
		k.members = append(k.members, k.places[uint32(is)])
	}
	if err = k.list(ctx); err == nil {
		err = k.flush(ctx)
	}
	return err
}

// A keyJoin has the lists of some keys.
type keyJoin struct {
	*join
	o       Options
	places  []uint32
	last    []uint32 // the number of the last list that each place is in
	number  uint32   // of the next list
	members []uint32 // of it
	entries int      // of lists that are compared next
	cost    int      // of all lists: pairs of sketches
	stats   Stats    // of these
	pairs   []Pair
	known   int // how many of them are in order, and distinct
}

// So many keys are sorted at a time, or more if there were more passes than mostKeyPasses.
const keysTogether, mostKeyPasses = 1 << 21, 8

// mostSketches and mostCompared are how many pairs of sketches, and of sets, byKeys compares at most a set: far more
// than those of texts of which few begin alike. A single list has mostInList pairs a set at most.
const mostSketches, mostInList, mostCompared = 1 << 15, 1 << 13, 64

// The first lists are made of so many entries, the next ones of twice as many, and so on: too many pairs are soon
// found.
const leastKeyed, mostKeyed = 1 << 15, 1 << 20

// list makes the members a list, unless it is of one, or all of them are in an earlier list together.
func (k *keyJoin) list(ctx context.Context) error {
	slices.Sort(k.members)
	k.members = slices.Compact(k.members)
	n, known := len(k.members), true
	for _, place := range k.members {
		known = known && k.last[place] != prefix.NoRank && k.last[place] == k.last[k.members[0]]
	}
	if n > 1 && !known {
		if k.cost += n * n / 2; k.o.Most > 0 && (k.cost > mostSketches*len(k.order) || n*n/2 > mostInList*len(k.order)) {
			return errStopped
		}
		if len(k.starts) == 0 {
			k.first, k.starts = k.number, append(k.starts, 0)
		}
		for _, place := range k.members {
			k.lists = append(k.lists, newEntry(place, 0, true, k.last[place]))
			k.last[place] = k.number
		}
		k.starts = append(k.starts, uint32(len(k.lists)))
		k.number++
	}
	k.members = k.members[:0]
	if len(k.lists) < cmp.Or(int(k.o.chunk), k.entries) {
		return nil
	}
	k.entries = min(2*k.entries, mostKeyed)
	return k.flush(ctx)
}

// flush finds the pairs of the lists, and forgets these.
func (k *keyJoin) flush(ctx context.Context) error {
	if len(k.starts) == 0 {
		return nil
	}
	tasks, _ := k.tasks()
	err := k.each(ctx, k.o.Threads, tasks, func(found *joined) error {
		k.pairs = append(k.pairs, found.pairs...)
		k.stats.add(found.stats)
		if k.o.Most > 0 && int64(len(k.pairs)-k.known) > k.o.Most {
			return k.distinct()
		}
		return nil
	})
	k.lists, k.starts = k.lists[:0], k.starts[:0]
	return err
}

// distinct leaves each pair once.
func (k *keyJoin) distinct() error {
	slices.SortFunc(k.pairs, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	k.pairs = slices.Compact(k.pairs)
	if k.known = len(k.pairs); k.o.Most > 0 && int64(k.known) > k.o.Most {
		return ErrMany
	}
	return nil
}
