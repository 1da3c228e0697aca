package lsh

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"simsearch/internal/ground/parallel"
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
// which find nearly all pairs of similarity threshold and above. The error is that of ctx or
// found.
func Pairs(ctx context.Context, s *Signatures, b Bands, threshold float64, o PairOptions, accept func(x, y uint32) bool,
	found func([]uint64) error) error {
	parts := 1
	if o.SetsInMemory > 0 {
		parts = max(1, (s.Len()+o.SetsInMemory-1)/o.SetsInMemory)
	}
	tasks, done := b.Bands*parts, 0
	work := func(ctx context.Context, i int) (pairs []uint64, err error) {
		w := worker{ctx: ctx}
		var in func(key uint64) bool
		if parts > 1 {
			in = func(key uint64) bool {
				part, _ := bits.Mul64(fold(key), uint64(parts))
				return int(part) == i%parts
			}
		}
		err = w.band(s, b, i/parts, threshold, 0, in, func(x, y uint32) {
			if x, y = min(x, y), max(x, y); accept(x, y) {
				pairs = append(pairs, uint64(x)<<32|uint64(y))
			}
		})
		return pairs, err
	}
	return parallel.Ordered(ctx, o.Threads, tasks, work, func(pairs []uint64) error {
		done++
		if o.Progress != nil {
			o.Progress(done, tasks)
		}
		return found(pairs)
	})
}

// A bucket holds the sets that agree on one band. They may be quite dissimilar otherwise: a heading
// or a licence that thousands of documents share fills some positions of each signature. Comparing
// all pairs of such a bucket would take time quadratic in its size. So a large bucket is split by
// bands of its own, which are cut from the positions that discriminate between its sets. The
// buckets of these bands are split in turn. Package tables treats headers that many fingerprints share in
// the same way, by the bits that discriminate.

const (
	// maxBucket is the largest bucket of which all pairs are compared: that takes some milliseconds.
	maxBucket = 512
	// bucketRecall is the recall, at the threshold, of the bands that split a bucket. Pairs that share
	// a small bucket of another band do not depend on it.
	bucketRecall = 0.995
	// maxShare is the largest share of a bucket's sets that may have the same byte at a discriminating
	// position.
	maxShare = 0.25
	// minThreshold is the similarity in the discriminating positions below which splitting does not
	// pay: nearly all pairs of the bucket are similar then.
	minThreshold = 0.25
	// maxNesting is how often the buckets of a bucket are split.
	maxNesting = 3

	// checkEvery is after how many pairs a worker looks at its context. Accepting a pair of long
	// documents takes a tenth of a millisecond.
	checkEvery = 1 << 8
)

// A worker finds the pairs of one part of the work.
type worker struct {
	ctx   context.Context
	steps int // pairs of a bucket looked at
}

// A pairFunc takes the sets of a pair.
type pairFunc func(x, y uint32)

// band calls do with the pairs of sets that this band is the first to show. It takes the sets whose keys are in.
// threshold is the similarity that is searched for, and level how often buckets have been split.
func (w *worker) band(s *Signatures, b Bands, band int, threshold float64, level int, in func(key uint64) bool, do pairFunc) error {
	keys, sets := s.sorted(b, band, in)
	for lo := 0; lo < len(keys); {
		hi := lo + 1
		for hi < len(keys) && keys[hi] == keys[lo] {
			hi++
		}
		err := w.bucket(s, sets[lo:hi], threshold, level, func(x, y uint32) {
			if first(s.Of(x), s.Of(y), b, band) == band {
				do(x, y)
			}
		})
		if err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// bucket calls do with all pairs of the sets of a bucket. Where the bucket is large, it calls do
// with nearly all pairs that are similar.
func (w *worker) bucket(s *Signatures, sets []uint32, threshold float64, level int, do pairFunc) error {
	if len(sets) > maxBucket && level < maxNesting {
		if part, b, t, ok := discriminating(s, sets, threshold); ok {
			for band := range b.Bands {
				if err := w.band(part, b, band, t, level+1, nil, func(x, y uint32) { do(sets[x], sets[y]) }); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for i, x := range sets {
		for _, y := range sets[i+1:] {
			if w.steps++; w.steps%checkEvery == 0 && w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			do(x, y)
		}
	}
	return nil
}

// discriminating returns the signatures of sets with the positions alone that discriminate between them, bands of
// these positions that find the similar pairs, and how similar these are there. ok is false if there are none.
func discriminating(s *Signatures, sets []uint32, threshold float64) (part *Signatures, b Bands, t float64, ok bool) {
	counts := make([][256]uint32, s.positions)
	for _, set := range sets {
		for p, v := range s.Of(set) {
			counts[p][v]++
		}
	}
	var positions []int
	for p := range counts {
		if float64(slices.Max(counts[p][:])) <= maxShare*float64(len(sets)) {
			positions = append(positions, p)
		}
	}
	// A pair agrees in nearly all other positions: it is similar with fewer of these.
	alike := float64(s.positions - len(positions))
	t = (threshold*float64(s.positions) - alike) / float64(len(positions))
	if len(positions) == 0 || t < minThreshold {
		return nil, b, t, false
	}
	b, err := Choose(Requirements{Threshold: t, Recall: bucketRecall, Positions: len(positions)})
	columns := make([]byte, 0, len(sets)*len(positions))
	for _, set := range sets {
		of := s.Of(set)
		for _, p := range positions {
			columns = append(columns, of[p])
		}
	}
	part = NewSignatures(len(positions), len(sets))
	part.Add(columns)
	return part, b, t, err == nil
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
