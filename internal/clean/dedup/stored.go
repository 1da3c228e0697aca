package dedup

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
)

// A stored is a Store of the sets in parts of results. They can be read by several goroutines at once.
type stored struct {
	none    bool // there are no sets, see Options.byDigests
	words   int  // of a fingerprint, if the sets are such
	maps    []*disk.Mapped
	parts   []storedPart
	starts  []uint32  // the first set of each part, and the number of all
	places  []uint32  // where each set is; nil if they are as they are
	buffers sync.Pool // of *[]uint64
}

// A storedPart has the sets of a part, or the fingerprints.
type storedPart struct {
	*prefix.Sets
	prints section.Array[uint64]
}

func (c *Collection) newStored() *stored {
	s := &stored{starts: []uint32{0}, none: c.digests}
	if c.Options.ByDistance() {
		s.words = max(1, c.Options.Settings.Bits/64)
	}
	return s
}

// open opens the next part.
func (s *stored) open(p part) error {
	m, err := p.fsys.Map(p.path)
	if err != nil {
		return err
	}
	s.maps = append(s.maps, m)
	return disk.Guarded(func() error {
		f, err := section.Parse(p.path, m.Data())
		if err != nil {
			return err
		}
		is, n := storedPart{}, f.Size(secDigests)/16
		switch {
		case s.words > 0:
			is.prints = section.Integers[uint64](f, secFeatures, n*uint64(s.words))
		case !s.none:
			is.Sets = prefix.LoadCoded(f, n)
		}
		s.parts, s.starts = append(s.parts, is), append(s.starts, s.starts[len(s.parts)]+uint32(n))
		return nil
	})
}

// at returns the part of a set, and its number there.
func (s *stored) at(set uint32) (*storedPart, uint32) {
	if s.places != nil {
		set = s.places[set]
	}
	i := ending(s.starts[1:], set)
	return &s.parts[i], set - s.starts[i]
}

// Features appends the features of a set, ascending. It leaves none out.
func (s *stored) Features(dst []uint64, set uint32) (features []uint64, alone int) {
	of, i := s.at(set)
	if s.words > 0 {
		at := uint64(i) * uint64(s.words)
		return append(dst, of.prints.Range(at, at+uint64(s.words))...), 0
	}
	return of.AppendSet(dst, i), 0
}

// Shared returns how many features two sets share, and how many each has.
func (s *stored) Shared(a, b uint32) (shared, sizeA, sizeB int) {
	of, i := s.at(a)
	with, j := s.at(b)
	if of == with {
		return of.Shared(i, j)
	}
	buffer, _ := s.buffers.Get().(*[]uint64)
	if buffer == nil {
		buffer = new([]uint64)
	}
	defer s.buffers.Put(buffer)
	*buffer = of.AppendSet((*buffer)[:0], i)
	n := len(*buffer)
	*buffer = with.AppendSet(*buffer, j)
	return ints.Shared((*buffer)[:n], (*buffer)[n:]), n, len(*buffer) - n
}

// Scan is that of a Store.
func (s *stored) Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	return disk.Guarded(func() error {
		var features []uint64
		for i := 0; ; i++ {
			if _, ok := length(i); !ok {
				return nil
			}
			features, _ = s.Features(features[:0], uint32(i))
			if err := do(i, features); err != nil {
				return err
			}
		}
	})
}

// Close closes the files.
func (s *stored) Close() (err error) {
	for _, m := range s.maps {
		err = errors.Join(err, m.Close())
	}
	s.maps = nil
	return err
}

// coded returns the sets as they can be joined, or nil if they are in several parts.
func (c *Collection) coded() *prefix.Sets {
	if c.stored == nil || c.stored.places != nil || len(c.stored.parts) != 1 {
		return nil
	}
	return c.stored.parts[0].Sets
}

// someSets are a prefix.Source of some of the sets of a stored.
type someSets struct {
	*stored
	sets     []uint32
	features uint64
}

func (s someSets) Len() int { return len(s.sets) }

