package eval

import (
	"context"
	"fmt"

	"simsearch/internal/index"
	"simsearch/internal/terminal"
)

// farthest is the largest distance that is evaluated, in bits.
const farthest = 16

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
	g, v := newGrowth(c.Len()), c.verdicts()
	var known [farthest + 1]int // pairs at each distance that are judged
	err := c.within(ctx, farthest, func(a, b uint32, d int) {
		near, judged := v.Judge(a, b)
		g.add(a, b, d, near)
		if judged {
			known[d]++
		}
	})
	if err != nil {
		return nil, err
	}
	var levels, found, judged []int
	sum, sumKnown := 0, 0
	for k := range farthest + 1 {
		sum, sumKnown = sum+g.near[k]+g.apart[k], sumKnown+known[k]
		levels, found, judged = append(levels, k), append(found, sum), append(judged, sumKnown)
	}
	truths := truthsOf(c, byCosine(c))
	for i := range truths {
		if truths[i].labels {
			truths[i].name += ", which judge only some pairs, others being left out"
		}
	}
	addRates(s, "Precision against recall, k = 0 to 16", "k", truths, levels, found, judged, func(of []int, a, b uint32) {
		if len(c.Sets[a]) > 0 && len(c.Sets[b]) > 0 {
			for k := c.distance(a, b); k <= farthest; k++ {
				of[k]++
			}
		}
	}, pointName)
	by := fmt.Sprintf("an exact Jaccard similarity of %.1f or more", index.DefaultThreshold)
	if c.Labels != nil {
		by = "their labels"
	}
	g.show(s, by)
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

// byCosine returns the truth of a large cosine. It has no pairs if the collection is not small.
func byCosine(c *Collection) reference {
	t := reference{name: fmt.Sprintf("of a cosine of %.1f or more, of the weighted features of the settings", cosineNear), short: fmt.Sprintf("cosine ≥ %.1f", cosineNear)}
	if c.Len() > cosineMost || c.bare {
		return t
	}
	var near [][2]uint32
	for a := range uint32(c.Len()) {
		for b := a + 1; b < uint32(c.Len()); b++ {
			if c.evaluated(a, b) && c.cosine(a, b) >= cosineNear {
				near = append(near, [2]uint32{a, b})
			}
		}
	}
	t.near, t.pairs = len(near), func(yield func(a, b uint32) bool) {
		for _, p := range near {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
	return t
}
