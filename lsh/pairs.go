package lsh

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"

	"simsearch/internal/ints"
	"simsearch/internal/parallel"
)

// Pairs cuts bands from the signatures itself, and needs no Tables. Cutting and sorting bands takes
// milliseconds, so that a join can plan bands for its own threshold, and what an index has stored need not
// suit it.

// PairOptions are the options of Pairs. They leave its answer as it is.
type PairOptions struct {
	Threads int // at least one
	// SetsInMemory is about the number of sets that each thread holds at a time, in 16 bytes each. If
	// there are more sets, the signatures are read several times. 0 is no limit.
	SetsInMemory int
	// Progress, if not nil, is called with the number of parts of the work that are done.
	Progress func(done, parts int)
}

// Pairs calls accept with each pair x < y of sets that agree on all positions of some band. It calls found
// with the accepted pairs, as x<<32 | y. Bands may have more rows than MaxRows.
//
// Several goroutines call accept at the same time. Each pair is accepted once, from the first band that
// shows it, so that no pairs have to be remembered. One goroutine at a time calls found, with all pairs of
// one part of the work. The order of the pairs is the same for any number of threads, and has no meaning.
//
// Boilerplate makes very many sets agree on a band. Pairs splits such a large bucket by bands of its own,
// which find nearly all pairs of similarity threshold and above. The error is that of ctx, accept or
// found.
func Pairs(ctx context.Context, s *Signatures, b Bands, threshold float64, o PairOptions, accept func(x, y uint32) (bool, error), found func([]uint64) error) error {
	j := &join{s: s, bands: b, threshold: threshold, accept: accept}
	parts := 1
	if o.SetsInMemory > 0 {
		parts = max(1, (s.Len()+o.SetsInMemory-1)/o.SetsInMemory)
	}
	tasks, done := b.Bands*parts, 0
	work := func(ctx context.Context, i int) ([]uint64, error) {
		return j.band(ctx, i/parts, i%parts, parts)
	}
	return parallel.Ordered(ctx, o.Threads, tasks, work, func(pairs []uint64) error {
		done++
		if o.Progress != nil {
			o.Progress(done, tasks)
		}
		return found(pairs)
	})
}

// A join compares the sets of each bucket, which agree on a band.
type join struct {
	s         *Signatures
	bands     Bands
	threshold float64
	accept    func(x, y uint32) (bool, error)
}

// An entry has the upper hashBits bits of the hash of a band, and the set in the lower setBits bits.
const (
	setBits  = 32
	setMask  = 1<<setBits - 1
	hashBits = 64 - setBits
)

// band returns the pairs that a band is the first to show, as x<<32 | y. It takes the sets that have a
// hash in one of several parts.
func (j *join) band(ctx context.Context, band, part, parts int) ([]uint64, error) {
	n := j.s.Len()
	entries := make([]uint64, n/parts*9/8)[:0]
	at, r := band*j.bands.Rows, j.bands.Rows
	for set := range uint32(n) {
		h := hash(j.s.Of(set)[at : at+r])
		if parts == 1 || int(h>>hashBits*uint64(parts)>>setBits) == part {
			entries = append(entries, h&^setMask|uint64(set))
		}
	}
	w := worker{join: j, ctx: ctx}
	err := eachBucket(entries, func(bucket []uint64) error { return w.bucket(bucket, band) })
	return w.pairs, err
}

// eachBucket sorts entries by their hashes. It calls do with the entries of each hash that has several.
func eachBucket(entries []uint64, do func([]uint64) error) error {
	m := len(entries)
	scratch := make([]uint64, 2*m)
	sorted := ints.SortMapped(scratch[:m], scratch[m:2*m], entries, setBits, func(dst, src []uint64) { copy(dst, src) })
	for lo := 0; lo < m; {
		hi := lo + 1
		for hi < m && sorted[hi]>>setBits == sorted[lo]>>setBits {
			hi++
		}
		if hi-lo > 1 {
			if err := do(sorted[lo:hi]); err != nil {
				return err
			}
		}
		lo = hi
	}
	return nil
}

// hash returns a hash of the positions of a band. Different positions may have the same upper half of the
// hash by chance, which compare finds out.
func hash(p []byte) uint64 {
	h := uint64(len(p))
	for ; len(p) > 8; p = p[8:] {
		h = fold(h ^ binary.LittleEndian.Uint64(p))
	}
	var last [8]byte
	copy(last[:], p)
	return fold(h ^ binary.LittleEndian.Uint64(last[:]))
}

func fold(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return (hi ^ lo) * 0x94d049bb133111eb
}

// A worker finds the pairs of one part of the work.
type worker struct {
	*join
	ctx   context.Context
	pairs []uint64
	sets  []uint32 // of the bucket
	steps int      // pairs of a bucket looked at
}

// bucket compares the sets of a bucket.
func (w *worker) bucket(bucket []uint64, band int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.sets = w.sets[:0]
	for _, e := range bucket {
		w.sets = append(w.sets, uint32(e&setMask))
	}
	return w.eachPair(w.sets, 0, func(x, y uint32) error { return w.compare(x, y, band) })
}

// compare adds a pair if this band is the first to show it and it is accepted.
func (w *worker) compare(x, y uint32, band int) error {
	sx, sy := w.s.Of(x), w.s.Of(y)
	if first(sx, sy, w.bands, band) != band {
		return nil
	}
	ok, err := w.accept(min(x, y), max(x, y))
	if ok {
		w.pairs = append(w.pairs, uint64(min(x, y))<<32|uint64(max(x, y)))
	}
	return err
}

// first returns the first of the bands 0 to last in which two signatures agree, or last + 1.
func first(x, y []byte, b Bands, last int) int {
	if b.Rows > 8 || len(x) < (last+1)*b.Rows+8 {
		i := 0
		for i <= last && !bytes.Equal(x[i*b.Rows:(i+1)*b.Rows], y[i*b.Rows:(i+1)*b.Rows]) {
			i++
		}
		return i
	}
	shift := uint(64 - 8*b.Rows)
	for i := range last + 1 {
		at := i * b.Rows
		if (binary.LittleEndian.Uint64(x[at:at+8])^binary.LittleEndian.Uint64(y[at:at+8]))<<shift == 0 {
			return i
		}
	}
	return last + 1
}
