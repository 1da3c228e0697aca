package eval

import (
	"context"
	"fmt"
	"slices"

	"simsearch/internal/index"
)

// Distances, in bits, of the methods that check what SimHash or MinHash finds.
const (
	verified = 10
	combined = 12
)

// methods compares SimHash, MinHash, and the combination of both that Henzinger proposed.
//
// Source: M. Henzinger, "Finding Near-Duplicate Web Pages: A Large-Scale Evaluation of Algorithms",
// SIGIR 2006 (https://doi.org/10.1145/1148170.1148222).
func methods(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "SimHash, MinHash, and both"}
	s.Text = append(s.Text, fmt.Sprintf("What each method finds, of the same features. Bytes are what the method keeps of a document on the average: a fingerprint; a signature; the set of features. MinHash by signature believes the estimate, unverified takes all pairs that agree on a band, "+
		"verified compares the sets. \"And within %d bits\" takes of the candidates of MinHash those whose fingerprints are near, too; verified SimHash compares the sets of what is within %d bits. %s", combined, verified, aboutFalseRates))
	type finder func(do func(a, b uint32)) error
	simhash := func(k int) finder {
		return func(do func(a, b uint32)) error { return c.within(ctx, k, func(a, b uint32, _ int) { do(a, b) }) }
	}
	minhash := func(how index.Verification) finder {
		by := index.Similar(index.DefaultThreshold)
		by.Verify = how
		return func(do func(a, b uint32)) error { return c.searched(ctx, by, do) }
	}
	all := func(_, _ uint32) bool { return true }
	similar := func(a, b uint32) bool { return c.jaccard(a, b) >= index.DefaultThreshold }
	near := func(a, b uint32) bool { return c.distance(a, b) <= combined }
	const fingerprint = 8
	signature, set := float64(c.Settings.Positions), 8*meanSize(c.Sets)
	by := fmt.Sprintf("MinHash, Jaccard ≥ %.1f, ", index.DefaultThreshold)
	methods := []struct {
		name  string
		bytes float64 // that the method keeps of a document
		pairs finder
		takes func(a, b uint32) bool
	}{
		{"SimHash, k = 3", fingerprint, simhash(3), all},
		{"SimHash, k = 8", fingerprint, simhash(8), all},
		{fmt.Sprintf("SimHash, k = %d", verified), fingerprint, simhash(verified), all},
		{fmt.Sprintf("SimHash, k = %d, verified", verified), fingerprint + set, simhash(verified), similar},
		{by + "unverified", signature, minhash(index.Unverified), all},
		{fmt.Sprintf("MinHash, unverified, and within %d bits", combined), signature + fingerprint, minhash(index.Unverified), near},
		{by + "by signature", signature, minhash(index.BySignature), all},
		{by + "verified", signature + set, minhash(index.Exact), all},
	}
	t := newTally(truthsOf(c, index.DefaultThreshold), len(methods))
	for i, m := range methods {
		err := m.pairs(func(a, b uint32) {
			if m.takes(a, b) {
				t.add(a, b, i, i+1)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for i, by := range slices.Backward(t.truths) {
		table := s.AddTable(by.title(), "method", "bytes a document", "found", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1")
		for at, m := range methods {
			table.Add(append([]any{m.name, m.bytes, t.found[i][at]}, t.cells(i, at)[3:]...)...)
		}
	}
	return s, nil
}

// meanSize returns the mean number of elements of sets.
func meanSize(sets [][]uint64) float64 {
	features := 0
	for _, set := range sets {
		features += len(set)
	}
	return float64(features) / float64(max(1, len(sets)))
}
