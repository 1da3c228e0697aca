package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// A Choice is a setting and a search, with their precision and recall on a collection.
type Choice struct {
	Settings  analysis.Settings `json:"settings"`
	Predicate index.Predicate   `json:"-"`
	Flags     string            `json:"flags"` // of index, and of near or pairs; "" for ready-made fingerprints, and for what an index without flags has
	Search    string            `json:"search"`
	Precision truth.Rate        `json:"precision"`
	Recall    truth.Rate        `json:"recall"`
	F1        float64           `json:"f1"`
	Bytes     float64           `json:"bytes_a_document"` // about, of an index; 0 if they do not matter
}

// tooFew reports whether the figures say nothing of other texts, since a few groups of documents have most of the
// pairs.
func (c *Choice) tooFew() bool { return c.Precision.TooFew() || c.Recall.TooFew() }

// reaches reports whether the choice finds something, and what is wanted.
func (c *Choice) reaches(w truth.Demands) bool {
	return c.Precision.Share >= w.Precision && c.Recall.Share >= w.Recall && c.F1 > 0
}

// Recommend returns the choice with the best F1 among those that reach what is wanted, and the one with
// fewer bytes among equals. If none reaches it, ok is false and best has the best F1 of all choices.
func Recommend(choices []Choice, w truth.Demands) (best Choice, ok bool) {
	order := slices.SortedStableFunc(slices.Values(choices), func(a, b Choice) int {
		return cmp.Or(cmp.Compare(b.F1, a.F1), cmp.Compare(a.Bytes, b.Bytes))
	})
	for _, c := range order {
		if c.reaches(w) {
			return c, true
		}
	}
	if len(order) > 0 {
		best = order[0]
	}
	return best, false
}

// cheapest returns, of the best of each way, the one with the fewest bytes of those that are as good as best: each of
// its intervals overlaps that of best, and it reaches what is wanted if best does. Of several, it is the one with the
// best F1. Those of too few groups overlap everything and are left out.
func cheapest(bests []Choice, best Choice, reached bool, w truth.Demands) Choice {
	out := best
	for _, c := range bests {
		if c.F1 == 0 || c.tooFew() || best.tooFew() || reached && !c.reaches(w) || !c.Precision.Overlaps(best.Precision) || !c.Recall.Overlaps(best.Recall) {
			continue
		}
		if c.Bytes < out.Bytes || c.Bytes == out.Bytes && c.F1 > out.F1 {
			out = c
		}
	}
	return out
}

// advice returns the section of a report that shows the best of each way that was tried.
func advice(bests []Choice, w truth.Demands) *Section {
	s := &Section{Name: "recommend", Title: "What was tried"}
	var shown []string
	t := &report.Table{Title: "The best of each way", Columns: []string{"index", "search", "precision", "recall", "F1", "bytes a document"}}
	found := false
	for _, c := range slices.SortedStableFunc(slices.Values(bests), func(a, b Choice) int { return cmp.Compare(b.F1, a.F1) }) {
		if slices.Contains(shown, c.Flags) {
			continue
		}
		shown, found = append(shown, c.Flags), found || c.F1 > 0
		note := ""
		if !c.reaches(w) && w != (truth.Demands{}) {
			note = " (less than wanted)"
		}
		t.Add(cmp.Or(c.Flags, "(no flags)"), c.Search+note, c.Precision, c.Recall, c.F1, c.Bytes)
	}
	switch {
	case found:
		s.Tables = append(s.Tables, t)
	case len(shown) > 0:
		s.Text = append(s.Text, fmt.Sprintf("None of these finds a pair that is near in truth: %s.", strings.Join(shown, "; ")))
	}
	return s
}
