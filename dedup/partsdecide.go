package dedup

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/spill"
	"simsearch/internal/spool"
	"simsearch/prefix"
)

// PartDecisions are what is removed of a divided collection. Parts are called by their numbers.
type partDecisions struct {
	cut     bitset // parts
	removed bitset // documents

	// First occurrences that are cut, ascending, with the part that each is near, and the similarity.
	nearOf, nearTo []uint32
	nearBy         []float64

	kept     disk.File // what is kept for each part that is cut, in order, in cutSize bytes
	cutUpTo  []int     // how many parts are cut before each file
	repeated []repeated
}

// A repeated part is cut several times.
type repeated struct {
	part  uint32
	times int
}

// mostRepeated is how many of the most repeated parts are remembered.
const mostRepeated = 100

// A keptPart is what is kept for a part that is cut.
type keptPart struct {
	part       uint32
	similarity float64
	near       bool // other words, or in another order
}

// cutSize is the size of a keptPart in a file.
const cutSize = 13

func (d *partDecisions) close() error {
	if d.kept == nil {
		return nil
	}
	err := d.kept.Close()
	d.kept = nil
	return err
}

// decide finds the parts that occur again or are near, and decides what is cut. Beside memory and a temporary file for
// near parts, which are what Collection.Decide takes for documents, it takes about half of Options.Memory.
func (p *divided) decide(ctx context.Context) (err error) {
	if p.leftOut, err = p.findLeftOut(ctx, p.hasNothing); err != nil {
		return err
	}
	p.phase(Comparing)
	n := p.spans.keys.Len()
	repeats := newBitset(n) // parts that are not a first occurrence, and then near ones
	again := p.sorter()     // the number of each such part, and behind it that of the other one
	defer func() { err = errors.Join(err, again.Close()) }()
	err = p.spans.keys.Find(ctx, p.o.Threads, p.o.Memory/4, func(n, first uint32) error {
		repeats.setShared(n)
		return again.Add([]uint64{uint64(n)<<32 | uint64(first)})
	})
	if err != nil {
		return err
	}
	if err := mmap.Guarded(func() error { return p.findNear(ctx, repeats) }); err != nil {
		return err
	}
	for i, part := range p.nearOf {
		repeats.set(part)
		if err := again.Add([]uint64{uint64(part)<<32 | uint64(p.nearTo[i])}); err != nil {
			return err
		}
	}
	if err := errors.Join(p.spans.keys.Close(), p.sets.Close()); err != nil {
		return err
	}
	p.choose(repeats)
	return p.resolve(ctx, again)
}

// choose sets which parts and documents are removed.
func (p *divided) choose(repeats bitset) {
	p.cut, p.removed = make(bitset, len(repeats)), newBitset(uint32(len(p.lengths)))
	for doc := p.starts[p.refs]; int(doc) < len(p.lengths); doc++ {
		from, to := p.spans.of(doc)
		some, all := false, true
		for part := from; part < to; part++ {
			switch {
			case !repeats.has(part):
				all = all && !p.spans.long.has(part) && !p.spans.short.has(part)
			case p.spans.long.has(part):
				p.cut.set(part)
				some = true
			}
		}
		if !some || !all {
			continue
		}
		p.removed.set(doc)
		for part := from; part < to; part++ {
			if repeats.has(part) {
				p.cut.set(part)
			}
		}
	}
}

// resolve finds what is kept for each part that is cut, and what is cut most often. again has pairs of a part and one
// that is kept for it, unless that is near another one. A pair may be there several times.
func (p *divided) resolve(ctx context.Context, again *spill.Sorter) (err error) {
	if p.kept, err = p.o.FS.CreateTemp(p.o.Temp); err != nil {
		return err
	}
	out := bufio.NewWriterSize(p.kept, 1<<16)
	byKept := p.sorter()
	defer func() { err = errors.Join(err, byKept.Close()) }()
	var record [cutSize]byte
	n, file := 0, 0
	// upTo sets p.cutUpTo for the files that begin at or before a part.
	upTo := func(part uint64) {
		for ; file < len(p.starts) && uint64(p.firstPart(file)) <= part; file++ {
			p.cutUpTo = append(p.cutUpTo, n)
		}
	}
	for pair, err := range distinct(again.Sorted(ctx)) {
		if err != nil {
			return err
		}
		part := uint32(pair >> 32)
		if !p.cut.has(part) {
			continue
		}
		upTo(uint64(part))
		n++
		k := p.resolved(part, uint32(pair))
		binary.LittleEndian.PutUint32(record[:], k.part)
		binary.LittleEndian.PutUint64(record[4:], math.Float64bits(k.similarity))
		record[12] = 0
		if k.near {
			record[12] = 1
		}
		if _, err := out.Write(record[:]); err != nil {
			return err
		}
		if p.spans.short.has(part) {
			continue // it goes with its document, and is not cut elsewhere
		}
		if err := byKept.Add([]uint64{uint64(k.part)<<32 | uint64(part)}); err != nil {
			return err
		}
	}
	upTo(math.MaxUint64)
	if err := out.Flush(); err != nil {
		return err
	}
	return p.countRepeated(byKept.Sorted(ctx))
}

