package eval

import (
	"context"
	"fmt"

	"simsearch/internal/index"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// methods compares SimHash, MinHash, and the combination of both that Henzinger proposed.
//
// Source: M. Henzinger, "Finding Near-Duplicate Web Pages: A Large-Scale Evaluation of Algorithms",
// SIGIR 2006 (https://doi.org/10.1145/1148170.1148222).
func methods(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "SimHash, MinHash, and both"}
	s.Text = append(s.Text, fmt.Sprintf("What each method finds, of the same features. Bytes are what the method keeps of a document on the average: a fingerprint; a signature; the set of features. MinHash by signature believes the estimate, unverified takes all pairs that agree on a band, "+
		"verified compares the sets. \"And within %d bits\" takes of the candidates of MinHash those whose fingerprints are near, too; verified SimHash compares the sets of what is within %d bits. %s", combined, verified, aboutFalseRates))
	const fingerprint = 8
	signature, set := float64(c.Settings.Positions), 8*meanSize(c.Sets)
	var outcomes []*outcome
	method := func(bytes float64, format string, args ...any) *outcome {
		o := &outcome{name: fmt.Sprintf(format, args...), bytes: bytes}
		outcomes = append(outcomes, o)
		return o
	}
	within := map[int]*outcome{}
	for _, k := range []int{3, 8, verified} {
		within[k] = method(fingerprint, "SimHash, k = %d", k)
	}
	similar := method(fingerprint+set, "SimHash, k = %d, verified", verified)
	err := c.within(ctx, verified, func(a, b uint32, d int) {
		for k, o := range within {
			if d <= k {
				o.add(c, a, b)
			}
		}
		if c.jaccard(a, b) >= index.DefaultThreshold {
			similar.add(c, a, b)
		}
	})
	if err != nil {
		return nil, err
	}
	both := &outcome{name: fmt.Sprintf("MinHash, unverified, and within %d bits", combined), bytes: signature + fingerprint}
	for _, how := range []struct {
		verification index.Verification
		name         string
		bytes        float64
	}{{index.Unverified, "unverified", signature}, {index.BySignature, "by signature", signature}, {index.Exact, "verified", signature + set}} {
		by := index.Similar(index.DefaultThreshold)
		by.Verify = how.verification
		o := method(how.bytes, "MinHash, Jaccard ≥ %.1f, %s", by.Threshold, how.name)
		if how.verification == index.Unverified {
			outcomes = append(outcomes, both)
		}
		err := c.searched(ctx, by, func(a, b uint32) {
			o.add(c, a, b)
			if how.verification == index.Unverified && c.distance(a, b) <= combined {
				both.add(c, a, b)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if near := c.Truth.Near; near > 0 {
		t := s.AddTable(fmt.Sprintf("Near in truth are pairs of a Jaccard similarity of %.1f or more, over %s: %s", index.DefaultThreshold, c.TruthFeatures, terminal.Thousands(near)), methodColumns...)
		for _, o := range outcomes {
			o.row(t, o.found, o.near, near, pairsEvaluated(c)-near)
		}
	}
	if c.Labels != nil {
		t := s.AddTable(fmt.Sprintf("Near in truth are pairs by their labels: %s", terminal.Thousands(c.Labels.Near)), methodColumns...)
		for _, o := range outcomes {
			o.row(t, o.judged, o.labelled, c.Labels.Near, labelledApart(c))
		}
	}
	return s, nil
}

// Distances, in bits, of the methods that check what SimHash or MinHash finds.
const (
	verified = 10
	combined = 12
)

var methodColumns = []string{"method", "bytes a document", "found", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1"}

// An outcome counts the pairs that a method finds.
type outcome struct {
	name             string
	bytes            float64 // that the method keeps of a document
	found, near      int     // pairs found; those of them that are near in truth
	judged, labelled int     // pairs found that the labels judge; those of them that are near
}

// meanSize returns the mean number of elements of sets.
func meanSize(sets [][]uint64) float64 {
	features := 0
	for _, set := range sets {
		features += len(set)
	}
	return float64(features) / float64(max(1, len(sets)))
}

// add counts a pair that the method finds.
func (o *outcome) add(c *Collection, a, b uint32) {
	o.found++
	if near, _ := c.Truth.Judge(a, b); near {
		o.near++
	}
	if c.Labels != nil {
		if near, known := c.Labels.Judge(a, b); known {
			o.judged++
			if near {
				o.labelled++
			}
		}
	}
}

// row adds a row: right of the pairs found are near, of near pairs in all; others are judged not to be near.
func (o *outcome) row(t *report.Table, found, right, near, others int) {
	t.Add(append([]any{o.name, o.bytes, found}, cells(found, right, near, others)[3:]...)...)
}
