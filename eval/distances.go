package eval

import (
	"context"
	"fmt"

	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

// farthest is the largest distance that is evaluated, in bits.
const farthest = 16

// thresholds are the exact similarities that make a pair near in truth.
var thresholds = []float64{0.5, 0.7, 0.8, 0.9}

// In a collection of up to cosineMost documents, a pair is near in another truth if its exact cosine is
// cosineNear or more. All pairs are compared, which takes a second or two.
const (
	cosineMost = 1500
	cosineNear = 0.9
)

// distances counts, for each distance, the true and the false pairs found and the pairs missed.
func distances(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Precision and recall by distance"}
	s.Text = append(s.Text, fmt.Sprintf("A pair is near in truth if its exact Jaccard similarity is at or above a threshold, if its exact cosine is (in collections of up to %s), or if the labels say so. Found are all pairs within k bits, before any verification; false positives are those of them that are not near, false negatives "+
		"near pairs farther apart. %s Precision and recall have Wilson's intervals of 95 %%. Pairs share documents, so that in clusters of near duplicates the true intervals are wider.", terminal.Plural(cosineMost, "document"), aboutFalseRates))
	g := newGrowth(c)
	v := newVerdicts(c)
	all, truths, err := countByDistance(ctx, c, func(a, b uint32, d int) {
		near, _ := v.judge(a, b)
		g.add(a, b, d, near)
	})
	if err != nil {
		return nil, err
	}
	plot := &svg.Plot{Title: "Precision against recall, k = 0 to 16", X: svg.Axis{Name: "recall", Max: 1}, Y: svg.Axis{Name: "precision", Max: 1}}
	for _, truth := range truths {
		t := s.AddTable(fmt.Sprintf("Near in truth are pairs %s: %s", truth.name, terminal.Thousands(truth.near)), "k", "found", "false positives", "false negatives", "precision", "recall", falsePositiveRate, falseNegativeRate, "F1")
		others := pairsEvaluated(c) - truth.near
		if truth.found != nil {
			others = labelledApart(c)
		}
		var curve [][2]float64
		var labels []string
		found, right := 0, 0
		for k := range farthest + 1 {
			if truth.found != nil {
				found += truth.found[k]
			} else {
				found += all[k]
			}
			right += truth.right[k]
			precision, recall := NewRate(right, found), NewRate(right, truth.near)
			t.Add(k, found, found-right, truth.near-right, precision, recall, NewRate(found-right, others), NewRate(truth.near-right, truth.near), F1(precision.Share, recall.Share))
			if found > 0 {
				curve = append(curve, [2]float64{recall.Share, precision.Share})
				labels = append(labels, pointName(k))
			}
		}
		plot.Series = append(plot.Series, svg.Series{Name: truth.short, Points: curve, Labels: labels, Line: true})
	}
	if len(truths) > 0 {
		s.Plots = append(s.Plots, plot)
	} else {
		s.Text = append(s.Text, "Nothing in this collection is near in truth.")
	}
	g.show(c, s)
	return s, nil
}

// pointName returns the label of the point of a distance, or "" for those between.
func pointName(k int) string {
	switch k {
	case 0, 3, 6, 10, farthest:
		return fmt.Sprintf("k = %d", k)
	}
	return ""
}

// A truthCount counts the pairs of one truth at each distance.
type truthCount struct {
	name, short string
	near        int // pairs in truth
	right       [farthest + 1]int
	found       []int // pairs found that the truth judges; nil if it judges all
}

// countByDistance returns the number of pairs at each distance, and the counts of each truth with pairs. It calls do with
// each pair up to the farthest distance.
func countByDistance(ctx context.Context, c *Collection, do func(a, b uint32, d int)) (all [farthest + 1]int, truths []truthCount, err error) {
	for _, threshold := range thresholds {
		if threshold < c.Floor {
			continue
		}
		t := truthCount{name: fmt.Sprintf("of a Jaccard similarity of %.1f or more, over %s", threshold, c.TruthFeatures), short: fmt.Sprintf("Jaccard ≥ %.1f", threshold)}
		for _, p := range c.Truth {
			if p.Jaccard >= threshold {
				t.add(c, p.A, p.B)
			}
		}
		if t.near > 0 {
			truths = append(truths, t)
		}
	}
	if t := countByCosine(c); t.near > 0 {
		truths = append(truths, t)
	}
	labels := truthCount{name: "by their labels", short: "labels"}
	if c.Labels != nil {
		for a, b := range c.Labels.Pairs {
			labels.add(c, a, b)
		}
		if !c.Labels.complete {
			labels.name += ", which judge only some pairs, others being left out"
			labels.found = make([]int, farthest+1)
		}
	}
	err = c.within(ctx, c.Fingerprints, farthest, func(a, b uint32, d int) {
		all[d]++
		do(a, b, d)
		if labels.found != nil {
			if _, known := c.Labels.Judge(a, b); known {
				labels.found[d]++
			}
		}
	})
	if labels.near > 0 {
		truths = append(truths, labels)
	}
	return all, truths, err
}

// countByCosine counts the pairs with a large cosine, if the collection is small.
func countByCosine(c *Collection) truthCount {
	t := truthCount{name: fmt.Sprintf("of a cosine of %.1f or more, of the weighted features of the settings", cosineNear), short: fmt.Sprintf("cosine ≥ %.1f", cosineNear)}
	if c.Len() > cosineMost || c.bare {
		return t
	}
	for a := range uint32(c.Len()) {
		for b := a + 1; b < uint32(c.Len()); b++ {
			if c.evaluated(a, b) && c.cosine(a, b) >= cosineNear {
				t.add(c, a, b)
			}
		}
	}
	return t
}

// add counts a pair that is near in truth.
func (t *truthCount) add(c *Collection, a, b uint32) {
	t.near++
	if len(c.Sets[a]) == 0 || len(c.Sets[b]) == 0 {
		return
	}
	if d := c.distance(a, b); d <= farthest {
		t.right[d]++
	}
}
