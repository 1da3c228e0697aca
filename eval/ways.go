package eval

import (
	"context"
	"errors"

	"simsearch/prefix"
	"simsearch/tables"
)

// errEnough ends a search.
var errEnough = errors.New("enough")

// Levels up to which pairs are searched at a time. Each search begins anew, so that one in vain costs little.
var (
	distanceRungs   = []int{8, farthest}
	thresholdLevels = []float64{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3}
	thresholdRungs  = []int{2, 4, 5, 7}
)

// byDistances returns what is found within each distance. fingerprints has one for each document; those without
// features count as far from all.
func (c *Collection) byDistances(ctx context.Context, v *verdicts, f features, fingerprints []uint64, wanted Demands) (*ladder, error) {
	l := newLadder(farthest+1, v.pairs, wanted)
	var docs []uint32
	var values []uint64
	for doc, set := range f.sets {
		if len(set) > 0 {
			docs, values = append(docs, uint32(doc)), append(values, fingerprints[doc])
		}
	}
	if len(docs) == 0 {
		l.finish(len(l.found))
		return l, nil
	}
	groups := tables.Group(values, docs)
	add := func(a, b uint32, d int) bool {
		near, known := v.judge(a, b)
		return !known || l.add(foundPair{a, b, uint8(d), near})
	}
	for _, k := range distanceRungs {
		err := eachWithin(ctx, groups, c.Settings.Bits, k, c.threads, l.done == 0, add)
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		if !l.finish(k + 1) {
			break
		}
	}
	return l, nil
}

// eachWithin calls add with each pair of documents within k bits, until it returns false; then the error is
// errEnough. Documents with equal fingerprints are pairs if equal is set.
func eachWithin(ctx context.Context, groups tables.Groups, bits, k, threads int, equal bool, add func(a, b uint32, d int) bool) error {
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
	return tables.Pairs(ctx, groups.Values, bits, k, tables.PairOptions{Threads: threads, PairsInMemory: maxJudged}, func(p tables.Pair) error {
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

// byThresholds returns what is found at each of thresholdLevels and above.
func (c *Collection) byThresholds(ctx context.Context, v *verdicts, sets [][]uint64, wanted Demands) (*ladder, error) {
	l := newLadder(len(thresholdLevels), v.pairs, wanted)
	full := notEmptyOf(sets)
	coded, err := prefix.Collect(ctx, full, thresholdLevels[0], prefix.Options{Threads: c.threads, PairsOnly: true})
	if err != nil {
		return nil, err
	}
	for _, rung := range thresholdRungs {
		err = coded.Pairs(ctx, thresholdLevels[rung-1], prefix.PairOptions{Threads: c.threads}, func(found []prefix.Pair) error {
			for _, p := range found {
				a, b := full.numbers[p.A], full.numbers[p.B]
				near, known := v.judge(a, b)
				if !known {
					continue
				}
				if !l.add(foundPair{a, b, levelOf(float64(p.Shared) / float64(len(sets[a])+len(sets[b])-p.Shared)), near}) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		if !l.finish(rung) {
			break
		}
	}
	return l, nil
}

// levelOf returns the first of thresholdLevels that a similarity reaches.
func levelOf(jaccard float64) uint8 {
	for i, t := range thresholdLevels {
		if jaccard >= t {
			return uint8(i)
		}
	}
	return uint8(len(thresholdLevels))
}
