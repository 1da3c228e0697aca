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

	"simsearch/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/join"
	"simsearch/internal/mmap"
	"simsearch/internal/spill"
)

// Cut writes the files of inputs again to dir/kept, as rewrite.File does, without the lines or paragraphs that occur
// again, as o.By says. It also writes the lists CutName and RemovedName, and a report. What inputs, refs and dir are is
// said at Read and Collection.Write. No part of refs is cut. Options.Keep, Chain and Annotate have no effect.
//
// A part occurs again if it has the same words in the same order; case, punctuation and white space do not count. Its
// first occurrence in the order of the input stays, and the others are cut. Of these first occurrences, one with
// 20 features or more is cut, too, if its Jaccard similarity with one before it that stays is Options.Threshold or
// more, unless that is 1. A part of fewer than Options.MinWords words stays, except in a document of which nothing
// else would be left but parts that occur before: such a document is removed, since a text that is empty or has a
// heading alone is of no use to what comes after.
//
// What is cut depends on the documents and the options alone, not on threads or memory. The error is ErrText if
// an input has a format in which texts cannot be replaced, or that of Read, of rewrite.File, of the file system, or the cause of ctx. There must be one text field.
func Cut(ctx context.Context, refs, inputs []string, dir string, o Options) (CutResult, error) {
	return cut(ctx, refs, inputs, o, func(p *cuts) (CutResult, error) { return p.write(ctx, dir) })
}

// CutStream is Cut for standard input, which is o.Corpus.Stdin, an io.Seeker. It writes to w, and no lists.
func CutStream(ctx context.Context, refs []string, w io.Writer, o Options) (CutResult, error) {
	return cut(ctx, refs, []string{corpus.Stdin.Path}, o, func(p *cuts) (CutResult, error) { return p.stream(ctx, w) })
}

