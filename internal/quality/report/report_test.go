package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
)

// reportOf returns a report with name in each of its texts.
func reportOf(name string) *Report {
	return &Report{
		Version: 1, Title: "Evaluation of " + name, First: &Table{Title: "First of " + name, Columns: []string{"id", name}, Rows: [][]any{{name, 1}}}, Verdict: &Verdict{Commands: []string{"simsearch index"}, Text: []string{"Use " + name}, Notes: []string{"Of " + name}}, Facts: []Fact{{"collection", name}}, Warnings: []string{"no document " + name},
		Sections: []*Section{{
			Name: "s", Title: "About " + name, Text: []string{"We see " + name},
			Tables: []*Table{{Title: "Of " + name, Columns: []string{"id", name}, Rows: [][]any{{name, 1}, {2.5, name}}}},
			Plots:  []*Plot{{Title: "Plot of " + name, X: Axis{Name: name}, Y: Axis{Name: name}, Series: []Series{{Name: name}}}},
			Examples: []*Examples{{Title: "Pairs of " + name, About: "About " + name, Pairs: []Example{
				{A: name, B: name, Figures: "near " + name, StartA: "x " + name, StartB: "y " + name, Remarks: []string{"see " + name}, More: 2},
				{A: name, B: "b", Figures: name, Changes: []explain.Change{{Before: "to " + name, A: "a " + name, B: "b " + name, After: "of " + name}}, More: 1},
			}}},
		}},
	}
}

// hostileNames try to become markup.
var hostileNames = []string{
	"a|b", "a | b |\n|---|---|", "`code`", "``", "x`", "a\nb", "a\r\n\r\n# heading", "\n- item", "\n\n    code", "a\u2028b\u0085c", "x  \ny",
	"![image](https://evil.example/x.png)", "[link](https://evil.example/)", "[link][1]", "\n[1]: https://evil.example/", "<https://evil.example/>", "https://evil.example/?a=b", "HTTP://evil.example", "www.evil.example", "ftp://evil.example", "<me@evil.example>",
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- ", "-->", "</title><script>", "\" onload=\"alert(1)", "' x='", "&lt;script&gt;", "&#96;", "&amp;",
	"*a*", "_a_", "**a**", "~~a~~", `\`, `\|`, "\\`", `a\`, "$x$", "$`x`$", "{{.}}", "\x1B[2J", "\u202Eabc", "]]>", "#", "1. x", "=====", "\t",
}

// The page of a report with a hostile name has the elements that it has with a plain name.
func TestPageOfHostileNames(t *testing.T) {
	page := func(name string) string {
		var b bytes.Buffer
		r := reportOf(name)
		r.Verdict.Commands = []string{"simsearch index " + name}
		if err := r.WriteHTML(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := testkit.Elements(page("plain"))
	if len(want) < 50 {
		t.Fatalf("only %d elements", len(want))
	}
	for _, name := range hostileNames {
		got := page(name)
		if !slices.Equal(testkit.Elements(got), want) {
			t.Errorf("%q is taken for a part of the page", name)
		}
		if strings.ContainsAny(got, "\x1B\u202E") {
			t.Errorf("%q keeps its control characters", name)
		}
	}
}

// Figures are as people write them.
func TestCells(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{1180.0, "1,180"}, {1234567.8, "1,234,568"}, {-4321.5, "-4,322"}, {999.7, "1,000"}, {12.0, "12"}, {0.0, "0"}, {0.12345, "0.123"}, {0.000123, "0.000123"},
		{5.35e-05, "5.4·10⁻⁵"}, {9.99e-05, "10⁻⁴"}, {1e-15, "10⁻¹⁵"}, {-2e-7, "−2·10⁻⁷"}, {math.NaN(), "–"}, {math.Inf(1), "–"}, {17964, "17,964"}, {-12, "-12"}, {"text", "text"},
	} {
		if got := Cell(tt.value); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.value, got, tt.want)
		}
	}
}

// A brief report has no more lines than it may, and says where the rest is if anything is left out; prose is wrapped,
// and commands are not.
func TestBriefReports(t *testing.T) {
	t.Parallel()
	command := "simsearch pairs " + strings.Repeat("word ", 40) + "end"
	r := &Report{Title: "Title", Verdict: &Verdict{Commands: []string{command}, Text: []string{strings.Repeat("some words ", 30)}}, Facts: []Fact{{"documents", "7"}}}
	brief := func(most int) []string {
		var b strings.Builder
		if err := r.WriteBrief(&b, most, "the rest is elsewhere"); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	whole := brief(30)
	if !slices.Contains(whole, "  "+command) || slices.Contains(whole, "the rest is elsewhere") || whole[len(whole)-1] != "  documents  7" {
		t.Errorf("%q", whole)
	}
	for _, line := range whole {
		if len(line) > column && !strings.Contains(line, command) {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	s := &Section{Title: "Section", Text: []string{"told on the page"}}
	r.Sections = []*Section{s}
	if lines := brief(30); lines[len(lines)-1] != "the rest is elsewhere" || len(lines) != len(whole)+1 {
		t.Errorf("%q", lines)
	}
	table := s.AddTable("Table", "row")
	for i := range 50 {
		table.Add(i)
	}
	for most := 1; most < 80; most++ {
		lines := brief(most)
		if len(lines) > most || lines[len(lines)-1] != "the rest is elsewhere" {
			t.Errorf("%d lines of %d: %q", len(lines), most, lines)
		}
	}
}

// What is behind the first table unfolds, and a link to it leads inside, so that a browser shows it.
func TestFoldedSections(t *testing.T) {
	r := &Report{Title: "x", Sections: []*Section{
		{Name: "first", Title: "First", Tables: []*Table{NewTable("", "k")}},
		{Name: "second", Title: "Second", Plots: []*Plot{{Title: "p"}}, Examples: []*Examples{{Pairs: make([]Example, 3)}}},
	}}
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="#first"`, `href="#second-more"`, `<div id="second-more">`, "<summary>Show 1 plot, 3 examples</summary>"} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("%s is not there once", want)
		}
	}
	if n := strings.Count(b.String(), "<details"); n != 1 {
		t.Errorf("%d sections unfold", n)
	}
}

// The label of a point stands beside it, and once where several curves have it in the same place.
func TestMarkedPoints(t *testing.T) {
	s := Series{Points: [][2]float64{{0.1, 0.5}, {0.9, 0.5}}, Labels: []string{"k = 2", "k = 3"}, Marked: "k = 3"}
	p := Plot{X: Axis{Max: 1}, Y: Axis{Max: 1}, Series: []Series{s, s}}
	var b strings.Builder
	if err := p.Write(&b); err != nil || strings.Count(b.String(), `>k = 3</text>`) != 1 || strings.Contains(b.String(), `>k = 2</text>`) {
		t.Errorf("%v\n%s", err, b.String())
	}
}
