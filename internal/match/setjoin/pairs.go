package setjoin

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
)

// A Pair is two near sets, with A < B.
type Pair struct {
	A, B   uint32
	Shared int // features
}

// Options say how Pairs works. They do not change what it finds.
type Options struct {
	Threads int
	// Memory is about how many bytes the lists of sets take at a time. 0 is 256 MiB. Stars does not use it.
	Memory int64
	// Most, if not 0, is how many pairs Pairs finds before it gives up with ErrMany. It gives up before if some sets
	// have so many near ones that there seem to be more.
	Most int64
	// Progress, if not nil, is called with how much has been done, of how much.
	Progress func(done, all int)
	Stats    *Stats // if not nil, counts the work

	long int // for tests: in place of longSets

	chunk uint64 // for tests: in place of chunkCost
	// For tests: in place of fewPairs and two a set, of company, and of taskCandidates.
	few, company, candidates int
}

// Stats count the work of Pairs.
type Stats struct {
	Postings   int64 // of the sets
	Entries    int64 // postings that were read, or pairs of sketches that were compared
	Candidates int64 // pairs that were compared
	Pairs      int64
}

// add adds the work of s.
func (p *Stats) add(s Stats) {
	p.Entries += s.Entries
	p.Candidates += s.Candidates
	p.Pairs += s.Pairs
}

// Pairs calls yield with all pairs of sets whose similarity is at least t, in (0, 1], some at a time. Each
// pair comes once, in any order. The slice is valid until yield returns.
//
// A pair shares a rank of the prefixes of both (Bayardo, Ma and Srikant 2007; Xiao, Wang, Lin and Yu 2008). So Pairs
// takes the sets with one rank after the other, and compares sketches of them, each with each. Beside Options.Memory,
// it takes 12 bytes a set, for its sketch a byte at most for each feature that a set has in the mean, and for each
// thread four bytes a set and a bit a rank. The error is the cause of ctx, that of yield, or ErrMany.
func Pairs(ctx context.Context, s *prefix.Sets, t float64, o Options, yield func([]Pair) error) error {
	err := joinSets(ctx, s, t, purpose{limit: o.Most}, o, yield)
	if errors.Is(err, errStopped) {
		return ErrMany
	}
	return err
}

// If more than crowdSets have a rank in their prefixes, Degrees compares each with crowdList of them, and stops
// counting the smaller near sets at mostInCrowd.
const mostInCrowd, crowdSets, crowdList = 16, 1 << 10, 32

// Degrees returns, for each set, the sum of the weights of the sets whose similarity with it is at least t, in
// (0, 1], and its own weight less one. Where very many sets are near each other, it counts some of the pairs only,
// so that the time is not quadratic. What it takes, and its errors, are those of Pairs.
func Degrees(ctx context.Context, s *prefix.Sets, t float64, weights []uint32, o Options) (degrees []uint32, err error) {
	degrees = make([]uint32, s.Len())
	for i, w := range weights {
		degrees[i] = w - 1
	}
	return degrees, joinSets(ctx, s, t, purpose{most: mostInCrowd}, o, func(found []Pair) error {
		for _, p := range found {
			degrees[p.A] += weights[p.B]
			degrees[p.B] += weights[p.A]
		}
		return nil
	})
}

// A purpose says what a join is for.
type purpose struct {
	// most, if not 0, is how many pairs a set in a crowd has with smaller ones. The others are left out.
	most int
	// limit, if not 0, is how many pairs there may be. If there are more, the error is errStopped, unless there is a
	// listing.
	limit int64
	// listing, if not nil, says which pairs are left out. Tasks are done in rounds, and it changes between them.
	listing *listing
	// connected, if not nil, has the components that have been found. Only they are wanted, and no pairs.
	connected ints.DisjointSets
	// keyed says that lists are of keys, and the previous ranks of entries numbers of lists. If more than
	// mostCompared pairs are compared, unless that is 0, the error is errStopped.
	keyed        bool
	mostCompared int64
	// wanted, if not nil, says which near pairs are wanted. Several goroutines call it.
	wanted func(Pair) bool
}

// ErrMany is returned by Pairs if there are more pairs than Options.Most.
var ErrMany = errors.New("there are more near pairs than were wanted")

// joinSets finds pairs.
func joinSets(ctx context.Context, s *prefix.Sets, t float64, p purpose, o Options, yield func([]Pair) error) error {
	if !(t > 0 && t <= 1) {
		return fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	s.Check()
	j, err := newJoin(ctx, s, t, p, o)
	if err != nil {
		return err
	}
	if many, err := j.tooMany(ctx, o.Most); many || err != nil {
		return cmp.Or(err, errStopped)
	}
	var stats Stats
	err = j.passes(ctx, o, func(found *joined) error {
		found.stats.Pairs = int64(len(found.pairs))
		stats.add(found.stats)
		if len(found.pairs) == 0 {
			return nil
		}
		return yield(found.pairs)
	})
	if o.Stats != nil {
		stats.Postings = j.postings
		*o.Stats = stats
	}
	return err
}
