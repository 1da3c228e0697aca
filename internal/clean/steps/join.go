package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/selfjoin"
	"simsearch/internal/match/setjoin"
	"simsearch/tables"
)

// join reads one part of all scattered files, and writes the pairs of near sets that belong to it to a file. A pair
// belongs to the part of its first key. If the pairs are so many that components does not want a list, it writes that
// and no pairs.
//
// It is an error if memory does not hold the part, as it may be if the plan was made for more memory.
func (c *Command) join(ctx context.Context) error {
	o := &c.How
	return c.reading([]string{planKind, scatterKind}, func(all inputs) (err error) {
		p, err := all.readPlan()
		if err != nil {
			return err
		}
		if c.Part < 1 || c.Part > p.parts {
			return fmt.Errorf("part %d: the plan has parts 1 to %d", c.Part, p.parts)
		}
		j := &joining{plan: p, part: c.Part - 1, how: c}
		if err := j.open(all.of(scatterKind)); err != nil {
			return err
		}
		j.pairs = spill.NewSorter(o.FS, o.Temp, max(1, cmp.Or(c.hold, int(o.Memory/pairsShare/pairBytes))))
		defer func() { err = errors.Join(err, j.pairs.Close()) }()
		if j.most = join.MostListed(int(j.sets), j.blocks != nil); j.blocks != nil {
			err = j.joinPrints(ctx)
		} else {
			err = j.joinSets(ctx)
		}
		many := errors.Is(err, setjoin.ErrMany)
		if err != nil && !many {
			return err
		}
		h := header{Kind: pairsKind, Criterion: all[0].header.Criterion, Part: c.Part, Parts: p.parts, Sets: p.sets, Many: many}
		return c.write(c.In, h, func(w *section.Writer) error {
			if w.Begin(secPairs); many {
				return nil
			}
			var pair [pairWords]uint64
			for key, err := range j.pairs.Sorted(ctx) {
				if err != nil {
					return err
				}
				a, b := uint32(key>>32), uint32(key)
				pair = [...]uint64{j.ids[a], j.ids[b], j.shared(a, b)}
				w.Uint64s(pair[:])
			}
			return nil
		})
	})
}

// secPairs is the section of the pairs of a part, ascending, of pairWords words each: two near sets, as setID returns
// them, the lesser one first; and how many features they share, or the distance of the fingerprints in bits.
const secPairs, pairWords = "pairs", 3

// pairsShare is how many parts of the memory one is of that holds pairs, of pairBytes each.
const pairsShare, pairBytes = 16, 16

// A joining finds the pairs of a part.
type joining struct {
	*plan
	part    int
	how     *Command
	files   inputs
	records []section.Array[uint64] // of the part, in each file
	ids     []uint64                // of the sets
	most    int                     // so many pairs are listed
	found   int                     // so many have been found
	pairs   *spill.Sorter           // of two numbers of sets each, the lesser one above
	shared  func(a, b uint32) uint64
}

// open finds the records of the part, in the order of the shares.
func (j *joining) open(scattered inputs) error {
	slices.SortFunc(scattered, func(a, b *input) int { return cmp.Compare(a.share.Number, b.share.Number) })
	shares := map[string]string{}
	for _, in := range scattered {
		if other, ok := shares[in.Share]; ok {
			return fmt.Errorf("%s and %s are both of share %s: name each once", other, in.path, in.Share)
		}
		if shares[in.Share] = in.path; in.Parts != j.parts || in.Sets != j.sets {
			return fmt.Errorf("%s has %d parts of %d sets, and the plan %d of %d: scatter the sketches by this plan",
				in.path, in.Parts, in.Sets, j.parts, j.sets)
		}
		words := section.Integers[uint64](in.File, secPart(j.part), section.Any)
		j.files, j.records = append(j.files, in), append(j.records, words)
	}
	return nil
}

// A record is a set of the part.
type record struct {
	id       uint64
	digest   [2]uint64
	features []uint64 // a part of the file
	lot      uint64
	file, at uint64 // where its features are
}

