package vocabulary

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync/atomic"

	"simsearch/internal/ints"
	"simsearch/internal/parallel"
)

// A Source yields the sets whose features are counted, less than 1<<32 of them.
type Source interface {
	// Features returns the number of features of all sets.
	Features() uint64
	// Scan calls do with the features of each set, in order, until do returns an error. Sets are not
	// empty and strictly ascending, and valid until do returns. Scan is called several times, from
	// several goroutines.
	Scan(do func(features []uint64) error) error
}

// countedBytes is about how many bytes the table takes for a distinct feature, while the tables of one
// thread count.
const countedBytes = 32

// Count returns the features that occur in more than the given number of sets of src, at least 1, ascending by their hashes. It
// scans src once for each part of the hashes, such that the tables of a part take about the given number of bytes. tell, if not
// nil, is told how many features have been scanned, from several goroutines.
func Count(ctx context.Context, src Source, more uint32, threads int, memory int64, tell func(done, all int64)) ([]Counted, error) {
	threads = max(1, threads)
	parts, repeat, err := countedParts(ctx, src, threads, memory)
	if err != nil {
		return nil, err
	}
	if tell != nil {
		src = &watched{Source: src, all: int64(parts) * int64(src.Features()), tell: tell}
	}
	var all []Counted
	work := func(ctx context.Context, part int) ([]Counted, error) {
		p := newHashes(part, parts)
		some, ok, err := p.byTable(ctx, src, repeat)
		if err == nil && !ok {
			some, err = p.bySorting(ctx, src)
		}
		if more > 1 {
			some = slices.Clone(slices.DeleteFunc(some, func(c Counted) bool { return c.Sets <= more }))
		}
		return some, err
	}
	err = parallel.Ordered(ctx, threads, parts, work, func(some []Counted) error {
		if all == nil {
			all = some
		} else {
			all = append(all, some...)
		}
		return nil
	})
	return all, err
}

// sampledParts is the number of parts of the hashes of which one is counted before the others, if many parts seem to be
// needed.
const sampledParts = 64

// errStopped ends a scan whose reader has stopped.
var errStopped = errors.New("stopped")

