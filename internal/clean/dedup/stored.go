package dedup

import (
	"context"
	"errors"
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

// openStored makes the sets those of parts that stay, from now on. What had them before is closed.
func (c *Collection) openStored(parts []part) error {
	s := &stored{starts: []uint32{0}, none: c.digests}
	if c.Options.ByDistance() {
		s.words = max(1, c.Options.Settings.Bits/64)
	}
	was := c.sets
	c.stored, c.sets, c.kept = s, s, len(parts)
	for _, p := range parts {
		if err := s.open(p); err != nil {
			return errors.Join(err, was.Close())
		}
	}
	return was.Close()
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

// setsAtOnce is how many sets one goroutine compares at a time. If more than mostNew are new, a join of all takes less
// time than comparing each with these.
const setsAtOnce, mostNew = 1 << 12, 1 << 15

// growNear finds the near pairs: those that were near, and those of the sets that are new. It compares each set with
// the new ones. If there are many of these, or of pairs, it is better to compare all.
func (c *Collection) growNear(ctx context.Context) error {
	e, o, n := c.earlier, &c.Options, len(c.Sizes)
	if e == nil || e.Near == nil || c.digests || e.Near.At > o.Threshold || o.Contained > 0 {
		return nil
	}
	if judged := e.run.Options.Copy > 0; judged != (o.Copy > 0) { // others are near by similarity than those that a judge compares
		return nil
	}
	lived := ints.NewNumberedSet(e.sets) // of the others, it is not known any more what is near them
	for doc, is := range e.Removed {
		if set := e.setOf[doc]; is != wasGone && set != NoSet {
			lived.Add(set)
		}
	}
	number := slices.Repeat([]uint32{NoSet}, e.sets)
	var added []uint32 // the sets that are new
	for set := range n {
		was := uint32(set)
		if c.stored.places != nil {
			was = c.stored.places[set]
		}
		if int(was) < e.sets && lived.Has(was) {
			number[was] = uint32(set)
		} else {
			added = append(added, uint32(set))
		}
	}
	near := &NearPairs{At: e.Near.At}
	at := 0
	e.Near.each(func(a, b uint32, similarity float64) {
		if a, b = number[a], number[b]; a != NoSet && b != NoSet {
			if near.Add(a, b, similarity); at < len(e.Near.Copies) {
				near.Copies = append(near.Copies, e.Near.Copies[at])
			}
		}
		at++
	})
	return c.addNear(ctx, near, added)
}

// ownNear finds the near pairs of a run of few documents beside a large reference, but those of two sets of that.
func (c *Collection) ownNear(ctx context.Context) error {
	o, n := &c.Options, len(c.Sizes)
	if c.Refs == 0 || c.Near != nil || c.stored == nil || o.Chain || c.digests || o.Contained > 0 || o.ByDistance() {
		return nil
	}
	refs := ints.NewNumberedSet(n)
	for _, set := range c.SetOf[:c.unitsEnd(c.Starts[c.Refs])] {
		if set != NoSet {
			refs.Add(set)
		}
	}
	var added []uint32
	for set := range uint32(n) {
		if !refs.Has(set) {
			added = append(added, set)
		}
	}
	err := c.addNear(ctx, &NearPairs{At: o.Threshold}, added)
	c.nearOfOwn = c.Near != nil
	return err
}

// addNear adds the pairs of new sets to those that are known, and takes them for all near pairs, unless sets or pairs
// are too many.
func (c *Collection) addNear(ctx context.Context, near *NearPairs, added []uint32) error {
	if len(added) > min(len(c.Sizes)/4, mostNew) {
		return nil
	}
	c.Options.Next(run.Comparing)
	most := setjoin.MostListed(len(c.Sizes))
	err := c.eachNear(ctx, added, near.At, func(found NearPairs) error {
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

// eachNear calls do with the pairs of a similarity of at least t of which one is new. The numbers of those that are new
// ascend.
func (c *Collection) eachNear(ctx context.Context, added []uint32, t float64, do func(NearPairs) error) error {
	n := len(c.Sizes)
	if len(added) == 0 {
		return nil
	}
	sketched := setjoin.NewSketched(t)
	var features []uint64
	for _, set := range added {
		features, _ = c.stored.Features(features[:0], set)
		sketched.Add(features)
	}
	work := func(ctx context.Context, at int) (found NearPairs, _ error) {
		var likely []uint32
		var own, others []uint64
		for set := uint32(at * setsAtOnce); int(set) < min(n, (at+1)*setsAtOnce); set++ {
			own, _ = c.stored.Features(own[:0], set)
			likely = sketched.AppendLikely(likely[:0], own, t)
			_, isNew := slices.BinarySearch(added, set)
			for _, x := range likely {
				other := added[x]
				if isNew && set >= other { // the pair comes once
					continue
				}
				others, _ = c.stored.Features(others[:0], other)
				if is := prefix.Jaccard(ints.Shared(own, others), len(own), len(others)); is >= t {
					found.Add(min(set, other), max(set, other), is)
				}
			}
			if set%64 == 0 && ctx.Err() != nil {
				break
			}
		}
		return found, context.Cause(ctx)
	}
	done := 0
	return parallel.Ordered(ctx, c.Options.Threads, (n+setsAtOnce-1)/setsAtOnce, work, func(found NearPairs) error {
		done += setsAtOnce
		c.Options.DidParts(min(done, n), n)
		return do(found)
	})
}
