package join

import (
	"context"
	"errors"
	"slices"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/radix"
	"simsearch/internal/unionfind"
	"simsearch/tables"
)

// Fingerprints are distinct fingerprints of 64 bits, known by their numbers, that are grouped by their distance. They answer
// what Few, Stars and Components answer for sets. The similarity of two is the share of bits in which they agree. It is
// exact as a float64, so that a threshold of SimilarityAt(k) is a distance of k.
type Fingerprints struct {
	of      []uint64 // by number
	values  []uint64 // ascending
	numbers []uint32 // of each of values
}

// MaxBits is the number of bits of Fingerprints.
const MaxBits = 64

// SimilarityAt returns the similarity of fingerprints at a distance of d bits, in [0, 64].
func SimilarityAt(d int) float64 { return 1 - float64(d)/MaxBits }

// DistanceAt returns the largest distance of fingerprints whose similarity is at least t, in [0, 1].
func DistanceAt(t float64) int { return int((1 - t) * MaxBits) }

// NewFingerprints returns the fingerprints of a list, which must be distinct. It keeps the list, and takes 12 bytes more for
// each of them.
func NewFingerprints(of []uint64) *Fingerprints {
	f := &Fingerprints{of: of, values: slices.Clone(of), numbers: make([]uint32, len(of))}
	for i := range f.numbers {
		f.numbers[i] = uint32(i)
	}
	radix.SortPairs(f.values, f.numbers)
	return f
}

// Len returns the number of fingerprints.
func (f *Fingerprints) Len() int { return len(f.of) }

// All returns the fingerprints by their numbers. The caller must not change them.
func (f *Fingerprints) All() []uint64 { return f.of }

// Distance returns the distance of two fingerprints, given by their numbers, in bits.
func (f *Fingerprints) Distance(a, b uint32) int { return hamming.Distance(f.of[a], f.of[b]) }

const mostFew = 1 << 20

// errMany ends a search for few pairs.
var errMany = errors.New("join: too many pairs")

// Few returns the pairs within distance k, in [0, 64], if they are few: at most one for each fingerprint, and mostFew more.
// ok is false if there are more. Of o it uses Threads and Progress. The error is that of ctx.
func (f *Fingerprints) Few(ctx context.Context, k int, o Options) (_ *Few, ok bool, err error) {
	few := &Few{n: len(f.of)}
	var adding sync.Mutex
	err = f.eachPair(ctx, k, o, func(pairs []uint64) error {
		adding.Lock()
		defer adding.Unlock()
		if len(few.pairs)+len(pairs) > len(f.of)+mostFew {
			return errMany
		}
		for _, p := range pairs {
			a, b := f.numbers[p>>32], f.numbers[uint32(p)]
			few.pairs = append(few.pairs, nearPair{a, b, SimilarityAt(f.Distance(a, b))})
		}
		return nil
	})
	if errors.Is(err, errMany) {
		return nil, false, nil
	}
	return few, err == nil, err
}

// eachPair calls do with the pairs within distance k, from any goroutine. They are numbers whose halves are indices of f.values.
func (f *Fingerprints) eachPair(ctx context.Context, k int, o Options, do func(pairs []uint64) error) error {
	return tables.EachPair(ctx, f.values, MaxBits, k, tables.PairOptions{Threads: o.Threads, Progress: o.Progress}, do)
}

// Components returns, for each fingerprint, the first one of order that pairs within distance k connect with it. order has
// all numbers. However many pairs there are, it takes 8 bytes a fingerprint and what tables.EachPair takes. Of o it uses
// Threads and Progress. The error is that of ctx.
func (f *Fingerprints) Components(ctx context.Context, k int, order []uint32, o Options) ([]uint32, error) {
	place := make([]uint32, len(f.of))
	for i, number := range order {
		place[number] = uint32(i)
	}
	connected := unionfind.New(len(f.of))
	var joining sync.Mutex
	err := f.eachPair(ctx, k, o, func(pairs []uint64) error {
		joining.Lock()
		defer joining.Unlock()
		for _, p := range pairs {
			connected.Union(place[f.numbers[p>>32]], place[f.numbers[uint32(p)]])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	of := make([]uint32, len(f.of))
	for number := range of {
		of[number] = order[connected.Find(place[number])]
	}
	return of, nil
}
