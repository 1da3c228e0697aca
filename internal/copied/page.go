package copied

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

//go:embed page.html.tmpl
var pageSource string

var pages = report.Templates(pageSource, template.FuncMap{
	"first": func(list any) any { return report.Elements(list, 0, mostRows) },
	"width": func(x float64) float64 { return 100 * x },
	"value": func(f report.Fact) any { return f.Value },
})

const (
	mostRows  = 200     // pairs, groups and submissions that a page has of each
	mostShown = 100     // pairs with their texts
	mostBytes = 8 << 20 // of texts on a page, about
)

// A view is what a page shows.
type view struct {
	*Report
	Shown []shown
}

// Found returns how many submissions share passages.
func (v *view) Found() (n int) {
	for _, g := range v.Groups {
		n += len(g)
	}
	return n
}

// Half returns how many submissions others have half of, or more.
func (v *view) Half() (n int) {
	for _, s := range v.Submissions {
		if s.Share >= .5 {
			n++
		}
	}
	return n
}

// Part and Alone return how many submissions others have less of, and how many share nothing.
func (v *view) Part() int  { return v.Found() - v.Half() }
func (v *view) Alone() int { return len(v.Submissions) - v.Found() }

// HasBase reports whether the base has words of a submission.
func (v *view) HasBase() bool {
	return slices.ContainsFunc(v.Submissions, func(s Submission) bool { return s.Base > 0 })
}

// Rows returns the pairs that are listed.
func (v *view) Rows() []pairRow {
	rows := make([]pairRow, min(mostRows, len(v.Pairs)))
	for i := range rows {
		rows[i].Pair = &v.Pairs[i]
		if i < len(v.Shown) {
			rows[i].Number = i + 1
		}
	}
	return rows
}

// A pairRow is a row of the list of pairs. The number is that of its texts, or 0.
type pairRow struct {
	*Pair
	Number int
}

// A shown is a pair with its texts side by side.
type shown struct {
	*Pair
	Number, Previous, Next int // 0: there is none
	Sides                  []report.Side
}

// writeHTML writes the report as one page that needs no other file and no network.
func (j *job) writeHTML(w io.Writer) error {
	v := view{Report: &j.report}
	bytes := 0
	for i := range j.report.Pairs[:min(mostShown, len(j.report.Pairs))] {
		if j.Context.Err() != nil {
			break // what has called tells
		}
		s := j.show(&j.report.Pairs[i])
		if s.Number = i + 1; i > 0 {
			s.Previous, v.Shown[i-1].Next = i, i+1
		}
		v.Shown = append(v.Shown, s)
		if bytes += s.bytes(); bytes > mostBytes {
			break
		}
	}
	v = report.Harmless(v)
	return pages().ExecuteTemplate(w, "copied", &report.Page{Command: "simsearch pairs --passages", Title: v.title(), Script: true, Of: &v,
		Foot: "report.json has these figures for programs, and pairs.jsonl all pairs with their passages."})
}

// title returns the title of the page.
func (v *view) title() string {
	if v.Shared == 0 {
		return fmt.Sprintf("None of %s share passages", terminal.Plural(len(v.Submissions), "submission"))
	}
	return fmt.Sprintf("%s of %s share passages", terminal.Thousands(v.Found()), terminal.Plural(len(v.Submissions), "submission"))
}

func (s *shown) bytes() (n int) {
	for _, side := range s.Sides {
		for _, d := range side.Documents {
			for _, p := range d.Parts {
				n += len(p.Text)
			}
		}
	}
	return n
}

// unmarkBase takes what the base has out of the passages of a text.
func (t *text) unmarkBase(m *report.Marked) {
	for from := 0; from < len(t.base); from++ {
		to := from
		for to < len(t.base) && t.base[to] {
			to++
		}
		if to > from {
			start, end := t.Bytes(from, to)
			m.Unmark([2]int{start, end})
			from = to
		}
	}
}

// show returns a pair with its texts.
func (j *job) show(p *Pair) (s shown) {
	s.Pair = p
	s.Sides = []report.Side{{Class: "a", Name: p.A, Share: p.AShare}, {Class: "b", Name: p.B, Share: p.BShare}}
	marks := [2]map[int]*report.Marked{{}, {}}
	for n, x := range p.Passages {
		spans, at := [2][2]int{x.A, x.B}, p.texts[n]
		for i := range marks {
			text := j.texts[at[i]].Raw
			if marks[i][at[i]] == nil {
				marks[i][at[i]] = report.NewMarked(text)
			}
		}
		report.MarkBoth(marks[0][at[0]], marks[1][at[1]], n+1, spans[0], spans[1])
	}
	for i, unit := range []int{p.a, p.b} {
		long := 0
		for at := range marks[i] {
			long += len(j.texts[at].Raw)
		}
		for _, at := range j.units[unit].texts {
			if m := marks[i][at]; m != nil {
				j.texts[at].unmarkBase(m)
				s.Sides[i].Documents = append(s.Sides[i].Documents, report.ShownText{ID: j.texts[at].id, Parts: m.Parts(long > report.TextBytes)})
			}
		}
	}
	return s
}
