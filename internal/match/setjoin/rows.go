package setjoin

import (
	"cmp"
	"context"
	"errors"
	"math"

	"simsearch/internal/match/prefix"
)

// ErrMany is returned by Pairs if there are more pairs than Options.Most.
var ErrMany = errors.New("there are more near pairs than were wanted")

// Rows finds the sets that are near one set after the other. Pairs finds all pairs sooner, in an order of its own. Rows is for
// so many pairs that they cannot be put in another order. Several goroutines may use it.
type Rows struct {
	join   *join
	places []uint32 // of each set
}

// NewRows returns the rows of s at a similarity of t, in (0, 1]. Beside the sketches and lists that Pairs has, of which the lists
// take 12 bytes a first feature, it takes 4 bytes a set, and as much again for each goroutine. ok is false if the lists take
// more than Options.Memory. The error is the cause of ctx.
func NewRows(ctx context.Context, s *prefix.Sets, t float64, o Options) (_ *Rows, ok bool, err error) {
	s.Check()
	j, err := newJoin(ctx, s, t, purpose{}, o)
	if err != nil {
		return nil, false, err
	}
	entries := uint64(0)
	for _, n := range j.blocks {
		entries += n
	}
	if 12*entries > uint64(cmp.Or(o.Memory, defaultMemory)) || entries > math.MaxUint32 {
		return nil, false, nil
	}
	if err := j.fill(ctx, 0, uint32(s.Ranks()), max(1, o.Threads)); err != nil {
		return nil, false, err
	}
	r := &Rows{j, make([]uint32, s.Len())}
	for place, set := range j.order {
		r.places[set] = uint32(place)
	}
	return r, true, nil
}

// A RowMatch is a set that is near another one.
type RowMatch struct {
	Set    uint32
	Shared int // features
	Size   int // features of the set
}

// Near appends the sets that are near a set, without itself, in no certain order, and returns the extended slice and the size
// of the set. It leaves out sets for which skip, if not nil, returns true.
func (r *Rows) Near(dst []RowMatch, set uint32, skip func(set uint32) bool) (_ []RowMatch, size int) {
	q := r.join.setSearch()
	defer r.join.setSearches.Put(q)
	return q.row(dst, r.places[set], skip)
}

// row appends what Rows.Near does for the set at place y.
func (q *setSearch) row(dst []RowMatch, y uint32, skip func(set uint32) bool) (_ []RowMatch, size int) {
	q.begin(y)
	for i, r := range q.ranks[:q.prefix] {
		q.collect(q.list(r), i < q.short, skip)
	}
	q.compare(func(x uint32, size, shared int, _ uint32) bool {
		dst = append(dst, RowMatch{q.order[x], shared, size})
		return true
	})
	return dst, q.size
}

// looked is how many sets are looked at to tell whether there are too many pairs.
const looked = 64

// tooMany reports whether some sets, evenly spaced, have so many near ones among the lists of this pass that all pairs are more
// than most.
func (j *join) tooMany(ctx context.Context, most int64) (bool, error) {
	n := len(j.order)
	if most == 0 || n < looked {
		return false, nil
	}
	q := j.newSetSearch()
	var found []RowMatch
	sum := int64(0)
	for i := range looked {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		found, _ = q.row(found[:0], uint32(i*n/looked), nil)
		if sum += int64(len(found)); sum/2*int64(n)/looked > most {
			return true, nil
		}
	}
	return false, nil
}