// read calls do with each record.
func (j *joining) read(ctx context.Context, do func(r *record) error) error {
	for i := range j.files {
		if err := j.readOf(ctx, i, do); err != nil {
			return err
		}
	}
	return nil
}

func (j *joining) readOf(ctx context.Context, file int, do func(r *record) error) error {
	words, all := j.records[file].Walk(), uint64(j.records[file].Len())
	heads := uint64(recordWords)
	if j.blocks != nil {
		heads = printWords
	}
	first := setID(j.files[file].share.Number, 0)
	for n, next := 0, first; words.Left() > 0; n++ {
		if n%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		begin := all - words.Left()
		head := words.Next(heads)
		if uint64(len(head)) < heads {
			return j.records[file].Corruptf(begin, "a record beyond the end")
		}
		if head[0] < next || head[0] >= first+min(j.sets, uint64(noSet)) {
			return j.records[file].Corruptf(begin, "a set of another share, or not in order")
		}
		next = head[0] + 1
		r := record{id: head[0], file: uint64(file), at: begin + heads}
		if j.blocks != nil {
			r.features, r.lot = head[1:], lotOf(head[1])
		} else {
			if head[3] < 1 || head[3] > words.Left() {
				return j.records[file].Corruptf(begin+3, "a record beyond the end")
			}
			r.digest, r.lot = [2]uint64{head[1], head[2]}, head[1]
			r.features = words.Next(head[3])
			if !ascends(r.features) {
				return j.records[file].Corruptf(begin+recordWords, "features are not in order")
			}
		}
		if err := do(&r); err != nil {
			return err
		}
	}
	return nil
}

// fits returns an error unless the memory holds so many sets.
func (j *joining) fits(sets, features uint64) error {
	if memory := j.how.How.Memory; memory > 0 && j.bytesOf(sets, features) > mostOver*uint64(room(memory)) {
		return fmt.Errorf("part %d has %d sets that are compared with each other, for which %d MB of memory are too few: "+
			"give more, or make the plan with the same --memory", j.part+1, sets, memory>>20)
	}
	return nil
}

// mostOver is how many times as large as an equal share one part may be: some are larger than others.
const mostOver = 2

// add adds a pair. If it is one too many, the error is ErrMany.
func (j *joining) add(a, b uint32) error {
	if j.found == j.most {
		return setjoin.ErrMany
	}
	j.found++
	return j.pairs.Add([]uint64{uint64(min(a, b))<<32 | uint64(max(a, b))})
}

// joinPrints joins the fingerprints, by the blocks of bits of the part.
func (j *joining) joinPrints(ctx context.Context) error {
	sets := 0
	for i := range j.records {
		sets += j.records[i].Len() / printWords
	}
	if err := j.fits(uint64(sets), 0); err != nil {
		return err
	}
	values := make([]uint64, 0, sets)
	j.ids = make([]uint64, 0, sets)
	err := j.read(ctx, func(r *record) error {
		values, j.ids = append(values, r.features[0]), append(j.ids, r.id)
		return nil
	})
	if err != nil {
		return err
	}
	order := numbered(len(values))
	ints.SortPairs(values, order)
	n := 0
	for i, x := range values { // of equal ones, the first
		if i == 0 || x != values[n-1] {
			values[n], order[n] = x, order[i]
			n++
		}
	}
	values, order = values[:n], order[:n]
	place := make([]uint32, sets)
	for i, set := range order {
		place[set] = uint32(i)
	}
	j.shared = func(a, b uint32) uint64 { return uint64(bits.OnesCount64(values[place[a]] ^ values[place[b]])) }
	k, masks := j.criterion.Distance, j.blocksOf(j.part)
	how := selfjoin.Options{Threads: j.how.How.Threads, Plan: func(values []uint64, width, k int) (selfjoin.Headers, bool) {
		design, ok := tables.PlanPairs(values, width, k)
		return selfjoin.Headers{Width: width, Masks: design.Headers()}, ok
	}}
	var adding sync.Mutex
	return selfjoin.Each(ctx, values, selfjoin.Headers{Width: 64, Masks: masks}, k, how, func(pairs []uint64) error {
		adding.Lock()
		defer adding.Unlock()
		for _, p := range pairs {
			a, b := p>>32, p&(1<<32-1)
			x, y := values[a:a+1], values[b:b+1]
			if j.owner(j.first(x, y), lotOf(x[0]), lotOf(y[0])) != j.part {
				continue
			}
			if err := j.add(order[a], order[b]); err != nil {
				return err
			}
		}
		return nil
	})
}

