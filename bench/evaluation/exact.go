package main

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"

	"simsearch/eval"
	"simsearch/hamming"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
	"simsearch/tables"
)

// exactness is how far the answers of the engine are those of comparing all.
type exactness struct {
	answers, wrong  int        // of tables, to queries
	missed, rotated truth.Rate // pairs within 3 bits that tables miss, and rotating and sorting
	recalls         []truth.Rate
}

// random returns a random source for one purpose.
func random(what string) *rand.Rand {
	h := uint64(0)
	for _, b := range []byte(what) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(0, h))
}

// withFeatures returns the documents that have features.
func withFeatures(c *eval.Collection) (docs []uint32) {
	for doc, set := range c.Features {
		if len(set) > 0 && len(c.Sets[doc]) > 0 {
			docs = append(docs, uint32(doc))
		}
	}
	return docs
}

// distinctOf returns the distinct fingerprints of documents with features, ascending.
func distinctOf(c *eval.Collection) (values []uint64) {
	for _, doc := range withFeatures(c) {
		values = append(values, c.Fingerprints[doc])
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// exactnessOf compares the answers to queries, all pairs of fingerprints, and pairs of sets by bands, with those of
// comparing all.
func exactnessOf(ctx context.Context, c *eval.Collection) (e exactness, err error) {
	values := distinctOf(c)
	if err = e.query(values, c.Settings.Bits); err != nil {
		return e, err
	}
	const joinMost = 20_000
	if len(values) > joinMost {
		random("join").Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		values = values[:joinMost]
		slices.Sort(values)
	}
	if err = e.join(ctx, values, c.Settings.Bits); err != nil {
		return e, err
	}
	return e, e.recall(ctx, c)
}

// query asks tables for values, by the planner's design and by all choices of two among k + 2 blocks, unless these
// are too many.
func (e *exactness) query(values []uint64, width int) error {
	const mostQueries, mostTables = 500, 64
	queries := make([]uint64, min(mostQueries, len(values)))
	r := random("queries")
	for i := range queries {
		queries[i] = values[r.IntN(len(values))]
	}
	for _, k := range []int{1, 3, 6, 10} {
		designs := []tables.Design{tables.Choose(width, len(values), k, 0).Design}
		if d, err := tables.NewDesign(width, k+2, 2); err == nil && len(d.Permutations()) <= mostTables {
			designs = append(designs, d)
		}
		for _, d := range designs {
			tb := tables.Build(values, d)
			for _, q := range queries {
				got, err := tb.Near(nil, q, k)
				if err != nil {
					return err
				}
				want := hamming.Scan(nil, values, q, k)
				for _, of := range [][]hamming.Match{got, want} {
					slices.SortFunc(of, func(a, b hamming.Match) int { return cmp.Compare(a.Index, b.Index) })
				}
				if e.answers++; !slices.Equal(got, want) {
					e.wrong++
				}
			}
		}
	}
	return nil
}

// join finds the pairs of values within 3 bits by tables, and by rotating and sorting.
//
// Source: S. Biswas, "Near Duplicate Detection using SimHash", course report, 2017.
func (e *exactness) join(ctx context.Context, values []uint64, width int) error {
	const k, rotations = 3, 25
	near := 0
	for i, x := range values {
		for _, y := range values[i+1:] {
			if hamming.Distance(x, y) <= k {
				near++
			}
		}
	}
	byTables := 0
	err := tables.Pairs(ctx, values, width, k, tables.PairOptions{Threads: 1, Design: tables.Choose(width, len(values), k, 0).Design}, func(tables.Pair) error {
		byTables++
		return nil
	})
	e.missed, e.rotated = truth.NewRate(near-byTables, near), truth.NewRate(near-len(rotateAndSort(values, width, k, rotations)), near)
	return err
}

// rotateAndSort returns the pairs of values within k bits that are neighbours, in order, in one of so many rotations
// of the bits.
func rotateAndSort(values []uint64, width, k, rotations int) map[[2]uint64]bool {
	found := map[[2]uint64]bool{}
	back := func(x uint64, by int) uint64 { return (x<<by | x>>(width-by)) & (^uint64(0) >> (64 - width)) }
	seen := make([]uint64, len(values))
	for round := range rotations {
		round %= width
		for i, x := range values {
			seen[i] = back(x, round)
		}
		slices.Sort(seen)
		for i := 1; i < len(seen); i++ {
			if bits.OnesCount64(seen[i-1]^seen[i]) <= k {
				a, b := back(seen[i-1], width-round), back(seen[i], width-round)
				found[[2]uint64{min(a, b), max(a, b)}] = true
			}
		}
	}
	return found
}

// recall searches for pairs of sets with the usual similarity, for a recall of 0.95 and of 0.99.
func (e *exactness) recall(ctx context.Context, c *eval.Collection) error {
	pairs, err := truth.Joiner{Threads: 2}.Pairs(ctx, c.Sets, index.DefaultThreshold)
	if err != nil {
		return err
	}
	ix, err := c.Index(ctx)
	if err != nil {
		return err
	}
	for _, wanted := range []float64{0.95, 0.99} {
		found := 0 // all of them are near, since sets are compared
		by := index.Predicate{Kind: index.Jaccard, Threshold: index.DefaultThreshold, Recall: wanted}
		err := ix.Pairs(ctx, by, index.PairOptions{Threads: 2}, func(index.Pair) error {
			found++
			return nil
		})
		if err != nil {
			return err
		}
		e.recalls = append(e.recalls, truth.NewRate(found, len(pairs)))
	}
	return nil
}
