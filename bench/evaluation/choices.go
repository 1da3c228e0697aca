package main

import (
	"context"
	"fmt"

	"simsearch/eval"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
)

// farthest is the largest distance that is tried, in bits.
const farthest = 16

// choicesOf measures the settings of a collection by its index: a search by each distance and, if bySets is set, by
// several Jaccard similarities. Near in truth is what the labels say or, without labels, a pair with an exact
// similarity of 0.8 or more.
func choicesOf(ctx context.Context, c *eval.Collection, bySets bool) (out []eval.Choice, err error) {
	inTruth := map[[2]uint32]bool{}
	for _, p := range c.Truth.All {
		if p.Jaccard >= index.DefaultThreshold {
			inTruth[[2]uint32{p.A, p.B}] = true
		}
	}
	near, judge := len(inTruth), func(a, b uint32) (near, known bool) { return inTruth[[2]uint32{a, b}], true }
	if c.Labels != nil {
		near, judge = c.Labels.Near, c.Labels.Judge
	}
	ix, err := c.Index(ctx)
	if err != nil {
		return nil, err
	}
	search := func(by index.Predicate, add func(p index.Pair, near bool)) error {
		return ix.Pairs(ctx, by, index.PairOptions{Threads: 2}, func(p index.Pair) error {
			if near, known := judge(p.A, p.B); known {
				add(p, near)
			}
			return nil
		})
	}
	features := 0
	for _, set := range c.Sets {
		features += len(set)
	}
	add := func(by index.Predicate, flags string, found, right int) {
		p, r := truth.NewRate(right, found), truth.NewRate(right, near)
		out = append(out, eval.Choice{Settings: c.Settings, Predicate: by, Search: flags, Precision: p, Recall: r, F1: truth.F1(p.Share, r.Share), Bytes: 8})
		if by.BySets() {
			out[len(out)-1].Bytes = 8*float64(features)/float64(max(1, c.Len())) + float64(c.Settings.Positions)
		}
	}
	var found, right [farthest + 1]int
	err = search(index.Within(farthest), func(p index.Pair, near bool) {
		for k := p.Distance; k <= farthest; k++ {
			if found[k]++; near {
				right[k]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range found {
		add(index.Within(k), fmt.Sprintf("--k %d", k), found[k], right[k])
	}
	for _, threshold := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		if !bySets {
			break
		}
		found, right := 0, 0
		err := search(index.Similar(threshold), func(_ index.Pair, near bool) {
			if found++; near {
				right++
			}
		})
		if err != nil {
			return nil, err
		}
		add(index.Similar(threshold), fmt.Sprintf("--jaccard %.1f", threshold), found, right)
	}
	return out, nil
}
