package truth

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"simsearch/internal/ground/spill"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
)

// A Pair is the numbers of two sets, A < B, with their exact Jaccard similarity.
type Pair struct {
	A, B    uint32
	Jaccard float64
}

// MaxPairs limits the number of pairs in a truth. More would be of no use.
const MaxPairs = 100_000_000

// ErrPairs is returned if there are too many pairs.
var ErrPairs = errors.New("ask for a higher similarity, or leave equal documents out")

// A Joiner finds pairs of similar sets. Truth is the exact join of package prefix, since it is fast enough. So
// nothing has to be estimated that can be known.
type Joiner struct {
	Threads int
	Memory  int64 // 0 is half of what the machine has
	Most    int   // pairs that there may be in a list; 0 is MaxPairs
}

// Pairs returns all pairs of sets with a Jaccard similarity of threshold or more, by A, then by B. The threshold is
// in (0, 1]. Each set is strictly ascending; an empty set is in no pair. The answer is exact. It takes about two
// bytes per element while it runs, and 12 per distinct element. More than Most pairs are an error.
func (j Joiner) Pairs(ctx context.Context, sets [][]uint64, threshold float64) (out []Pair, err error) {
	most := cmp.Or(j.Most, MaxPairs)
	search, _, err := j.Search(ctx, sets)
	if err == nil {
		err = search(threshold, func(a, b uint32, jaccard float64) error {
			if len(out) == most {
				return fmt.Errorf("more than %d pairs are at or above a similarity of %v: %w", most, threshold, ErrPairs)
			}
			out = append(out, Pair{a, b, jaccard})
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	sortPairs(out)
	return out, nil
}

// A PairSearch calls add with each pair of sets with a similarity of threshold or more, until add returns an error.
type PairSearch func(threshold float64, add func(a, b uint32, jaccard float64) error) error

// joinBytes is the most memory that a join takes beside the sets.
const joinBytes = 256 << 20

// Search returns a search of sets, and the bytes of the code, which is that of an index.
func (j Joiner) Search(ctx context.Context, sets [][]uint64) (search PairSearch, bytes int, err error) {
	var full lists // those that are not empty
	var numbers []uint32
	for i, set := range sets {
		if len(set) > 0 {
			full, numbers = append(full, set), append(numbers, uint32(i))
		}
	}
	coded, err := prefix.Collect(ctx, full, prefix.Options{Threads: j.Threads})
	if err != nil {
		return nil, 0, err
	}
	return func(threshold float64, add func(a, b uint32, jaccard float64) error) error {
		o := setjoin.Options{Threads: j.Threads, Memory: min(joinBytes, spill.MemoryOr(j.Memory)/8)}
		return setjoin.Pairs(ctx, coded, threshold, o, func(found []setjoin.Pair) error {
			for _, p := range found {
				a, b := numbers[p.A], numbers[p.B]
				if err := add(a, b, float64(p.Shared)/float64(len(sets[a])+len(sets[b])-p.Shared)); err != nil {
					return err
				}
			}
			return nil
		})
	}, coded.Bytes(), nil
}

// lists are a prefix.Source.
type lists [][]uint64

func (l lists) Len() int { return len(l) }

func (l lists) Features() (features uint64) {
	for _, s := range l {
		features += uint64(len(s))
	}
	return features
}

func (l lists) Scan(do func(features []uint64) error) error {
	for _, s := range l {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}
