package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"simsearch/internal/parallel"
	"simsearch/internal/radix"
	"simsearch/internal/sorted"
)

// A SimilarPair is the numbers of two sets, A < B, with their exact Jaccard similarity.
type SimilarPair struct {
	A, B    uint32
	Jaccard float64
}

// maxTruth limits the number of pairs in a truth. A larger truth would be of no use.
const maxTruth = 100_000_000

// SimilarPairs returns all pairs of sets with a Jaccard similarity of threshold or more, by A, then
// by B. The threshold is in (0, 1]. Each set is strictly ascending; an empty set is in no pair. The
// answer is exact. The join takes 40 bytes per element while it runs. More than 100,000,000 pairs
// are an error.
//
// Truth is an exact join, since it is fast enough: 100,000 sets take four seconds. So nothing has to be
// estimated that can be known.
//
// The method is a prefix filter. Two similar sets share one of the rarest elements of each. Let elements
// be ordered by rising frequency. Then sets of a and b elements with a similarity of t have a common
// element among the first a − ⌈t·a⌉ + 1 of the one and the first b − ⌈t·b⌉ + 1 of the other. Only such
// sets are compared.
//
// Source: R. J. Bayardo, Y. Ma, R. Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007
// (https://doi.org/10.1145/1242572.1242591); C. Xiao et al., "Efficient Similarity Joins for Near
// Duplicate Detection", WWW 2008 (https://doi.org/10.1145/1367497.1367516).
func SimilarPairs(ctx context.Context, sets [][]uint64, threshold float64, threads int) ([]SimilarPair, error) {
	if !(threshold > 0 && threshold <= 1) {
		return nil, fmt.Errorf("eval: a threshold of %v, want more than 0 and at most 1", threshold)
	}
	j := newPrefixJoin(sets, threshold)
	var out []SimilarPair
	const together = 256
	tasks := (len(j.order) + together - 1) / together
	err := parallel.Ordered(ctx, threads, tasks, func(ctx context.Context, i int) ([]SimilarPair, error) {
		var found []SimilarPair
		p := prober{prefixJoin: j, seen: make([]uint32, 0, 64), marked: make(map[uint32]struct{})}
		for at := i * together; at < min(len(j.order), (i+1)*together); at++ {
			found = p.probe(found, uint32(at))
		}
		return found, ctx.Err()
	}, func(found []SimilarPair) error {
		if out = append(out, found...); len(out) > maxTruth {
			return fmt.Errorf("more than %d pairs are at or above a similarity of %v: ask for a higher one, or leave equal documents out", maxTruth, threshold)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(x, y SimilarPair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out, nil
}

// A prefixJoin has the sets in the order of their sizes, and the places where rare elements occur. A place
// is the position of a set in that order.
type prefixJoin struct {
	threshold float64
	order     []uint32 // numbers of the sets that are not empty, by rising size
	sizes     []int    // of the set at each place

	// The rank of an element is its number from the rarest on. Elements that occur once have no rank;
	// singles counts them for each place. The ranks of a place are ranks[ends[place]:ends[place+1]],
	// ascending.
	ranks   []uint32
	ends    []uint64
	singles []int

	// The places with rank r in their prefix are postings[starts[r]:starts[r+1]], ascending.
	postings []uint32
	starts   []uint64
}

func newPrefixJoin(sets [][]uint64, threshold float64) *prefixJoin {
	j := &prefixJoin{threshold: threshold}
	for i, s := range sets {
		if len(s) > 0 {
			j.order = append(j.order, uint32(i))
		}
	}
	slices.SortStableFunc(j.order, func(a, b uint32) int { return cmp.Compare(len(sets[a]), len(sets[b])) })
	total := 0
	for _, i := range j.order {
		j.sizes = append(j.sizes, len(sets[i]))
		total += len(sets[i])
	}
	elements, places := make([]uint64, 0, total), make([]uint32, 0, total)
	for place, i := range j.order {
		for _, x := range sets[i] {
			elements, places = append(elements, x), append(places, uint32(place))
		}
	}
	radix.SortPairs(elements, places)
	j.rank(elements, places)
	j.index()
	return j
}

// rank numbers the elements by rising frequency and lists the ranks of each place.
func (j *prefixJoin) rank(elements []uint64, places []uint32) {
	type run struct{ from, to int }
	var runs []run
	j.singles = make([]int, len(j.order))
	for lo := 0; lo < len(elements); {
		hi := lo + 1
		for hi < len(elements) && elements[hi] == elements[lo] {
			hi++
		}
		if hi-lo == 1 {
			j.singles[places[lo]]++
		} else {
			runs = append(runs, run{lo, hi})
		}
		lo = hi
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.to-a.from, b.to-b.from) })
	j.ends = make([]uint64, len(j.order)+1)
	for place, n := range j.sizes {
		j.ends[place+1] = j.ends[place] + uint64(n-j.singles[place])
	}
	next := slices.Clone(j.ends[:len(j.order)])
	j.ranks = make([]uint32, j.ends[len(j.order)])
	for r, run := range runs {
		for _, place := range places[run.from:run.to] {
			j.ranks[next[place]] = uint32(r)
			next[place]++
		}
	}
	j.starts = make([]uint64, len(runs)+1)
}

// index lists, for each rank, the places that have it in their prefix. The prefix is the one for partners
// of the same size or larger.
func (j *prefixJoin) index() {
	for round := range 2 { // counts first, then fills
		for place, n := range j.sizes {
			// A pair shares at least t/(1+t) of the sum of both sizes.
			need := atLeast(2 * j.threshold / (1 + j.threshold) * float64(n))
			for _, r := range j.prefix(place, n-need+1) {
				if round == 0 {
					j.starts[r+1]++
				} else {
					j.postings[j.starts[r]] = uint32(place)
					j.starts[r]++
				}
			}
		}
		if round == 0 {
			for r := range len(j.starts) - 1 {
				j.starts[r+1] += j.starts[r]
			}
			j.postings = make([]uint32, j.starts[len(j.starts)-1])
		}
	}
	copy(j.starts[1:], j.starts) // each start has moved on to the next
	j.starts[0] = 0
}

// atLeast returns x rounded up to a whole number. If x exceeds a whole number only by an error of rounding,
// it returns that number.
func atLeast(x float64) int { return int(math.Ceil(x - 1e-9)) }

// prefix returns the ranks among the first n elements of a place.
func (j *prefixJoin) prefix(place, n int) []uint32 {
	of := j.of(uint32(place))
	return of[:max(0, min(len(of), n-j.singles[place]))]
}

// of returns the ranks of a place.
func (j *prefixJoin) of(place uint32) []uint32 { return j.ranks[j.ends[place]:j.ends[place+1]] }

// A prober compares a place with those before it.
type prober struct {
	*prefixJoin
	seen   []uint32
	marked map[uint32]struct{}
}

// probe appends the similar pairs of place x and an earlier place. Sets at earlier places are not larger.
func (p *prober) probe(dst []SimilarPair, x uint32) []SimilarPair {
	size := p.sizes[x]
	need := atLeast(p.threshold * float64(size))
	first, _ := slices.BinarySearch(p.sizes, need) // smaller sets are too small
	p.seen = p.seen[:0]
	clear(p.marked)
	for _, r := range p.prefix(int(x), size-need+1) {
		posting := p.postings[p.starts[r]:p.starts[r+1]]
		from := sort.Search(len(posting), func(i int) bool { return posting[i] >= uint32(first) })
		for _, y := range posting[from:] {
			if y >= x {
				break
			}
			if _, ok := p.marked[y]; !ok {
				p.marked[y] = struct{}{}
				p.seen = append(p.seen, y)
			}
		}
	}
	for _, y := range p.seen {
		shared := sorted.Shared(p.of(x), p.of(y))
		if jaccard := float64(shared) / float64(size+p.sizes[y]-shared); jaccard >= p.threshold {
			a, b := p.order[x], p.order[y]
			dst = append(dst, SimilarPair{min(a, b), max(a, b), jaccard})
		}
	}
	return dst
}
