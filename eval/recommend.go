package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// Demands are the least precision and recall that a recommendation must have; 0 demands nothing.
type Demands struct {
	Precision, Recall float64
}

// A Choice is a setting and a search, with their precision and recall on a collection.
type Choice struct {
	Settings  analysis.Settings `json:"settings"`
	Predicate index.Predicate   `json:"criterion"`
	Flags     string            `json:"flags"` // of index, and of near or pairs; "" for ready-made fingerprints
	Search    string            `json:"search"`
	Precision Rate              `json:"precision"`
	Recall    Rate              `json:"recall"`
	F1        float64           `json:"f1"`
	Bytes     float64           `json:"bytes_a_document"`
}

// Choices measures the settings of a collection: a search by each distance from 0 to 16 bits and, if bySets
// is set, by several Jaccard similarities. Near in truth is what the labels say or, without labels, a pair
// with an exact similarity of 0.8 or more.
func Choices(ctx context.Context, c *Collection, bySets bool) ([]Choice, error) {
	near, judge := 0, func(a, b uint32) (bool, bool) { return c.isNear(a, b), true }
	if c.Labels != nil {
		near, judge = c.Labels.Near, c.Labels.Judge
	} else {
		near = c.near()
	}
	s := c.Settings
	var found, right [farthest + 1]int
	err := c.within(ctx, farthest, func(a, b uint32, d int) {
		if is, known := judge(a, b); known {
			found[d]++
			if is {
				right[d]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var out []Choice
	add := func(by index.Predicate, flags string, found, right int, bytes float64) {
		p, r := NewRate(right, found), NewRate(right, near)
		out = append(out, Choice{s, by, flags, searchFlags(by), p, r, F1(p.Share, r.Share), bytes})
	}
	f, r := 0, 0
	for k := range farthest + 1 {
		f, r = f+found[k], r+right[k]
		add(index.Within(k), fingerprintFlags(s), f, r, 8)
	}
	if !bySets {
		return out, nil
	}
	perSet := c.setBytes() + float64(s.Positions)
	for _, threshold := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		f, r := 0, 0
		err := c.similar(ctx, index.Similar(threshold), func(a, b uint32) {
			if is, known := judge(a, b); known {
				f++
				if is {
					r++
				}
			}
		})
		if err != nil {
			return nil, err
		}
		add(index.Similar(threshold), setFlags(s), f, r, perSet)
	}
	return out, nil
}

// Recommend returns the choice with the best F1 among those that reach what is wanted, and the one with
// fewer bytes among equals. If none reaches it, ok is false and best has the best F1 of all choices.
func Recommend(choices []Choice, w Demands) (best Choice, ok bool) {
	order := slices.SortedStableFunc(slices.Values(choices), func(a, b Choice) int {
		return cmp.Or(cmp.Compare(b.F1, a.F1), cmp.Compare(a.Bytes, b.Bytes))
	})
	for _, c := range order {
		if c.Precision.Share >= w.Precision && c.Recall.Share >= w.Recall && c.F1 > 0 {
			return c, true
		}
	}
	if len(order) > 0 {
		best = order[0]
	}
	return best, false
}

// Advice returns the section of a report that shows the best of each way that was tried. What to use of them is what VerdictOn
// says. Choices may be of several settings.
func Advice(choices []Choice, w Demands) *Section {
	s := &Section{Name: "recommend", Title: "What was tried", ShowText: true}
	best, _ := Recommend(choices, w)
	if best.F1 == 0 {
		var tried []string
		for _, c := range choices {
			if !slices.Contains(tried, c.Flags) {
				tried = append(tried, c.Flags)
			}
		}
		if len(tried) > 0 {
			s.Text = append(s.Text, fmt.Sprintf("None of these finds a pair that is near in truth: %s.", strings.Join(tried, "; ")))
		}
		return s
	}
	if best.Precision.TooFew() || best.Recall.TooFew() {
		s.Text = append(s.Text, "Too few groups have most of the pairs, so that the figures say nothing of other texts: give more documents, or labels of more of them.")
	}
	t := s.AddTable("The best of each way", "index", "search", "precision", "recall", "F1", "bytes a document")
	byFlags := map[string][]Choice{}
	var order []string
	for _, c := range choices {
		if byFlags[c.Flags] == nil {
			order = append(order, c.Flags)
		}
		byFlags[c.Flags] = append(byFlags[c.Flags], c)
	}
	for _, flags := range order {
		c, reached := Recommend(byFlags[flags], w)
		note := ""
		if !reached && w != (Demands{}) {
			note = " (less than wanted)"
		}
		t.Add(c.Flags, c.Search+note, c.Precision, c.Recall, c.F1, c.Bytes)
	}
	return s
}

// Limits of a collection that supports the figures.
const (
	fewPairs    = 50  // least number of near pairs
	shortText   = 20  // least number of features of the median document
	boilerplate = 0.5 // largest share of the documents that may be near a single one
)

// warnings returns a line for each way in which the data supports less than the figures suggest.
func (c *Collection) warnings() []string {
	out := []string{}
	if c.Labels != nil {
		out = append(out, c.Labels.Warnings()...)
	}
	near := c.near()
	if c.Labels != nil {
		near = c.Labels.Near
	}
	if c.bare && c.Labels == nil {
		return append(out, "fingerprints have no exact similarity: name labels with --truth to see which pairs are near in truth")
	}
	if near < fewPairs {
		out = append(out, fmt.Sprintf("few pairs are near in truth, %d: recall is uncertain, see the intervals", near))
	}
	if m := median(c.Words); m < shortText && !c.bare {
		out = append(out, fmt.Sprintf("the texts are short, the median has %d features: a changed word moves a fingerprint by many bits", m))
	}
	partners := make([]int, c.Len())
	most := 0
	for _, p := range c.Truth {
		partners[p.A]++
		partners[p.B]++
		most = max(most, partners[p.A], partners[p.B])
	}
	if c.Len() > 1 && float64(most) >= boilerplate*float64(c.Len()-1) {
		out = append(out, fmt.Sprintf("one document is near %s of %s: boilerplate may glue the collection together", terminal.Thousands(most), terminal.Plural(c.Len()-1, "other")))
	}
	return out
}
