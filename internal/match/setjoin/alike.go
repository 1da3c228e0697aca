package setjoin

import (
	"context"

	"simsearch/internal/match/prefix"
)

// Sets are alike if they have at least half of the features of the larger one in common. To know whether there is a
// crowd among some sets, a sample of them, evenly spaced, is compared with a few pivots. There may be one if a fourth
// of the sample is alike.
const crowdSample, crowdPivots, leastCrowd = 16, 4, 1 << 8

// crowd returns the places of sets that are like one of them, a pivot, and the place of that, if they are at least as
// many as least says and a sample shows that.
func (q *search) crowd(sets []uint32, least int) (pivot int, alike []int) {
	for p := 0; p < crowdPivots && len(sets) >= least; p++ {
		pivot = (2*p + 1) * len(sets) / (2 * crowdPivots)
		if alike = q.alike(sets[pivot], sets); len(alike) >= least {
			return pivot, alike
		}
	}
	return 0, nil
}

// alike returns the places of sets that are like another one. It returns fewer if a sample of them has few.
func (q *search) alike(pivot uint32, sets []uint32) (alike []int) {
	defer q.end()
	q.begin(pivot)
	if len(q.ranks) == 0 {
		return nil
	}
	for every := max(1, len(sets)/crowdSample); ; every = 1 {
		alike = alike[:0]
		for i := 0; i < len(sets); i += every {
			least := (max(q.size, q.sets.Size(sets[i])) + 1) / 2
			if shared := q.shared(sets[i], prefix.NoRank, least); shared >= least {
				alike = append(alike, i)
			}
		}
		if every == 1 || 4*len(alike) < crowdSample {
			return alike
		}
	}
}

// denseCrowds makes the sets of crowds dense that are in a list of this pass: most of them may be near the threshold,
// and few near each other.
func (j *join) denseCrowds(ctx context.Context) error {
	q := newSearch(j.sets, 0)
	var sets []uint32
	for r := range len(j.starts) - 1 {
		list := j.lists[j.starts[r]:j.starts[r+1]]
		for found := true; found; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			sets = sets[:0]
			for _, e := range list {
				if set := j.order[e.place()]; !j.listing.Dense.Has(set) {
					sets = append(sets, set)
				}
			}
			_, alike := q.crowd(sets, leastCrowd)
			for _, i := range alike {
				j.listing.makeDense(sets[i])
			}
			found = len(alike) > 0
		}
	}
	return nil
}
