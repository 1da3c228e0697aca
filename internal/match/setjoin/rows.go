package setjoin

import (
	"context"
	"math"
	"sort"
	"sync"

	"simsearch/internal/match/prefix"
)

// Rows finds the sets that are near one set after the other. Pairs finds all pairs sooner, in an order of its own.
// Rows is for so many pairs that they cannot be put in another order. Several goroutines may use it.
type Rows struct {
	*listed
	searches sync.Pool // of *search
}

// NewRows returns the rows of s at a similarity of t, in (0, 1]. It takes 13 bytes a set, 4 for each of the rarest
// features of some set and 8 for each rank among these, and for each goroutine 5 bytes a set and a bit a rank. ok is
// false if the lists take more than Options.Memory. The error is the cause of ctx.
func NewRows(ctx context.Context, s *prefix.Sets, t float64, o Options) (r *Rows, ok bool, err error) {
	s.Check()
	n := s.Len()
	order := make([]uint32, n)
	for set := range order {
		order[set] = uint32(set)
	}
	r = &Rows{searches: sync.Pool{New: func() any { return newSearch(s, n) }}}
	least := func(set uint32, m int) int { return prefix.LeastShared(int(r.sizes[set]), m, t) }
	if r.listed, err = newListed(ctx, s, order, func(n int) int { return prefix.LeastSize(n, t) }, least); err != nil {
		return nil, false, err
	}
	r.both = true
	to, err := r.fill(ctx, 0, o.Memory)
	return r, to == n, err
}

// Near appends the sets that are near a set, without itself, in no certain order, and returns the extended slice and
// the size of the set. It leaves out sets for which skip, if not nil, returns true.
func (r *Rows) Near(dst []prefix.Match, set uint32, skip func(set uint32) bool) (_ []prefix.Match, size int) {
	q := r.searches.Get().(*search)
	defer r.searches.Put(q)
	left := func(x uint32) bool { return x == set || skip != nil && skip(x) }
	r.look(q, set, uint32(len(r.order)), left, func(x uint32, shared int) {
		dst = append(dst, prefix.Match{Set: x, Shared: shared, Size: int(r.sizes[x])})
	})
	return dst, int(r.sizes[set])
}

// looked is how many sets are looked at to tell whether there are too many pairs, and one in lookedEvery is compared
// with each.
const looked, lookedEvery = 64, 32

// tooMany reports whether some sets, evenly spaced, have so many near ones among some that all pairs seem to be more
// than most, unless that is 0.
func (j *join) tooMany(ctx context.Context, most int64) (bool, error) {
	n := len(j.order)
	if most == 0 || n < looked {
		return false, nil
	}
	q := &groupSearch{join: j, marked: newSearch(j.sets, 0)}
	from := func(size int) int {
		return sort.Search(n, func(x int) bool { return j.sizeOf(j.record(uint32(x))) >= size })
	}
	sum := int64(0)
	for i := range looked {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		y := i * n / looked
		q.take(uint32(y), j.record(uint32(y)))
		q.marked.begin(j.order[y])
		end := from(prefix.MostSize(q.size, j.T, math.MaxInt32) + 1)
		for x := from(prefix.LeastSize(q.size, j.T)); x < end && len(q.marked.ranks) > 0; x += lookedEvery {
			other := j.record(uint32(x))
			if x == y || !q.near(other) {
				continue
			}
			least := prefix.LeastShared(q.size, j.sizeOf(other), j.T)
			if q.marked.shared(j.order[x], prefix.NoRank, least) >= least {
				sum += lookedEvery
			}
		}
		if sum/2*int64(n)/looked > most {
			return true, nil
		}
	}
	return false, nil
}
