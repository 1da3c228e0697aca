package eval

import (
	"context"
	"fmt"

	"simsearch/index"
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
		"verified compares the sets. \"And within %d bits\" takes of the candidates of MinHash those whose fingerprints are near, too; verified SimHash compares the sets of what is within %d bits. SimHash has the weights of the settings, %s, where no others are named. %s", combined, verified, c.Settings.Weights, aboutFalseRates))
	var outcomes []*outcome
	record := func(name string, bytes float64) *outcome {
		o := &outcome{name: name, bytes: bytes}
		outcomes = append(outcomes, o)
		return o
	}
	const fingerprint = 8
	signature, set := float64(c.Settings.Positions), setBytes(c.Sets)
	simHash := map[int]*outcome{3: nil, 8: nil, verified: nil}
	for _, k := range []int{3, 8, verified} {
		simHash[k] = record(fmt.Sprintf("SimHash, k = %d", k), fingerprint)
	}
	simVerified := record(fmt.Sprintf("SimHash, k = %d, verified", verified), fingerprint+set)
	err := c.within(ctx, c.Fingerprints, verified, func(a, b uint32, d int) {
		for k, o := range simHash {
			if d <= k {
				o.add(c, a, b)
			}
		}
		if c.jaccard(a, b) >= index.DefaultThreshold {
			simVerified.add(c, a, b)
		}
	})
	if err != nil {
		return nil, err
	}
	other, err := otherWeights(ctx, c)
	if err == nil && other != nil {
		rows := map[int]*outcome{}
		for _, k := range []int{3, 8, verified} {
			rows[k] = record(fmt.Sprintf("SimHash by %s, k = %d", other.name, k), fingerprint)
		}
		err = c.within(ctx, other.fingerprints, verified, func(a, b uint32, d int) {
			for k, o := range rows {
				if d <= k {
					o.add(c, a, b)
				}
			}
		})
	}
	if err != nil {
		return nil, err
	}
	for _, how := range []index.Verification{index.Unverified, index.BySignature, index.Exact} {
		by := index.Similar(index.DefaultThreshold)
		by.Verify = how
		name, bytes := fmt.Sprintf("MinHash, Jaccard ≥ %.1f, by signature", by.Threshold), signature
		switch how {
		case index.Unverified:
			name = fmt.Sprintf("MinHash, Jaccard ≥ %.1f, unverified", by.Threshold)
		case index.Exact:
			name, bytes = fmt.Sprintf("MinHash, Jaccard ≥ %.1f, verified", by.Threshold), signature+set
		}
		o := record(name, bytes)
		var both *outcome
		if how == index.Unverified {
			both = record(fmt.Sprintf("MinHash, unverified, and within %d bits", combined), signature+fingerprint)
		}
		err := c.searched(ctx, by, func(a, b uint32) {
			o.add(c, a, b)
			if both != nil && c.distance(a, b) <= combined {
				both.add(c, a, b)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if near := c.near(); near > 0 {
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

// add counts a pair that the method finds.
func (o *outcome) add(c *Collection, a, b uint32) {
	o.found++
	if c.isNear(a, b) {
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
	t.Add(append([]any{o.name, o.bytes, found}, rates(found, right, near, others)[3:]...)...)
}
