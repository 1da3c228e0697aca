package setjoin

import (
	"context"
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
)

// A List is the near pairs of sets. If these are very many, it leaves out some.
type List struct {
	Pairs []Pair
	// Dense, if not nil, are the sets that have very many near ones, or nearly so. The pairs of two of these are left
	// out.
	Dense ints.NumberedSet

	// If pairs are left out: all sets in the order of their sizes, the place of each, and their sketches at these
	// places.
	*sketches
	bySize, places []uint32
}

// Few reports whether no pair is left out.
func (l *List) Few() bool { return l.Dense == nil }

// likely reports whether at most some features may be of one alone of two sets.
func (l *List) likely(a, b uint32, unshared int) bool {
	x, y := l.record(l.places[a]), l.record(l.places[b])
	unshared -= l.aloneOf(x) + l.aloneOf(y)
	return unshared >= 0 && within(x[:l.words], y, unshared)
}

// NearPairs returns the pairs of sets whose similarity is at least t, in (0, 1]. If there are more than fewPairs and
// two a set, it leaves out pairs of sets in crowds, which Stars finds sooner, and goes on with what it has found.
// Then it returns about as many as that at most. What it takes, and its errors, are those of Pairs; and 16 bytes a
// pair.
func NearPairs(ctx context.Context, s *prefix.Sets, t float64, o Options) (*List, error) {
	l := &listing{most: MostListed(s.Len()), sets: s.Len(), tasks: roundTasks, company: company, candidates: taskCandidates}
	if o.few > 0 {
		l.most, l.company, l.candidates = o.few, o.company, o.candidates
	}
	err := joinSets(ctx, s, t, purpose{limit: int64(l.most), listing: l}, o, func([]Pair) error { return nil })
	return &l.List, err
}

const fewPairs = 1 << 18

// MostListed returns the largest number of near pairs of n sets of which NearPairs leaves out none.
func MostListed(n int) int { return 2*n + fewPairs }

// A listing is a List that is being made. Once it is thin, the pairs of two dense sets are not looked for. A set is
// dense if company sets are near it, or if so many sketches of the sets of one list are: to compare these would take
// long.
type listing struct {
	List
	most, sets int
	company    int
	tasks      int      // of the next round
	candidates int      // how many of them end a task
	near       []uint32 // how many sets are near each, of those that have been found
}

const (
	// company is how many near sets make a set dense, and leastCompany if there are very many pairs.
	company, leastCompany = 64, 2
	// A round is so many tasks, or fewer if they find more pairs than roundPairs. In a thin listing, each of them
	// ends when it has had taskCandidates.
	roundTasks, roundPairs, taskCandidates = 32, 1 << 19, 1 << 15
)

// thin begins to leave out pairs.
func (l *listing) thin(j *join) {
	l.Dense, l.near = ints.NewNumberedSet(l.sets), make([]uint32, l.sets)
	l.places, l.bySize, l.sketches = make([]uint32, l.sets), j.order, j.sketches
	for place, set := range j.order {
		l.places[set] = uint32(place)
	}
	for _, p := range l.Pairs {
		l.near[p.A]++
		l.near[p.B]++
	}
	l.tasks = 1
	l.mark()
	l.drop()
}

// makeDense makes a set dense.
func (l *listing) makeDense(set uint32) {
	if l.Dense.Add(set) {
		l.setInCrowd(l.record(l.places[set]))
	}
}

// add adds what a task has found.
func (l *listing) add(found *joined) {
	l.Pairs = append(l.Pairs, found.pairs...)
	if l.Dense == nil {
		return
	}
	for _, set := range found.dense {
		l.makeDense(set)
	}
	for _, p := range found.pairs {
		for _, set := range [2]uint32{p.A, p.B} {
			if l.near[set]++; int(l.near[set]) >= l.company {
				l.makeDense(set)
			}
		}
	}
}

// mark makes sets dense that have enough company.
func (l *listing) mark() {
	for set, n := range l.near {
		if int(n) >= l.company {
			l.makeDense(uint32(set))
		}
	}
}

// drop drops the pairs of two dense sets, if there are many. If there are still many, less company makes sets dense
// from now on.
func (l *listing) drop() {
	for l.Dense != nil && len(l.Pairs) > l.most {
		l.Pairs = slices.DeleteFunc(l.Pairs, func(p Pair) bool { return l.Dense.Has(p.A) && l.Dense.Has(p.B) })
		if len(l.Pairs) <= l.most/2 || l.company <= leastCompany {
			return
		}
		l.company /= 2
		l.mark()
	}
}

// pace says how many tasks the next round has, by what those of the last one have found.
func (l *listing) pace(found []*joined) {
	pairs := 0
	for _, f := range found {
		pairs += len(f.pairs)
	}
	switch {
	case l.Dense == nil:
	case pairs > roundPairs:
		l.tasks = max(1, l.tasks/4)
	case pairs < roundPairs/4:
		l.tasks = min(roundTasks, 2*l.tasks)
	}
}

// among returns the smaller sets that are in a crowd, or the others.
func (q *groupSearch) among(crowd bool) *smaller {
	if crowd {
		return &q.dense
	}
	return &q.smaller
}

// compareCrowd compares set y, of which e is the entry and the record is given, with smaller sets of at most the
// given size that are in a crowd. dense says that the pairs with these are left out from some point on, since y is in
// a crowd, too.
func (q *groupSearch) compareCrowd(e entry, record []uint64, most int) (dense bool, err error) {
	if q.listing == nil || q.listing.Dense == nil {
		return false, nil
	}
	if q.inCrowd(record) {
		return true, nil
	}
	q.dense.leave(q.size)
	if q.row < q.listing.company {
		if err := q.compareFrom(&q.dense, e, most, 0); err != nil {
			return false, err
		}
	}
	if q.row < q.listing.company {
		return false, nil
	}
	q.out.dense = append(q.out.dense, q.order[q.y])
	return true, nil
}

// full reports whether the task has had so many candidates that it had better end, since what they tell of crowds
// spares others.
func (q *groupSearch) full() bool {
	return q.listing != nil && q.listing.Dense != nil && q.candidates >= q.listing.candidates
}
