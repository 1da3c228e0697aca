package lsh

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"simsearch/internal/parallel"
	"simsearch/internal/radix"
)

// PairOptions are how Pairs works; they leave its answer as it is.
type PairOptions struct {
	Threads int // at least one
	// SetsInMemory is about how many sets each thread holds at a time, 16 bytes each; where there are
	// more, the signatures are read several times. 0 is no limit.
	SetsInMemory int
	// Progress, if not nil, is told which of so many parts of the work is done.
	Progress func(done, parts int)
	// Stats, if not nil, has the work added to it when Pairs returns.
	Stats *PairStats
}

// Pairs calls accept, from several goroutines at once, with pairs a < b of sets whose
// signatures agree on all of some band, and found with those that it accepts, as many at a
// time as a part of the work has found, one call at a time. Every such pair comes once, in no
// useful order: it is taken from the first band that shows it, so that nothing is remembered.
// Bands may have more rows than MaxRows.
//
// Where very many sets agree on a band, as boilerplate makes them, they are compared by
// bands of their own, which find nearly all of their pairs of similarity threshold and above
// (bucket.go). The error is that of ctx, accept or found.
func Pairs(ctx context.Context, s *Signatures, b Bands, threshold float64, o PairOptions, accept func(x, y uint32) (bool, error), found func([]uint64) error) error {
	j := &join{s: s, bands: b, threshold: threshold, accept: accept}
	if o.Stats != nil {
		defer func() {
			o.Stats.Buckets += j.buckets.Load()
			o.Stats.Candidates += j.candidates.Load()
		}()
	}
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

// A join compares the sets of each bucket: those that agree on a band.
type join struct {
	s         *Signatures
	bands     Bands
	threshold float64
	accept    func(x, y uint32) (bool, error)

	buckets, candidates atomic.Int64 // as PairStats has them
}

// Entries are sorted by this many upper bits; the set is in the others.
const (
	setBits  = 32
	setMask  = 1<<setBits - 1
	hashBits = 64 - setBits
)

// band returns the pairs that a band shows first, as x<<32 | y, of the sets whose hash falls
// into one of several parts.
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
	j.buckets.Add(int64(w.steps))
	j.candidates.Add(int64(w.candidates))
	return w.pairs, err
}

// eachBucket sorts entries by their hashes and calls do with those of each hash that has
// more than one.
func eachBucket(entries []uint64, do func([]uint64) error) error {
	m := len(entries)
	scratch := make([]uint64, 2*m)
	sorted := radix.SortMapped(scratch[:m], scratch[m:2*m], entries, setBits, func(dst, src []uint64) { copy(dst, src) })
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

// hash mixes the positions of a band. Sets whose hashes agree in the upper half by chance are
// told apart when they are compared.
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

// A worker collects the pairs of one part of the work.
type worker struct {
	*join
	ctx   context.Context
	pairs []uint64
	sets  []uint32 // of the bucket
	steps int      // pairs of a bucket looked at

	candidates int // pairs that accept was called with
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

// compare keeps a pair if it is accepted and this band is the first to show it.
func (w *worker) compare(x, y uint32, band int) error {
	sx, sy := w.s.Of(x), w.s.Of(y)
	if first(sx, sy, w.bands, band) != band {
		return nil
	}
	w.candidates++
	ok, err := w.accept(min(x, y), max(x, y))
	if ok {
		w.pairs = append(w.pairs, uint64(min(x, y))<<32|uint64(max(x, y)))
	}
	return err
}

// first returns the first band up to last in which two signatures agree, or last + 1.
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