// The sets of the part are a prefix.Source that reads them from the files.
type partSets struct {
	*joining
	ctx      context.Context
	features uint64
	lots     []uint64
	starts   []uint64 // of the features: the file, and the place in its records
	repeated []uint32 // of the records, the first equal one; nil if all are different
	touched  uint64   // features that were read to find the first of them
}

// fileShift is the place of the number of the file in a start.
const fileShift = 44

// joinSets joins the sets.
func (j *joining) joinSets(ctx context.Context) error {
	s := &partSets{joining: j, ctx: ctx}
	if err := s.collect(); err != nil || len(s.ids) < 2 {
		return err
	}
	j.shared = func(a, b uint32) uint64 { return uint64(ints.Shared(s.set(a), s.set(b))) }
	memory := j.how.How.Memory / 4
	sets, err := prefix.Collect(ctx, s, prefix.Options{Threads: j.how.How.Threads, Memory: memory})
	if err != nil {
		return err
	}
	return setjoin.Pairs(ctx, sets, j.criterion.Threshold, setjoin.Options{Threads: j.how.How.Threads, Memory: memory}, func(pairs []setjoin.Pair) error {
		for _, p := range pairs {
			if s.owner(s.first(s.set(p.A), s.set(p.B)), s.lots[p.A], s.lots[p.B]) != s.part {
				continue
			}
			if err := s.add(p.A, p.B); err != nil {
				return err
			}
		}
		return nil
	})
}

// collect finds out which sets there are. Of equal ones of several sketches, it takes the first.
func (s *partSets) collect() error {
	var digests, rest []uint64
	err := s.read(s.ctx, func(r *record) error {
		s.features += uint64(len(r.features))
		digests, rest = append(digests, r.digest[0]), append(rest, r.digest[1])
		s.ids, s.starts = append(s.ids, r.id), append(s.starts, r.file<<fileShift|r.at)
		return nil
	})
	if err = cmp.Or(err, s.fits(uint64(len(s.ids)), s.features)); err != nil {
		return err
	}
	s.lots = slices.Clone(digests)
	s.repeated = repeats(digests, func(a, b uint32) bool { return rest[a] == rest[b] })
	if s.repeated == nil {
		return nil
	}
	kept := 0
	for i, first := range s.repeated {
		if int(first) == i {
			s.ids[kept], s.lots[kept], s.starts[kept] = s.ids[i], s.lots[i], s.starts[i]
			kept++
		}
	}
	s.ids, s.lots, s.starts = s.ids[:kept], s.lots[:kept], s.starts[:kept]
	return nil
}

// set returns the features of a set, as a part of the file.
func (s *partSets) set(i uint32) []uint64 {
	file, at := s.starts[i]>>fileShift, s.starts[i]&(1<<fileShift-1)
	words := &s.records[file]
	n := words.At(at - 1)
	if s.touched += max(n, touchedLeast); s.touched > touchedMost {
		s.touched = 0
		for i := range s.records {
			s.records[i].Done()
		}
	}
	return words.Range(at, at+n)
}

// Reading a set here and there brings pages of the files into memory, at least so many words at a time, and at most
// so many in all.
const touchedLeast, touchedMost = 1 << 13, 1 << 21

// Len returns the number of sets.
func (s *partSets) Len() int { return len(s.ids) }

// Features returns how many features they have.
func (s *partSets) Features() uint64 { return s.features }

// Scan calls do with each set, in their order.
func (s *partSets) Scan(do func(features []uint64) error) error {
	i := -1
	return s.read(s.ctx, func(r *record) error {
		if i++; s.repeated != nil && s.repeated[i] != uint32(i) {
			return nil
		}
		return do(r.features)
	})
}