func cut(ctx context.Context, refs, inputs []string, o Options, write func(p *cuts) (CutResult, error)) (r CutResult, err error) {
	p, err := divide(ctx, refs, inputs, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.decide(ctx); err != nil {
		return r, err
	}
	return write(p)
}

// Cuts say which parts of the documents of a Collection are cut. Parts are called by their numbers.
type cuts struct {
	*Collection
	cut     bitset // parts
	removed bitset // documents

	near     []nearPart // first occurrences that are cut, ascending
	again    disk.File  // the parts that are cut, in order, each with another occurrence, or the one that it is near: see pair
	upTo     []int64    // how many parts are cut before each file
	repeated []repeated
}

// A nearPart is near another part, which stays.
type nearPart struct {
	part, to   uint32
	similarity float64
}

// A pair is a part in the upper half, and in the lower half another one that is kept for it, or that is near the one that is.
type pair uint64

const pairSize = 8

func pairOf(part, other uint32) pair { return pair(part)<<32 | pair(other) }

func (p pair) part() uint32 { return uint32(p >> 32) }

// A repeated part is cut several times.
type repeated struct {
	part  uint32
	times int
}

// mostRepeated is how many of the most repeated parts are remembered.
const mostRepeated = 100

// divide reads the documents of inputs as Read does, and divides them.
func divide(ctx context.Context, refs, inputs []string, o Options) (*cuts, error) {
	if err := readsSpans(refs, o); err != nil {
		return nil, err
	}
	o.Annotate = false
	c, err := Read(ctx, refs, inputs, o)
	if err != nil {
		return nil, err
	}
	return &cuts{Collection: c}, nil
}

// Close removes the temporary files.
func (p *cuts) Close() (err error) {
	if p.again != nil {
		err = p.again.Close()
	}
	return errors.Join(err, p.Collection.Close())
}

// sorter returns a sorter for pairs.
func (p *cuts) sorter() *spill.Sorter {
	const held, least = 16, 1 << 12
	return spill.NewSorter(p.o.FS, p.o.Temp, int(max(least, p.o.Memory/8/held)))
}

// decide finds the parts that occur again or are near, and decides what is cut. Beside memory and a temporary file for
// near parts, which are what Collection.Decide takes for documents, it takes about half of Options.Memory.
func (p *cuts) decide(ctx context.Context) (err error) {
	if p.leftOut, err = p.findLeftOut(ctx, p.hasNothing); err != nil {
		return err
	}
	p.phase(Comparing)
	repeats := newBitset(p.spans.keys.Len()) // parts that are not a first occurrence, and then near ones
	again := p.sorter()
	defer func() { err = errors.Join(err, again.Close()) }()
	err = p.spans.keys.Find(ctx, p.o.Threads, p.o.Memory/4, func(n, first uint32) error {
		repeats.setShared(n)
		return again.Add([]uint64{uint64(pairOf(n, first))})
	})
	if err != nil {
		return err
	}
	if err := mmap.Guarded(func() error { return p.findNear(ctx, repeats) }); err != nil {
		return err
	}
	for _, n := range p.near {
		repeats.set(n.part)
		if err := again.Add([]uint64{uint64(pairOf(n.part, n.to))}); err != nil {
			return err
		}
	}
	if err := errors.Join(p.spans.keys.Close(), p.sets.Close()); err != nil {
		return err
	}
	p.choose(repeats)
	return p.keepPairs(ctx, again)
}

// findNear sets p.near, by those of the sets whose parts are no repeats.
func (p *cuts) findNear(ctx context.Context, repeats bitset) error {
	src := distinctSets{c: p.Collection, without: func(set int) bool { return repeats.has(p.spans.setOf[set]) }}
	var parts []uint32
	refs := 0
	for i, part := range p.spans.setOf {
		if !repeats.has(part) {
			parts = append(parts, part)
			src.features += uint64(p.sizes[i])
			if part < p.spans.first(p.starts[p.refs]) {
				refs++
			}
		}
	}
	if src.n = len(parts); src.n == 0 {
		return nil
	}
	p.phase(Counting)
	coded, err := p.code(ctx, src, p.o.Progress)
	if err != nil {
		return err
	}
	p.phase(Comparing)
	order := make([]uint32, len(parts))
	for i := range order {
		order[i] = uint32(i)
	}
	how := join.Options{Threads: p.o.Threads, Progress: p.progress}
	near, err := join.NewGrouper(ctx, coded, p.o.Threshold, how)
	if err != nil {
		return err
	}
	centers, err := near.Stars(ctx, p.o.Threshold, order, refs, how)
	for set, center := range centers {
		if center != uint32(set) && err == nil {
			n := nearPart{part: parts[set], to: parts[center]}
			n.similarity, _, err = coded.nearness(uint32(set), center)
			p.near = append(p.near, n)
		}
	}
	return err
}

// choose sets which parts and documents are removed.
func (p *cuts) choose(repeats bitset) {
	long, short := p.spans.long, p.spans.short
	p.cut, p.removed = make(bitset, len(repeats)), newBitset(uint32(len(p.lengths)))
	for doc := p.starts[p.refs]; int(doc) < len(p.lengths); doc++ {
		from, to := p.spans.of(doc)
		some, all := false, true
		for part := from; part < to; part++ {
			switch {
			case !repeats.has(part):
				all = all && !long.has(part) && !short.has(part)
			case long.has(part):
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

// keepPairs keeps the pairs of parts that are cut, and finds what is cut most often. A pair may be there several times.
func (p *cuts) keepPairs(ctx context.Context, again *spill.Sorter) (err error) {
	if p.again, err = p.o.FS.CreateTemp(p.o.Temp); err != nil {
		return err
	}
	out := bufio.NewWriterSize(p.again, 1<<16)
	byKept := p.sorter()
	defer func() { err = errors.Join(err, byKept.Close()) }()
	n, file, last := int64(0), 0, pair(0) // 0 is no pair: the first part does not occur before
	// upTo sets p.upTo for the files that begin at or before a part.
	upTo := func(part uint64) {
		for ; file < len(p.starts) && uint64(p.spans.first(p.starts[file])) <= part; file++ {
			p.upTo = append(p.upTo, n)
		}
	}
	for x, err := range again.Sorted(ctx) {
		is := pair(x)
		if err == nil && (is == last || !p.cut.has(is.part())) {
			continue
		}
		if last = is; err == nil {
			upTo(uint64(is.part()))
			n++
			_, err = out.Write(binary.LittleEndian.AppendUint64(nil, x))
		}
		if err == nil && !p.spans.short.has(is.part()) { // else it goes with its document, and is not cut elsewhere
			kept, _ := p.keptFor(is)
			err = byKept.Add([]uint64{uint64(pairOf(kept.to, is.part()))})
		}
		if err != nil {
			return err
		}
	}
	upTo(math.MaxUint64)
	if err := out.Flush(); err != nil {
		return err
	}
	var failed error
	p.repeated = first(repetitions(byKept.Sorted(ctx), &failed), mostRepeated, func(a, b repeated) int { // most times first, then in order
		if a.times != b.times {
			return b.times - a.times
		}
		return int(int64(a.part) - int64(b.part))
	})
	return failed
}

// keptFor returns what is kept for the part of a pair, and whether it has other words, or in another order.
func (p *cuts) keptFor(is pair) (kept nearPart, near bool) {
	other := uint32(is)
	for _, of := range []uint32{is.part(), other} {
		if i, ok := slices.BinarySearchFunc(p.near, of, func(n nearPart, part uint32) int { return int(int64(n.part) - int64(part)) }); ok {
			return p.near[i], true
		}
	}
	return nearPart{is.part(), other, 1}, false
}

// repetitions yields how often each of the first halves of ascending pairs comes. It sets failed to their error.
func repetitions(pairs iter.Seq2[uint64, error], failed *error) iter.Seq[repeated] {
	return func(yield func(repeated) bool) {
		var r repeated
		for x, err := range pairs {
			if err != nil {
				*failed = err
				return
			}
			part := pair(x).part()
			if r.times > 0 && part != r.part {
				yield(r)
				r.times = 0
			}
			r.part = part
			r.times++
		}
		if r.times > 0 {
			yield(r)
		}
	}
}

// pairsOf returns a function for the pairs of a file that are kept, in order.
func (p *cuts) pairsOf(file int) func() (pair, error) {
	from, to := p.upTo[file]*pairSize, p.upTo[file+1]*pairSize
	r := bufio.NewReaderSize(io.NewSectionReader(p.again, from, to-from), int(min(1<<16, to-from+1)))
	return func() (pair, error) {
		var bytes [pairSize]byte
		if _, err := io.ReadFull(r, bytes[:]); err != nil {
			return 0, fmt.Errorf("%w: %w", spill.ErrCut, err)
		}
		return pair(binary.LittleEndian.Uint64(bytes[:])), nil
	}
}

// place returns the document of a part, and the number of the part in it, from 1.
func (p *cuts) place(part uint32) (doc uint32, number int) {
	i, _ := slices.BinarySearchFunc(p.spans.ends, part, func(end, part uint32) int { // the first document that ends behind the part
		if end <= part {
			return -1
		}
		return 1
	})
	return uint32(i), int(part-p.spans.first(uint32(i))) + 1
}

// wantTexts returns the texts that a report shows, which are still empty.
func (p *cuts) wantTexts() *textsOf {
	near := func(yield func(uint32) bool) {
		for i := range p.near {
			if p.cut.has(p.near[i].part) && !yield(uint32(i)) { // else it is of the reference
				return
			}
		}
	}
	pairs := leastNear(near, func(i uint32) float64 { return p.near[i].similarity })
	units := map[uint32]caught{}
	for _, r := range p.repeated {
		units[r.part] = caught{}
	}
	for _, i := range pairs {
		units[p.near[i].part], units[p.near[i].to] = caught{}, caught{}
	}
	return newTexts(pairs, units)
}