func (s someSets) Features() uint64 { return s.features }

func (s someSets) Scan(do func(features []uint64) error) error {
	var features []uint64
	for _, set := range s.sets {
		features, _ = s.stored.Features(features[:0], set)
		if err := do(features); err != nil {
			return err
		}
	}
	return nil
}

// A firstLists has lists of those of some sets that have a feature among their first ones, the rarest as a part
// tells: those that it has not, and then those of the first ranks.
type firstLists struct {
	t float64
	// Those that have a rank among their first features are ranked[starts[rank]:starts[rank+1]].
	starts, ranked []uint32
	// Those of other features are in a map, behind a filter: a bit in some 16 to 32 times as many buckets as there
	// are features.
	others map[uint64][]uint32
	bits   []uint64
	shift  int
}

// sharedFirst is how many first features near sets share, or all that they share at least.
const sharedFirst = 3

// firstOf returns how many features of a set of n are its first ones, and how many of these it shares with those of a
// near one.
func firstOf(n int, t float64) (first, shared int) {
	least := prefix.LeastSize(n, t)
	shared = min(sharedFirst, least)
	return prefix.Needed(n, least, shared), shared
}

func newFirstLists(p *storedPart, of someSets, t float64) (*firstLists, error) {
	size := max(6, bits.Len64(16*of.features))
	l := &firstLists{t: t, starts: make([]uint32, p.Ranks()+1), others: map[uint64][]uint32{}, bits: make([]uint64, 1<<(size-6)), shift: 64 - size}
	behind := map[uint64]uint64{} // the rank of each feature and 1, or 0
	err := of.Scan(func(features []uint64) error {
		for _, x := range features {
			behind[x] = 0
		}
		return nil
	})
	for rank, x := range p.Vocabulary() {
		if _, ok := behind[x]; ok {
			behind[x] = uint64(rank) + 1
		}
	}
	var order, entries []uint64
	number := uint64(0)
	err = errors.Join(err, of.Scan(func(features []uint64) error {
		order = order[:0]
		for i, x := range features {
			order = append(order, behind[x]<<32|uint64(i))
		}
		slices.Sort(order)
		first, _ := firstOf(len(features), t)
		for _, o := range order[:first] {
			if x := features[uint32(o)]; o>>32 > 0 {
				entries = append(entries, (o>>32-1)<<32|number)
			} else {
				l.others[x] = append(l.others[x], uint32(number))
				l.bits[x>>l.shift/64] |= 1 << (x >> l.shift % 64)
			}
		}
		number++
		return nil
	}))
	slices.Sort(entries)
	for _, e := range entries {
		l.ranked = append(l.ranked, uint32(e))
		l.starts[e>>32+1]++
	}
	for rank := range p.Ranks() {
		l.starts[rank+1] += l.starts[rank]
	}
	return l, err
}

// A counter counts first features that a set shares with those of lists.
type counter struct {
	shared []uint32 // of each set of the lists
	found  []uint32 // sets that share one
	ranks  []uint32
}

// count counts those of a set of the part, and returns how many it shares with a near set.
func (l *firstLists) count(p *storedPart, set uint32, to *counter) (wanted int) {
	d, code := p.Decoder(set), p.Code(set)
	first, wanted := firstOf(d.Features, l.t)
	alone := min(d.Alone, first)
	add := func(sets []uint32) {
		for _, s := range sets {
			if to.shared[s]++; to.shared[s] == 1 {
				to.found = append(to.found, s)
			}
		}
	}
	singles := code[len(code)-8*d.Alone:]
	for i := range alone {
		if x := binary.LittleEndian.Uint64(singles[8*i:]); l.bits[x>>l.shift/64]>>(x>>l.shift%64)&1 != 0 {
			add(l.others[x])
		}
	}
	to.ranks = slices.Grow(to.ranks[:0], first-alone)[:first-alone]
	if err := d.Read(to.ranks); err != nil {
		panic(p.Bad(set, err))
	}
	for _, rank := range to.ranks {
		add(l.ranked[l.starts[rank]:l.starts[rank+1]])
	}
	return wanted
}

