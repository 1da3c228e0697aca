package dedup

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
	"simsearch/internal/warnings"
)

// mostRows is how many sources, groups, pairs and so on a page shows of each.
const mostRows = 100

//go:embed page.html.tmpl
var pageSource string

var pages = report.Templates(pageSource, template.FuncMap{
	"first": firstShown,
	"size":  size, "duration": duration, "threshold": threshold, "similarity": terminal.Similarity,
	"lost": lost, "compared": compared, "others": others, "nearness": nearnessOf,
	"sizes": func(list []Size) report.Sizes {
		return report.SizesOf(list, "How many groups have how many documents, with the one that is kept.", "removed documents")
	},
	"pictures": func(small [][]byte) []template.URL { return report.Pictures(small...) },
})

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100
// sources, groups and pairs. What ids and texts have of markup and control characters is shown and has no
// effect. The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error {
	r = report.Harmless(r)
	return write(w, "report", r.title(), r.Pictures, r)
}

// WriteHTML writes the report as Report.WriteHTML does.
func (c *Cuts) WriteHTML(w io.Writer) error {
	c = report.Harmless(c)
	return write(w, "cuts", c.title(), false, c)
}

func write(w io.Writer, name, title string, pictures bool, of any) error {
	return pages().ExecuteTemplate(w, name, &report.Page{
		Command: "simsearch dedup", Title: title, Foot: "report.json has these figures for programs.", Pictures: pictures, Script: true, Of: of,
	})
}

// firstShown returns the first elements of a list, as many as a page shows.
func firstShown(list any) any { return report.Elements(list, 0, mostRows) }

// threshold returns a threshold with two digits behind the point, or more if it has more.
func threshold(x float64) string {
	if math.Abs(x*100-math.Round(x*100)) < 1e-9 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// size returns a number of bytes with a unit, on one line.
func size(n int64) string { return strings.ReplaceAll(terminal.Bytes(n), " ", "\u00a0") }

// duration returns a time in words.
func duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case seconds < 10:
		return fmt.Sprintf("%.1f seconds", seconds)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f seconds", seconds)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.1f hours", seconds/3600)
}

// A loss is what was lost of a source.
type loss struct {
	N, Of int
	Most  bool // it is nearly all
}

func lost(n, all int) loss {
	// A file of one document may well be a copy of another.
	return loss{n, all, all > 1 && float64(n) > warnings.NearlyAll*float64(all)}
}

// compared returns pairs with their differences.
func compared(list []Pair) report.Pairs {
	var pairs report.Pairs
	for _, p := range list {
		near := terminal.Similarity(p.Similarity)
		if p.Distance != nil {
			near = terminal.Plural(*p.Distance, "bit")
		}
		pair := &report.Pair{ID: p.ID, Kept: p.Kept, Nearness: near, A: p.A, B: p.B, Cut: p.Cut}
		if urls := report.Pictures(p.PictureA, p.PictureB); len(urls) == 2 {
			pair.PictureA, pair.PictureB = urls[0], urls[1]
		}
		pairs = append(pairs, pair)
	}
	return pairs.Compared()
}

// Shown are some of the files that are left out.
func (f *FileCounts) Shown() []LeftOut { return f.Named[:min(len(f.Named), f.LeftOut, 3)] }

// title returns the title of the page.
func (r *Report) title() string {
	all := terminal.Plural(r.Documents, "document")
	switch {
	case r.Documents == 0:
		return "There were no documents"
	case r.Removed == 0:
		return fmt.Sprintf("None of %s removed", all)
	}
	return fmt.Sprintf("%s of %s %s", terminal.Thousands(r.Removed), all, r.Gone())
}

// Gone returns what is said of documents that count as removed.
func (r *Report) Gone() string {
	switch r.Mode {
	case "annotate":
		return "marked"
	case "dry-run":
		return "would be removed"
	}
	return "removed"
}

// ByLoss returns the sources, first those that lost most.
func (r *Report) ByLoss() []Source {
	return slices.SortedStableFunc(slices.Values(r.Sources), func(a, b Source) int {
		return cmp.Or(cmp.Compare(b.Removed, a.Removed), cmp.Compare(b.Removed*a.Documents, a.Removed*b.Documents))
	})
}

// An other says what would have been removed at another threshold, or distance.
type other struct {
	At         string
	Removed    int
	Bar        float64
	Difference string // from what was removed, or "chosen"
}

