package truth

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/prefix"
	"simsearch/internal/setjoin"
	"simsearch/internal/spill"
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

// SimilarPairs returns all pairs of sets with a Jaccard similarity of threshold or more, by A, then
// by B. The threshold is in (0, 1]. Each set is strictly ascending; an empty set is in no pair. The
// answer is exact. It takes about two bytes per element while it runs, and 12 per distinct element. More than
// 100,000,000 pairs are an error.
//
// Truth is the exact join of package prefix, since it is fast enough. So nothing has to be estimated that can be
// known.
func SimilarPairs(ctx context.Context, sets [][]uint64, threshold float64, threads int) ([]Pair, error) {
	return Joiner{Threads: threads, Memory: spill.DefaultMemory(), Most: MaxPairs}.Pairs(ctx, sets, threshold)
}

// A Joiner finds pairs of similar sets.
type Joiner struct {
	Threads int
	Memory  int64
	Most    int                    // pairs that there may be in a list
	Wanted  func(a, b uint32) bool // the pairs that are found; nil for all
}

// Pairs is SimilarPairs of the pairs that are wanted. All are joined all the same: comparing the sets of a sample with all
// others, feature by feature, was measured to take three times as long (50,000 texts, of which 2,000 were drawn).
func (j Joiner) Pairs(ctx context.Context, sets [][]uint64, threshold float64) (out []Pair, err error) {
	if !(threshold > 0 && threshold <= 1) {
		return nil, fmt.Errorf("eval: a threshold of %v, want more than 0 and at most 1", threshold)
	}
	search, _, err := j.Search(ctx, sets, threshold)
	if err == nil {
		err = search(threshold, func(a, b uint32, jaccard float64) error {
			if len(out) == j.Most {
				return fmt.Errorf("more than %d pairs are at or above a similarity of %v: %w", j.Most, threshold, ErrPairs)
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

// A PairSearch calls add with each pair of sets that is wanted and has a similarity of threshold or more, until add returns an
// error.
type PairSearch func(threshold float64, add func(a, b uint32, jaccard float64) error) error

// joinBytes is the most memory that a join takes beside the sets.
const joinBytes = 256 << 20

// Search returns a search of sets, which are coded for a threshold, and the bytes of the code, which is that of an index.
func (j Joiner) Search(ctx context.Context, sets [][]uint64, planned float64) (search PairSearch, bytes int, err error) {
	full := notEmptyOf(sets)
	coded, err := prefix.Collect(ctx, full, planned, prefix.Options{Threads: j.Threads, PairsOnly: true})
	if err != nil {
		return nil, 0, err
	}
	return func(threshold float64, add func(a, b uint32, jaccard float64) error) error {
		o := setjoin.Options{Threads: j.Threads, Memory: min(joinBytes, j.Memory/8)}
		return setjoin.Pairs(ctx, coded, threshold, o, func(found []setjoin.Pair) error {
			for _, p := range found {
				a, b := full.numbers[p.A], full.numbers[p.B]
				if j.Wanted != nil && !j.Wanted(a, b) {
					continue
				}
				if err := add(a, b, float64(p.Shared)/float64(len(sets[a])+len(sets[b])-p.Shared)); err != nil {
					return err
				}
			}
			return nil
		})
	}, coded.Bytes(), nil
}

// notEmpty is a prefix.Source of the sets that are not empty.
type notEmpty struct {
	sets    [][]uint64
	numbers []uint32 // before the empty ones were left out
}

func notEmptyOf(sets [][]uint64) *notEmpty {
	n := &notEmpty{}
	for i, s := range sets {
		if len(s) > 0 {
			n.sets, n.numbers = append(n.sets, s), append(n.numbers, uint32(i))
		}
	}
	return n
}

func (n *notEmpty) Len() int { return len(n.sets) }

func (n *notEmpty) Features() (features uint64) {
	for _, s := range n.sets {
		features += uint64(len(s))
	}
	return features
}

func (n *notEmpty) Scan(do func(features []uint64) error) error {
	for _, s := range n.sets {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}