// setsAtOnce is how many sets one goroutine compares at a time.
const setsAtOnce = 1 << 12

// growNear finds the near pairs: those that were near, and those of the sets that are new. It looks up each set among
// the new ones. If there are many of these, or of pairs, it is better to compare all.
func (c *Collection) growNear(ctx context.Context) error {
	e, o, n := c.earlier, &c.Options, len(c.Sizes)
	if e == nil || e.Near == nil || c.digests || e.Near.At > o.Threshold || o.Contained > 0 {
		return nil
	}
	lived := ints.NewNumberedSet(e.sets) // of the others, it is not known any more what is near them
	for doc, is := range e.Removed {
		if set := e.setOf[doc]; is != wasGone && set != NoSet {
			lived.Add(set)
		}
	}
	number := slices.Repeat([]uint32{NoSet}, e.sets)
	added := someSets{stored: c.stored}
	place := make([]uint32, n) // of each set among those that are new
	for set := range place {
		was := uint32(set)
		if c.stored.places != nil {
			was = c.stored.places[set]
		}
		if place[set] = NoSet; int(was) < e.sets && lived.Has(was) {
			number[was] = uint32(set)
			continue
		}
		place[set] = uint32(len(added.sets))
		added.sets, added.features = append(added.sets, uint32(set)), added.features+uint64(c.Sizes[set])
	}
	if 4*len(added.sets) > n {
		return nil
	}
	o.Next(run.Comparing)
	near, most := &NearPairs{At: e.Near.At}, setjoin.MostListed(n)
	e.Near.each(func(a, b uint32, similarity float64) {
		if a, b = number[a], number[b]; a != NoSet && b != NoSet {
			near.Add(a, b, similarity)
		}
	})
	err := c.eachNear(ctx, added, place, near.At, func(found NearPairs) error {
		if found.each(near.Add); len(near.Pairs) > most {
			return setjoin.ErrMany
		}
		return nil
	})
	switch {
	case errors.Is(err, setjoin.ErrMany):
		return nil
	case err == nil && len(near.Pairs) <= most:
		c.Near = near
	}
	return err
}

// eachNear calls do with the pairs of a similarity of at least t of which one is new. place says which of the new
// ones a set is, or NoSet.
func (c *Collection) eachNear(ctx context.Context, added someSets, place []uint32, t float64, do func(NearPairs) error) error {
	n := len(place)
	if len(added.sets) == 0 {
		return nil
	}
	lists := map[*storedPart]*firstLists{}
	for i := range c.stored.parts {
		var err error
		p := &c.stored.parts[i]
		if lists[p], err = newFirstLists(p, added, t); err != nil {
			return err
		}
	}
	work := func(ctx context.Context, at int) (found NearPairs, _ error) {
		has := counter{shared: make([]uint32, len(added.sets))}
		for set := uint32(at * setsAtOnce); int(set) < min(n, (at+1)*setsAtOnce); set++ {
			p, i := c.stored.at(set)
			wanted := lists[p].count(p, i, &has)
			for _, x := range has.found {
				other, shares := added.sets[x], int(has.shared[x])
				has.shared[x] = 0
				small, large := int(min(c.Sizes[set], c.Sizes[other])), int(max(c.Sizes[set], c.Sizes[other]))
				_, least := firstOf(small, t)
				if shares < min(wanted, least) || small < prefix.LeastSize(large, t) || place[set] != NoSet && set >= other {
					continue
				}
				if is := prefix.Jaccard(c.stored.Shared(set, other)); is >= t {
					found.Add(min(set, other), max(set, other), is)
				}
			}
			has.found = has.found[:0]
		}
		return found, context.Cause(ctx)
	}
	done := 0
	return parallel.Ordered(ctx, c.Options.Threads, (n+setsAtOnce-1)/setsAtOnce, work, func(found NearPairs) error {
		done += setsAtOnce
		c.Options.didParts(min(done, n), n)
		return do(found)
	})
}
