package setjoin

import (
	"context"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/prefix"
)

// Components joins, in connected, the sets that pairs with a similarity of at least t, in (0, 1], connect. At first,
// each of the sets is alone there. What it takes, and its errors, are those of Pairs.
//
// It compares the sets of one list after the other, as Pairs does, but for those that are connected already. A set of
// a crowd is compared with the last ones of a list first, which are mostly near it. If that connects it with all of
// the list, the rest is not looked at. So a crowd takes little longer than other sets.
func Components(ctx context.Context, s *prefix.Sets, t float64, o Options, connected ints.DisjointSets) error {
	return joinSets(ctx, s, t, purpose{connected: connected}, o, nil)
}

// connects reports whether the sets at two places are connected.
func (j *join) connects(x, y uint32) bool {
	return j.connected.Find(j.order[x]) == j.connected.Find(j.order[y])
}

// joined reports whether set y is connected with all smaller ones.
func (q *groupSearch) joined() bool {
	return q.one && (q.smaller.len() == 0 || q.connects(q.smaller.entries[0].place(), q.y))
}

// lookAgain is how many sets are added before it is looked again whether all are connected.
const lookAgain = 1 << 10

// follow keeps q.one, when the set at a place has been added to the smaller ones.
func (q *groupSearch) follow(place uint32) {
	first := q.smaller.entries[0].place()
	if q.one {
		q.one = q.connects(first, place)
		return
	}
	if q.smaller.len()%lookAgain == 0 {
		q.one = true
		for _, e := range q.smaller.entries {
			q.one = q.one && q.connects(first, e.place())
		}
	}
}