// countedParts returns the number of parts of the hashes of which tables take about the given number of bytes. repeat says
// that features are known to occur several times each. Otherwise all may differ.
func countedParts(ctx context.Context, src Source, threads int, memory int64) (parts int, repeat bool, err error) {
	enough := func(features uint64) int {
		parts := 1
		for parts < threads || parts < 1<<12 && int64(features/uint64(parts))*countedBytes > memory/int64(threads) {
			parts *= 2
		}
		return parts
	}
	parts = enough(src.Features())
	if parts <= 2*threads {
		return parts, false, nil
	}
	t := newCountTable()
	n := 0
	p := newHashes(0, sampledParts)
	err = p.each(ctx, src, func(set uint32, features []uint64) error {
		for _, f := range features {
			t.add(f, set)
		}
		if n += len(features); n > tried && t.used > n/fewRepeat {
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) || err == nil && t.used > n/fewRepeat {
		return parts, false, nil
	}
	return min(parts, enough(sampledParts*uint64(t.used+t.used/2))), true, err
}

// A watched source tells how many features have been scanned, of all that several scans are going to come to.
type watched struct {
	Source
	all     int64
	scanned atomic.Int64
	tell    func(done, all int64)
}

// Scan is that of the source. A scan that has stopped early counts, too, so that the number is at most all.
func (w *watched) Scan(do func(features []uint64) error) error {
	sets, recent := 0, int64(0)
	add := func() {
		w.tell(min(w.scanned.Add(recent), w.all), w.all)
		recent = 0
	}
	defer add()
	return w.Source.Scan(func(features []uint64) error {
		recent += int64(len(features))
		if sets++; sets%lookEvery == 0 {
			add()
		}
		return do(features)
	})
}

// hashes are a part of all hashes.
type hashes struct {
	part, parts uint64
	low         uint // the bit from which on hashes of the part are equal
}

func newHashes(part, parts int) hashes {
	return hashes{part: uint64(part), parts: uint64(parts), low: uint(64 - bits.TrailingZeros(uint(parts)))}
}

// each calls do with the number of each set and its features that belong to the part.
func (p *hashes) each(ctx context.Context, src Source, do func(set uint32, features []uint64) error) error {
	next := uint32(0)
	return src.Scan(func(features []uint64) error {
		set := next
		if next++; next%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p.parts > 1 { // features ascend, so that a part of the hashes is a part of the set
			features = features[below(features, p.part<<p.low):]
			if p.part+1 < p.parts {
				features = features[:below(features, (p.part+1)<<p.low)]
			}
		}
		return do(set, features)
	})
}

// A table is faster than sorting while it fits a cache. Features that mostly occur once fill it: those of
// sequences of words, but not those of single words or of a few characters. So after tried features, the
// table is given up if more than one in fewRepeat of them are distinct.
const tried, fewRepeat = 1 << 20, 4

// byTable counts by a hash table. ok is false if sorting is better, unless features are known to repeat.
func (p *hashes) byTable(ctx context.Context, src Source, repeat bool) (some []Counted, ok bool, err error) {
	t := newCountTable()
	n := 0
	err = p.each(ctx, src, func(set uint32, features []uint64) error {
		for _, f := range features {
			t.add(f, set)
		}
		if !repeat && n < tried && n+len(features) >= tried && t.used > tried/fewRepeat {
			return errStopped
		}
		n += len(features)
		return nil
	})
	if errors.Is(err, errStopped) {
		return nil, false, nil
	}
	return t.shared(), true, err
}

// bySorting counts by sorting. Most features are of one set: of some 4 to 8 buckets a feature, these mostly have one for
// themselves, and are not sorted.
func (p *hashes) bySorting(ctx context.Context, src Source) (some []Counted, err error) {
	b := bits.Len64(src.Features()/p.parts) + 2
	shift := uint(64 - b)
	type bucket struct{ once, more uint64 } // bits of 64 of them
	buckets := make([]bucket, max(1, 1<<b/64))
	err = p.each(ctx, src, func(_ uint32, features []uint64) error {
		for _, f := range features {
			h := f * golden >> shift
			at, bit := &buckets[h/64], uint64(1)<<(h%64)
			at.more |= at.once & bit
			at.once |= bit
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []uint64
	var sets []uint32
	err = p.each(ctx, src, func(set uint32, features []uint64) error {
		n := len(all)
		all, sets = slices.Grow(all, len(features)), slices.Grow(sets, len(features))
		room, numbers := all[n:n+len(features)], sets[n:n+len(features)]
		kept := uint64(0)
		for _, f := range features {
			h := f * golden >> shift
			room[kept], numbers[kept] = f, set
			kept += buckets[h/64].more >> (h % 64) & 1
		}
		all, sets = all[:n+int(kept)], sets[:n+int(kept)]
		return nil
	})
	if err != nil {
		return nil, err
	}
	ints.SortSpreadPairs(all, sets)
	for lo := 0; lo < len(all); {
		hi := lo + 1
		for hi < len(all) && all[hi] == all[lo] {
			hi++
		}
		if hi > lo+1 {
			some = append(some, Counted{all[lo], uint32(hi - lo), sets[lo]})
		}
		lo = hi
	}
	return some, nil
}

// lookEvery is the number of sets between two checks whether the context is done.
const lookEvery = 1 << 10

// below returns how many of the ascending features are less than x.
func below(features []uint64, x uint64) int {
	i, _ := slices.BinarySearch(features, x)
	return i
}

// A countTable counts features. It is a hash table with open addressing.
type countTable struct {
	slots []Counted // empty if sets is 0
	used  int
	shift uint
}

func newCountTable() *countTable {
	const first = 12
	return &countTable{slots: make([]Counted, 1<<first), shift: 64 - first}
}

// golden spreads hashes over the slots, whatever bits of them are equal.
const golden = 0x9e3779b97f4a7c15

func (t *countTable) add(feature uint64, set uint32) {
	mask := uint64(len(t.slots) - 1)
	for i := feature * golden >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.Hash == feature && s.Sets > 0 {
			s.Sets++
			return
		}
		if s.Sets == 0 {
			*s = Counted{feature, 1, set}
			if t.used++; t.used > len(t.slots)/2 {
				t.grow()
			}
			return
		}
	}
}

func (t *countTable) grow() {
	old := t.slots
	t.slots = make([]Counted, 2*len(old))
	t.shift--
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.Sets == 0 {
			continue
		}
		i := s.Hash * golden >> t.shift
		for t.slots[i].Sets > 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// shared returns the features with a count of two or more, ascending. It spoils the table.
func (t *countTable) shared() []Counted {
	n := 0
	for _, s := range t.slots {
		if s.Sets > 1 {
			t.slots[n] = s
			n++
		}
	}
	hashes, at := make([]uint64, n), make([]uint32, n)
	for i, s := range t.slots[:n] {
		hashes[i], at[i] = s.Hash, uint32(i)
	}
	ints.SortSpreadPairs(hashes, at)
	some := make([]Counted, n)
	for i, slot := range at {
		some[i] = t.slots[slot]
	}
	return some
}