// others returns the other thresholds, or distances.
func others(r *Report) (list []other) {
	most := 1
	add := func(at string, removed int, chosen bool) {
		difference := "the same"
		switch more := removed - r.Removed; {
		case chosen:
			difference = "chosen"
		case more > 0:
			difference = "+" + terminal.Thousands(more)
		case more < 0:
			difference = "−" + terminal.Thousands(-more)
		}
		most = max(most, removed)
		list = append(list, other{At: at, Removed: removed, Difference: difference})
	}
	for _, at := range r.Thresholds {
		add(threshold(at.Threshold), at.Removed, at.Chosen)
	}
	for _, at := range r.AtDistances {
		add(fmt.Sprint(at.K), at.Removed, at.Chosen)
	}
	for i := range list {
		list[i].Bar = report.Bar(list[i].Removed, most)
	}
	return list[:min(len(list), mostRows)]
}

// A nearness says how near removed documents are to the ones kept.
type nearness struct {
	report.Bins
	Far int // documents beyond the threshold, or k
}

// nearnessOf returns what is said of similarities, or of distances.
func nearnessOf(r *Report) *nearness {
	n := &nearness{Bins: report.Bins{Title: "How many removed documents have which similarity to the one kept", Measure: "similarity",
		Caption: "Removed documents by their similarity to the one kept."}}
	axis, line, name := report.Axis{Name: "similarity to the one kept"}, r.Threshold, "threshold "+threshold(r.Threshold)
	width := 0.01
	for _, b := range r.Histogram {
		if b.To <= r.Threshold+1e-9 && b.From < r.Threshold {
			n.Far += b.Documents
		}
		switch {
		case !n.Drawn() && b.Documents == 0 && b.To <= r.Threshold: // the drawing begins where there is something
		case b.From < b.To:
			width = b.To - b.From
			n.Add(threshold(b.From)+" to "+threshold(b.To), b.From+width/2, b.Documents)
		default: // one value, drawn as wide as the others
			n.Add(threshold(b.From), b.From+width/2, b.Documents)
		}
	}
	if r.K != nil {
		n.Title, n.Measure = "How many removed documents have which distance from the one kept", "distance"
		n.Caption = "Removed documents by the distance of their fingerprints from that of the one kept."
		axis, line, name = report.Axis{Name: "distance from the one kept, in bits", Whole: true}, float64(*r.K)+0.5, fmt.Sprintf("k = %d", *r.K)
		width = 1
		for _, d := range r.Distances {
			n.Add(terminal.Plural(d.Distance, "bit"), float64(d.Distance), d.Documents)
			if d.Distance > *r.K {
				n.Far += d.Documents
			}
		}
	}
	n.Draw(axis, "removed documents", width, name, line)
	return n
}

// title returns the title of the page.
func (c *Cuts) title() string {
	all := terminal.Plural(c.Parts, c.By)
	switch {
	case c.Parts == 0:
		return fmt.Sprintf("There were no %ss", c.By)
	case c.Cut() == 0:
		return fmt.Sprintf("None of %s cut", all)
	case c.Mode != "":
		return fmt.Sprintf("%s of %s would be cut", terminal.Thousands(c.Cut()), all)
	}
	return fmt.Sprintf("%s of %s cut", terminal.Thousands(c.Cut()), all)
}

// Cut returns how many parts were cut.
func (c *Cuts) Cut() int { return c.Exact + c.Near }

// Stay returns how many parts stay.
func (c *Cuts) Stay() int { return c.Parts - c.Cut() }

// Cut returns how many parts were cut from the source.
func (s CutSource) Cut() int { return s.Exact + s.Near }

// NotShown returns how many parts were cut that are not among the repeated ones that are shown.
func (c *Cuts) NotShown() int {
	n := c.Cut()
	for _, r := range c.Repeated[:min(len(c.Repeated), mostRows)] {
		n -= r.Times
	}
	return max(0, n)
}

// ByLoss returns the sources, first those that lost most.
func (c *Cuts) ByLoss() []CutSource {
	return slices.SortedStableFunc(slices.Values(c.Sources), func(a, b CutSource) int {
		return cmp.Or(cmp.Compare(b.CutBytes, a.CutBytes), cmp.Compare(b.Cut(), a.Cut()))
	})
}
