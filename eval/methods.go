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
	simhash := func(k int, do func(a, b uint32)) error {
		return c.within(ctx, k, func(a, b uint32, _ int) { do(a, b) })
	}
	minhash := func(how index.Verification, do func(a, b uint32)) error {
		by := index.Similar(index.DefaultThreshold)
		by.Verify = how
		return c.searched(ctx, by, do)
	}
	const fingerprint = 8
	signature, set := float64(c.Settings.Positions), 8*meanSize(c.Sets)
	by := fmt.Sprintf("MinHash, Jaccard ≥ %.1f, ", index.DefaultThreshold)
	methods := []struct {
		name  string
		bytes float64 // that the method keeps of a document
		pairs func(do func(a, b uint32)) error
	}{
		{"SimHash, k = 3", fingerprint, func(do func(a, b uint32)) error { return simhash(3, do) }},
		{"SimHash, k = 8", fingerprint, func(do func(a, b uint32)) error { return simhash(8, do) }},
		{fmt.Sprintf("SimHash, k = %d", verified), fingerprint, func(do func(a, b uint32)) error { return simhash(verified, do) }},
		{fmt.Sprintf("SimHash, k = %d, verified", verified), fingerprint + set, func(do func(a, b uint32)) error {
			return simhash(verified, func(a, b uint32) {
				if c.jaccard(a, b) >= index.DefaultThreshold {
					do(a, b)
				}
			})
		}},
		{by + "unverified", signature, func(do func(a, b uint32)) error { return minhash(index.Unverified, do) }},
		{fmt.Sprintf("MinHash, unverified, and within %d bits", combined), signature + fingerprint, func(do func(a, b uint32)) error {
			return minhash(index.Unverified, func(a, b uint32) {
				if c.distance(a, b) <= combined {
					do(a, b)
				}
			})
		}},
		{by + "by signature", signature, func(do func(a, b uint32)) error { return minhash(index.BySignature, do) }},
		{by + "verified", signature + set, func(do func(a, b uint32)) error { return minhash(index.Exact, do) }},
	}
	t := newTally(truthsOf(c, index.DefaultThreshold), len(methods))
	for i, m := range methods {
		if err := m.pairs(func(a, b uint32) { t.add(a, b, i, i+1) }); err != nil {
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