// resolved returns what is kept for a part that occurs again as, or is near, other.
func (p *divided) resolved(part, other uint32) keptPart {
	for _, of := range []uint32{part, other} {
		if i, ok := slices.BinarySearch(p.nearOf, of); ok {
			return keptPart{p.nearTo[i], p.nearBy[i], true}
		}
	}
	return keptPart{other, 1, false}
}

// firstPart returns the first part of a file, or for the number of files that of parts.
func (p *divided) firstPart(file int) uint32 {
	if doc := p.starts[file]; doc > 0 {
		return p.spans.ends[doc-1]
	}
	return 0
}

// countRepeated sets p.repeated. pairs are parts that are kept, ascending, and those that are cut for them.
func (p *divided) countRepeated(pairs iter.Seq2[uint64, error]) error {
	more := func(a, b repeated) int { // most times first, then in order
		if a.times != b.times {
			return b.times - a.times
		}
		return int(int64(a.part) - int64(b.part))
	}
	var all []repeated
	for pair, err := range pairs {
		if err != nil {
			return err
		}
		part := uint32(pair >> 32)
		if n := len(all); n == 0 || all[n-1].part != part {
			if n == 64*mostRepeated {
				slices.SortFunc(all, more)
				all = all[:mostRepeated]
			}
			all = append(all, repeated{part: part})
		}
		all[len(all)-1].times++
	}
	slices.SortFunc(all, more)
	p.repeated = slices.Clone(all[:min(len(all), mostRepeated)])
	return nil
}

// distinct yields each of ascending numbers once.
func distinct(sorted iter.Seq2[uint64, error]) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		var last uint64
		for x, err := range sorted {
			if err == nil && x == last { // 0 is no pair: the first part does not occur before
				continue
			}
			if last = x; !yield(x, err) {
				return
			}
		}
	}
}

// keptFrom returns a function for what is kept for each part of a file that is cut, in order.
func (p *divided) keptFrom(file int) func() (keptPart, error) {
	from, to := int64(p.cutUpTo[file])*cutSize, int64(p.cutUpTo[file+1])*cutSize
	r := bufio.NewReaderSize(io.NewSectionReader(p.kept, from, to-from), int(min(1<<16, to-from+1)))
	return func() (k keptPart, err error) {
		var record [cutSize]byte
		if _, err := io.ReadFull(r, record[:]); err != nil {
			return k, fmt.Errorf("a temporary file has been cut short: %w", err)
		}
		similarity := math.Float64frombits(binary.LittleEndian.Uint64(record[4:]))
		return keptPart{binary.LittleEndian.Uint32(record[:]), similarity, record[12] == 1}, nil
	}
}

// findNear sets p.nearOf, and what belongs to it.
func (p *divided) findNear(ctx context.Context, repeats bitset) (err error) {
	src := &partSets{p: p, repeats: repeats}
	refs := 0
	for i, part := range p.spans.setOf {
		if !repeats.has(part) {
			src.sets = append(src.sets, part)
			src.features += uint64(p.sizes[i])
			if part < p.firstPart(p.refs) {
				refs++
			}
		}
	}
	if len(src.sets) == 0 {
		return nil
	}
	codes := spool.NewBytes(p.o.FS, p.o.Temp, p.o.holds())
	defer func() { err = errors.Join(err, codes.Close()) }()
	p.phase(Counting)
	coded, err := prefix.Collect(ctx, src, p.o.Threshold, prefix.Options{Threads: p.o.Threads, Memory: p.o.Memory / 4, PairsOnly: true, Codes: &codes, Progress: p.o.Progress})
	if err != nil {
		return err
	}
	order := make([]uint32, len(src.sets))
	for i := range order {
		order[i] = uint32(i)
	}
	p.phase(Comparing)
	stars, err := coded.Stars(ctx, p.o.Threshold, order, prefix.StarOptions{First: refs}, prefix.PairOptions{Threads: p.o.Threads, Progress: p.progress})
	if err != nil {
		return err
	}
	for set, star := range stars {
		if star.Center == uint32(set) {
			continue
		}
		shared, a, b, err := coded.Shared(uint32(set), star.Center)
		if err != nil {
			return err
		}
		p.nearOf, p.nearTo = append(p.nearOf, src.sets[set]), append(p.nearTo, src.sets[star.Center])
		p.nearBy = append(p.nearBy, float64(shared)/float64(a+b-shared))
	}
	return nil
}

// A partSets is a prefix.Source of the features of first occurrences.
type partSets struct {
	p        *divided
	repeats  bitset
	sets     []uint32 // the part that each set is of
	features uint64
}

func (s *partSets) Len() int { return len(s.sets) }

func (s *partSets) Features() uint64 { return s.features }

func (s *partSets) Scan(do func(features []uint64) error) error {
	length := func(i int) (int, bool) {
		if i >= len(s.p.sizes) {
			return 0, false
		}
		return int(s.p.sizes[i]), true
	}
	return s.p.sets.Scan(length, func(i int, features []uint64) error {
		if s.repeats.has(s.p.spans.setOf[i]) {
			return nil
		}
		return do(features)
	})
}
