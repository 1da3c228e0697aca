package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/selfjoin"
	"simsearch/internal/match/setjoin"
	"simsearch/tables"
)

// join reads one part of all scattered files, and writes the pairs of near sets that belong to it to a file. A pair belongs to the
// part of its first key. If the pairs are so many that components does not want a list, it writes that and no pairs.
//
// A part that memory does not hold is divided further, and read once for each division. The error says if one slot of the plan alone is
// too large, as it may be if the plan was made for more memory.
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
		j.pairs = pairSorter{fs: o.FS, temp: o.Temp, hold: cmp.Or(c.hold, int(o.Memory/pairsShare/(8*pairWords)))}
		defer func() { err = errors.Join(err, j.pairs.close()) }()
		many := false
		if err := j.find(ctx); errors.Is(err, setjoin.ErrMany) {
			many = true
		} else if err != nil {
			return err
		}
		h := header{Kind: pairsKind, Criterion: all[0].header.Criterion, Part: c.Part, Parts: p.parts, Sets: p.sets, Many: many}
		return c.write(c.In, h, func(w *section.Writer) error {
			if w.Begin(secPairs); many {
				return nil
			}
			return j.pairs.each(func(p *pair) { w.Uint64s(p[:]) })
		})
	})
}

// pairsShare is how many parts of the memory one is of that holds pairs.
const pairsShare = 16

// A joining finds the pairs of a part.
type joining struct {
	*plan
	part    int
	how     *Command
	files   inputs
	records []section.Array[uint64] // of the part, in each file
	shares  []uint64                // the number of the share of each
	most    int                     // so many pairs are listed
	pairs   pairSorter
}

