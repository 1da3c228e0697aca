package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// How much is shown: pairs of each kind, differences of a pair, and columns of the beginning of a text.
const (
	shownExamples   = 5
	shownBorderline = 10
	shownChanges    = 4
	shownColumns    = 200
)

// alike is the similarity of the features of two texts from which on it helps to show where they differ.
const alike = 0.3

// A judged is a pair of documents, how near they are, and what is said of it.
type judged struct {
	a, b    uint32
	jaccard float64 // exact, of the truth; NaN if it is below the floor
	found   bool
	near    bool
	known   bool // the truth judges the pair
}

// examples shows pairs of texts of the best search.
func examples(ctx context.Context, c *Collection) (*Section, error) {
	best, err := bestSearch(ctx, c)
	if err != nil {
		return nil, err
	}
	return showPairs(c, best), nil
}

// showPairs shows pairs of texts: near ones that a search finds, others that it finds, near ones that it misses, and
// those at the border of what is near.
func showPairs(c *Collection, best *chosen) *Section {
	s := &Section{Title: "Pairs to look at"}
	pairs := judgedPairs(c, best)
	if best.F1 == 0 {
		s.Text = append(s.Text, "Nothing in this collection is near in truth and found.")
	} else {
		s.Text = append(s.Text, fmt.Sprintf("Found are pairs %s, the search above. Pairs of each kind are drawn by the seed. To judge the pairs at the border by hand, write yes or no behind the labels of labels.jsonl, which --out writes, and give the file to --truth.", best.Search))
	}
	if len(pairs) == 0 {
		return s
	}
	r := c.random("examples")
	kinds := []struct {
		title, about string
		of           []judged
	}{
		{"Near and found", "What a search prints rightly. Texts that are equal in all that is compared are left out.", drawSome(r, pairs, func(p judged) bool { return p.near && p.found && !(p.jaccard >= 1) })},
		{"Found, but not near", "False positives.", drawSome(r, pairs, func(p judged) bool { return p.found && p.known && !p.near })},
		{"Near, but not found", "False negatives.", drawSome(r, pairs, func(p judged) bool { return p.near && !p.found })},
		{"At the border", fmt.Sprintf("The pairs whose exact similarity is closest to %.1f, on both sides.", index.DefaultThreshold), border(pairs)},
	}
	for _, kind := range kinds {
		e := &report.Examples{Title: fmt.Sprintf("%s: %d shown", kind.title, len(kind.of)), About: kind.about, Pairs: []report.Example{}}
		if len(kind.of) == 0 {
			e.Title, e.About = kind.title+": none", ""
		}
		for _, p := range kind.of {
			e.Pairs = append(e.Pairs, exampleOf(c, best, p))
		}
		s.Examples = append(s.Examples, e)
	}
	return s
}

// judgedPairs returns the pairs of the truth, those that are labelled near, and those that a search finds, ascending.
func judgedPairs(c *Collection, best *chosen) []judged {
	var pairs []judged
	add := func(a, b uint32, found bool) {
		pairs = append(pairs, judged{a: min(a, b), b: max(a, b), found: found})
	}
	for _, p := range best.found {
		add(p.A, p.B, true)
	}
	for _, p := range c.Truth.All {
		add(p.A, p.B, false)
	}
	if c.Labels != nil {
		for a, b := range c.Labels.Pairs {
			add(a, b, false)
		}
	}
	slices.SortStableFunc(pairs, byDocuments)
	pairs = slices.CompactFunc(pairs, func(x, y judged) bool { return byDocuments(x, y) == 0 }) // those that are found come first
	for i := range pairs {
		p := &pairs[i]
		exact, ok := c.Truth.Find(p.a, p.b)
		if p.jaccard = exact.Jaccard; !ok {
			p.jaccard = math.NaN()
		}
		p.near, p.known = c.verdicts().Judge(p.a, p.b)
	}
	return pairs
}

func byDocuments(x, y judged) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) }

// drawSome returns up to shownExamples of the pairs that are wanted, drawn at random, ascending.
func drawSome(r *rand.Rand, pairs []judged, wanted func(judged) bool) []judged {
	var drawn []judged
	n := 0
	for _, p := range pairs {
		if !wanted(p) {
			continue
		}
		if n++; len(drawn) < shownExamples {
			drawn = append(drawn, p)
		} else if i := r.IntN(n); i < shownExamples {
			drawn[i] = p
		}
	}
	slices.SortFunc(drawn, byDocuments)
	return drawn
}

// border returns up to shownBorderline pairs whose similarity is closest to the usual threshold, half of them below
// it if there are as many, by similarity.
func border(pairs []judged) []judged {
	var above, below []judged
	for _, p := range pairs {
		switch {
		case p.jaccard >= index.DefaultThreshold && p.jaccard < 1:
			above = append(above, p)
		case p.jaccard < index.DefaultThreshold:
			below = append(below, p)
		}
	}
	by := func(sign float64) func(x, y judged) int {
		return func(x, y judged) int { return cmp.Or(cmp.Compare(sign*x.jaccard, sign*y.jaccard), byDocuments(x, y)) }
	}
	slices.SortFunc(above, by(1))
	slices.SortFunc(below, by(-1))
	most := shownBorderline
	n := min(len(above), max(most/2, most-len(below)))
	shown := append(above[:n:n], below[:min(len(below), most-n)]...)
	slices.SortFunc(shown, by(-1))
	return shown
}

// exampleOf returns what is shown of a pair.
func exampleOf(c *Collection, best *chosen, p judged) report.Example {
	id := func(doc uint32) string { return string(terminal.String.AppendID(nil, c.texts.docs[doc].ID)) }
	a, b := string(c.texts.docs[p.a].Text), string(c.texts.docs[p.b].Text)
	e := report.Example{A: id(p.a), B: id(p.b), StartA: start(a), StartB: start(b)}
	figures := []string{best.nearness(p.a, p.b)}
	if math.IsNaN(p.jaccard) {
		figures = append(figures, fmt.Sprintf("exact similarity below %.1f", floor))
	} else {
		figures = append(figures, fmt.Sprintf("exact similarity %.3f", p.jaccard))
	}
	if c.Labels != nil {
		switch {
		case !p.known:
			figures = append(figures, "not labelled")
		case p.near:
			figures = append(figures, "labelled near")
		default:
			figures = append(figures, "labelled not near")
		}
	}
	e.Figures = strings.Join(figures, ", ")
	if c.jaccard(p.a, p.b) >= alike {
		d := explain.CompareTexts(a, b, shownChanges)
		e.Changes, e.Remarks, e.More = d.Changes, d.Remarks, d.More
	}
	return e
}

// start returns how a text begins.
func start(text string) string {
	text = text[:min(len(text), 16*shownColumns)]
	return terminal.Cut(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "), shownColumns)
}
