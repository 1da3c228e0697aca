package eval

import (
	"context"
	"errors"
	"slices"

	"simsearch/internal/quality/truth"
	"simsearch/tables"
)

// errEnough ends a search.
var errEnough = errors.New("enough")

// Levels up to which pairs are searched at a time. Each search begins anew, so that one in vain costs little.
var (
	distanceRungs   = []int{9, farthest + 1}
	thresholdLevels = []float64{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3}
	thresholdRungs  = []int{2, 4, 5, 7}
)

// climb searches rung by rung, up to so many levels at a time, until no wider level can be better. search calls add
// with each pair below a level, until it returns false; then its error is errEnough.
func climb(c *Collection, v *truth.Verdicts, levels int, rungs []int, wanted truth.Demands, search func(l *truth.Ladder, upTo int, add func(a, b uint32, level int) bool) error) (*truth.Ladder, error) {
	l := truth.NewLadder(levels, v.Near, min(truth.MaxJudged, c.mostPairs()), wanted)
	for _, upTo := range rungs {
		err := search(l, upTo, func(a, b uint32, level int) bool {
			near, known := v.Judge(a, b)
			return !known || l.Add(truth.Found{A: a, B: b, Level: uint8(level), Near: near})
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		if !l.Finish(upTo) {
			break
		}
	}
	return l, nil
}

// byDistances returns what is found within each distance. fingerprints has one for each document; those without
// features count as far from all.
func byDistances(ctx context.Context, c *Collection, v *truth.Verdicts, sets [][]uint64, fingerprints []uint64, wanted truth.Demands) (*truth.Ladder, error) {
	groups := groupsOf(sets, fingerprints)
	return climb(c, v, farthest+1, distanceRungs, wanted, func(l *truth.Ladder, upTo int, add func(a, b uint32, level int) bool) error {
		return eachWithin(ctx, c, groups, upTo-1, l.Done == 0, add)
	})
}

// byThresholds returns what is found at each of thresholdLevels and above, and the bytes of the sets in an index.
func byThresholds(ctx context.Context, c *Collection, v *truth.Verdicts, sets [][]uint64, wanted truth.Demands) (l *truth.Ladder, bytes int, err error) {
	search, bytes, err := c.joiner().Search(ctx, sets)
	if err != nil {
		return nil, 0, err
	}
	l, err = climb(c, v, len(thresholdLevels), thresholdRungs, wanted, func(_ *truth.Ladder, upTo int, add func(a, b uint32, level int) bool) error {
		return search(thresholdLevels[upTo-1], func(a, b uint32, jaccard float64) error {
			if !add(a, b, slices.IndexFunc(thresholdLevels, func(level float64) bool { return jaccard >= level })) {
				return errEnough
			}
			return nil
		})
	})
	return l, bytes, err
}

// groupsOf groups the documents with features by their fingerprints.
func groupsOf(sets [][]uint64, fingerprints []uint64) tables.Groups {
	var docs []uint32
	var values []uint64
	for doc, set := range sets {
		if len(set) > 0 {
			docs, values = append(docs, uint32(doc)), append(values, fingerprints[doc])
		}
	}
	return tables.Group(values, 1, docs)
}

// within calls do for each pair of documents within k bits, in any order. Those without features count as far
// from all. The pairs are those of the join that an index makes, which would sort them.
func (c *Collection) within(ctx context.Context, k int, do func(a, b uint32, distance int)) error {
	return eachWithin(ctx, c, groupsOf(c.Features, c.Fingerprints), k, true, func(a, b uint32, d int) bool {
		do(min(a, b), max(a, b), d)
		return true
	})
}

// eachWithin calls add with each pair of documents within k bits, until it returns false; then the
// error is errEnough. Documents with equal fingerprints are pairs if equal is set.
func eachWithin(ctx context.Context, c *Collection, groups tables.Groups, k int, equal bool, add func(a, b uint32, d int) bool) error {
	for g := range groups.Values {
		if !equal {
			break
		}
		members := groups.Members(uint32(g))
		for i, a := range members {
			for _, b := range members[i+1:] {
				if !add(a, b, 0) {
					return errEnough
				}
			}
		}
	}
	return tables.Pairs(ctx, groups.Values, c.Settings.Bits, k, tables.PairOptions{Threads: c.o.Threads, PairsInMemory: min(truth.MaxJudged, c.mostPairs())}, func(p tables.Pair) error {
		for _, a := range groups.Members(p.A) {
			for _, b := range groups.Members(p.B) {
				if !add(a, b, int(p.Distance)) {
					return errEnough
				}
			}
		}
		return nil
	})
}
