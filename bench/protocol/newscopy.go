package main

import (
	"context"
	"fmt"

	"simsearch/internal/ground/ints"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// NewsCopy repeats the published runs on texts and adds exact searches. It scores the clusters of
// each by the adjusted Rand index against the labelled clusters. A document without a label is a
// cluster of its own.
func NewsCopy(ctx context.Context, texts []string, l *truth.Labels, threads int, seed uint64) (*report.Report, error) {
	want := ints.NewDisjointSets(len(texts))
	for a, b := range l.Pairs {
		want.Union(a, b)
	}
	partition := func(s ints.DisjointSets) []uint32 {
		out := make([]uint32, len(s))
		for i := range s {
			out[i] = s.Find(uint32(i))
		}
		return out
	}
	r := &report.Report{Version: 1, Title: "The NEWS-COPY protocol", Warnings: append([]string{}, l.Warnings()...), Facts: []report.Fact{{Name: "documents", Value: fmt.Sprint(len(texts))}, {Name: "clusters", Value: fmt.Sprint(l.Clusters)}}}
	s := &report.Section{Name: "news-copy", Title: "Clusters"}
	s.Text = append(s.Text, "The adjusted Rand index of predicted clusters, connected components, against the labelled ones: 1 is agreement, 0 chance.")
	t := s.AddTable("", "run", "adjusted Rand index")
	grams := gramSets(texts, 2)
	add := func(run string, found ints.DisjointSets) {
		t.Add(run, AdjustedRandIndex(partition(want), partition(found)))
	}
	add("published MinHash: word 2-grams, 256 permutations, 47 bands of 5, unverified", byBands(grams, 256, 47, 5, seed))
	filtered, err := bySimilarity(ctx, grams, 0.45, 12, threads)
	if err != nil {
		return nil, err
	}
	add("published SimHash: 12 bits, then Jaccard ≥ 0.45", filtered)
	for _, threshold := range []float64{0.3, 0.45, 0.6, 0.8} {
		near, err := bySimilarity(ctx, grams, threshold, 64, threads)
		if err != nil {
			return nil, err
		}
		add(fmt.Sprintf("word 2-grams, exact Jaccard ≥ %.2f", threshold), near)
	}
	r.Sections = append(r.Sections, s)
	return r, nil
}

// AdjustedRandIndex compares two partitions of the same things. a[i] and b[i] are the numbers of
// the clusters of thing i. The index is 1 for equal partitions and about 0 for partitions that
// agree by chance. It is also 1 if both partitions have only singletons or both have a single
// cluster.
//
// Source: L. Hubert, P. Arabie, "Comparing Partitions", Journal of Classification 2 (1985),
// https://doi.org/10.1007/BF01908075.
func AdjustedRandIndex(a, b []uint32) float64 {
	both, as, bs := map[[2]uint32]int{}, map[uint32]int{}, map[uint32]int{}
	for i := range a {
		both[[2]uint32{a[i], b[i]}]++
		as[a[i]]++
		bs[b[i]]++
	}
	pairs := func(n int) float64 { return float64(n) * float64(n-1) / 2 }
	var together, inA, inB float64
	for _, n := range both {
		together += pairs(n)
	}
	for _, n := range as {
		inA += pairs(n)
	}
	for _, n := range bs {
		inB += pairs(n)
	}
	all := pairs(len(a))
	if all == 0 {
		return 1
	}
	expected, most := inA*inB/all, (inA+inB)/2
	if most == expected {
		return 1
	}
	return (together - expected) / (most - expected)
}