// open finds the records of the part, in the order of the shares.
func (j *joining) open(scattered inputs) error {
	shares, number := map[string]string{}, map[*input]uint64{}
	for _, in := range scattered {
		share, err := corpus.ParseShare(in.Share)
		if err != nil {
			return in.Corruptf(secAbout, 0, "%v", err)
		}
		number[in] = uint64(share.Number)
	}
	slices.SortFunc(scattered, func(a, b *input) int { return cmp.Compare(number[a], number[b]) })
	for _, in := range scattered {
		if other, ok := shares[in.Share]; ok {
			return fmt.Errorf("%s and %s are both of share %s: name each once", other, in.path, in.Share)
		}
		if shares[in.Share] = in.path; in.Parts != j.parts || in.Sets != j.sets {
			return fmt.Errorf("%s has %d parts of %d sets, and the plan %d of %d: scatter the sketches by this plan",
				in.path, in.Parts, in.Sets, j.parts, j.sets)
		}
		words := section.Integers[uint64](in.File, secPart(j.part), section.Any)
		j.files, j.records, j.shares = append(j.files, in), append(j.records, words), append(j.shares, number[in])
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
	for n, next := 0, setID(int(j.shares[file]), 0); words.Left() > 0; n++ {
		if n%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		begin := all - words.Left()
		head := words.Next(heads)
		if uint64(len(head)) < heads {
			return j.records[file].Corruptf(begin, "a record beyond the end")
		}
		if head[0] < next || head[0] >= setID(int(j.shares[file]), 0)+min(j.sets, uint64(noSet)) {
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

// A division is how a part is divided into so many passes, and how large the largest is.
type division struct {
	passes         uint64
	sets, features uint64
}

// divide divides the part into passes that fit the memory.
func (j *joining) divide(ctx context.Context) (d division, err error) {
	for d.passes = max(1, uint64(j.how.passes)); ; d.passes *= 2 {
		type size struct{ sets, features uint64 }
		of := make([]size, d.passes)
		if d.passes == 1 && j.blocks != nil {
			for i := range j.records {
				of[0].sets += uint64(j.records[i].Len() / printWords)
			}
		} else if err := j.each(ctx, d.passes, func(r *record, pass uint64) error {
			of[pass].sets++
			of[pass].features += uint64(len(r.features))
			return nil
		}); err != nil {
			return d, err
		}
		d.sets, d.features = 0, 0
		for _, s := range of {
			d.sets, d.features = max(d.sets, s.sets), max(d.features, s.features)
		}
		bytes := j.bytesOf(d.sets, d.features)
		switch {
		case bytes <= uint64(room(j.how.How.Memory)):
			return d, nil
		case d.passes >= mostPasses:
			return d, fmt.Errorf("part %d has %d sets that are compared with each other, for which %d MB of memory are too few: "+
				"make the plan with the same --memory", j.part+1, d.sets, j.how.How.Memory>>20)
		}
	}
}

const mostPasses = 1 << 12

// each calls do with each record and each pass that it takes part in.
func (j *joining) each(ctx context.Context, passes uint64, do func(r *record, pass uint64) error) error {
	var keys, of []uint64
	return j.read(ctx, func(r *record) error {
		if passes == 1 {
			return do(r, 0)
		}
		keys, of = j.keys(keys[:0], r.features), of[:0]
		j.places(keys, r.lot, func(at place) {
			if pass := at.within % passes; at.part == j.part && !slices.Contains(of, pass) {
				of = append(of, pass)
			}
		})
		for _, pass := range of {
			if err := do(r, pass); err != nil {
				return err
			}
		}
		return nil
	})
}

// find finds the pairs.
func (j *joining) find(ctx context.Context) error {
	j.most = join.MostListed(int(j.sets), j.blocks != nil)
	d, err := j.divide(ctx)
	if err != nil {
		return err
	}
	for pass := range d.passes {
		if j.blocks != nil {
			err = j.joinPrints(ctx, d, pass)
		} else {
			err = j.joinSets(ctx, d, pass)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds a pair. If it is one too many, the error is ErrMany.
func (j *joining) add(a, b uint64, shared int) error {
	if j.pairs.n == j.most {
		return setjoin.ErrMany
	}
	return j.pairs.add(pair{min(a, b), max(a, b), uint64(shared)})
}

// joinPrints joins the fingerprints of a pass, by the blocks of bits of the part.
func (j *joining) joinPrints(ctx context.Context, d division, pass uint64) error {
	values, ids := make([]uint64, 0, d.sets), make([]uint64, 0, d.sets)
	err := j.each(ctx, d.passes, func(r *record, its uint64) error {
		if its == pass {
			values, ids = append(values, r.features[0]), append(ids, r.id)
		}
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
	k, masks := *j.criterion.Distance, j.blocksOf(j.part)
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
			at := j.owner(j.first(x, y), lotOf(x[0]), lotOf(y[0]))
			if at.part != j.part || at.within%d.passes != pass {
				continue
			}
			if err := j.add(ids[order[a]], ids[order[b]], bits.OnesCount64(x[0]^y[0])); err != nil {
				return err
			}
		}
		return nil
	})
}

// The sets of a pass are a prefix.Source that reads them from the files.
type passSets struct {
	*joining
	ctx      context.Context
	division division
	pass     uint64
	features uint64
	ids      []uint64
	lots     []uint64
	starts   []uint64 // of the features: the file, and the place in its records
	repeated []uint32 // of the records of the pass, the first equal one; nil if all are different
	touched  uint64   // features that were read to find the first of them
}

// fileShift is the place of the number of the file in a start.
const fileShift = 44

// joinSets joins the sets of a pass.
func (j *joining) joinSets(ctx context.Context, d division, pass uint64) error {
	s := &passSets{joining: j, ctx: ctx, division: d, pass: pass}
	if err := s.collect(); err != nil || len(s.ids) < 2 {
		return err
	}
	memory := j.how.How.Memory / 4
	sets, err := prefix.Collect(ctx, s, j.criterion.Jaccard, prefix.Options{Threads: j.how.How.Threads, Memory: memory, PairsOnly: true})
	if err != nil {
		return err
	}
	return setjoin.Pairs(ctx, sets, j.criterion.Jaccard, setjoin.Options{Threads: j.how.How.Threads, Memory: memory}, func(pairs []setjoin.Pair) error {
		for _, p := range pairs {
			if err := s.take(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// collect finds out which sets there are. Of equal ones of several sketches, it takes the first.
func (s *passSets) collect() error {
	n := s.division.sets
	digests, rest := make([]uint64, 0, n), make([]uint64, 0, n)
	s.ids, s.starts = make([]uint64, 0, n), make([]uint64, 0, n)
	err := s.each(s.ctx, s.division.passes, func(r *record, pass uint64) error {
		if pass == s.pass {
			s.features += uint64(len(r.features))
			digests, rest = append(digests, r.digest[0]), append(rest, r.digest[1])
			s.ids, s.starts = append(s.ids, r.id), append(s.starts, r.file<<fileShift|r.at)
		}
		return nil
	})
	if err != nil {
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

// take adds a pair, if it belongs to the pass.
func (s *passSets) take(p setjoin.Pair) error {
	a := s.set(p.A)
	b := s.set(p.B)
	at := s.owner(s.first(a, b), s.lots[p.A], s.lots[p.B])
	if at.part != s.part || at.within%s.division.passes != s.pass {
		return nil
	}
	return s.add(s.ids[p.A], s.ids[p.B], p.Shared)
}

// set returns the features of a set, as a part of the file.
func (s *passSets) set(i uint32) []uint64 {
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

// Reading a set here and there brings pages of the files into memory, at least so many words at a time, and at most so many in all.
const touchedLeast, touchedMost = 1 << 13, 1 << 21

// Len returns the number of sets.
func (s *passSets) Len() int { return len(s.ids) }

// Features returns how many features they have.
func (s *passSets) Features() uint64 { return s.features }

// Scan calls do with each set, in their order.
func (s *passSets) Scan(do func(features []uint64) error) error {
	i := -1
	return s.each(s.ctx, s.division.passes, func(r *record, pass uint64) error {
		if pass != s.pass {
			return nil
		}
		if i++; s.repeated != nil && s.repeated[i] != uint32(i) {
			return nil
		}
		return do(r.features)
	})
}
