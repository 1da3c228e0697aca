package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// reportOf returns a report with name in each of its texts.
func reportOf(name string) *report.Report {
	return &report.Report{
		Version: 1, Title: "Evaluation of " + name, First: &report.Table{Title: "First of " + name, Columns: []string{"id", name}, Rows: [][]any{{name, 1}}}, Verdict: &report.Verdict{Commands: []string{"simsearch index"}, Text: []string{"Use " + name}, Notes: []string{"Of " + name}}, Facts: []report.Fact{{Name: "collection", Value: name}}, Warnings: []string{"no document " + name},
		Sections: []*report.Section{{
			Name: "s", Title: "About " + name, Text: []string{"We see " + name},
			Tables: []*report.Table{{Title: "Of " + name, Columns: []string{"id", name}, Rows: [][]any{{name, 1}, {2.5, name}}}},
			Plots:  []*report.Plot{{Title: "Plot of " + name, X: report.Axis{Name: name}, Y: report.Axis{Name: name}, Series: []report.Series{{Name: name}}}},
			Examples: []*report.Examples{{Title: "Pairs of " + name, About: "About " + name, Pairs: []report.Example{
				{A: name, B: name, Figures: "near " + name, StartA: "x " + name, StartB: "y " + name, Remarks: []string{"see " + name}, More: 2},
				{A: name, B: "b", Figures: name, Changes: []explain.Change{{Before: "to " + name, A: "a " + name, B: "b " + name, After: "of " + name}}, More: 1},
			}}},
		}},
	}
}

// hostileNames try to become markup of HTML or Markdown.
var hostileNames = []string{
	"a|b", "a | b |\n|---|---|", "`code`", "``", "x`", "a\nb", "a\r\n\r\n# heading", "\n- item", "\n\n    code", "a\u2028b\u0085c", "x  \ny",
	"![image](https://evil.example/x.png)", "[link](https://evil.example/)", "[link][1]", "\n[1]: https://evil.example/", "<https://evil.example/>", "https://evil.example/?a=b", "HTTP://evil.example", "www.evil.example", "ftp://evil.example", "<me@evil.example>",
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- ", "-->", "</title><script>", "\" onload=\"alert(1)", "' x='", "&lt;script&gt;", "&#96;", "&amp;",
	"*a*", "_a_", "**a**", "~~a~~", `\`, `\|`, "\\`", `a\`, "$x$", "$`x`$", "{{.}}", "\x1B[2J", "\u202Eabc", "]]>", "#", "1. x", "=====", "\t",
}

// activeMarkdown returns the markup in a page, in order: characters that are not escaped, and the
// beginnings of bare addresses that GitHub's dialect turns into links.
func activeMarkdown(page string) []string {
	plain := regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]|&lt;|&amp;").ReplaceAllString(page, "")
	return regexp.MustCompile("[`*_\\[\\]<|~$\\\\]|&[a-zA-Z#0-9]+;|://|(?i:www\\.)|[\\x00-\\x09\\x0b-\\x1f\\x7f\u0080-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]").FindAllString(plain, -1)
}

// The Markdown of a report with a hostile name has the lines and the markup that it has with a plain
// name.
func TestMarkdownOfHostileNames(t *testing.T) {
	markdown := func(name string) string {
		var b bytes.Buffer
		if err := Write(&b, reportOf(name), 1, PlotName); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := markdown("plain")
	for _, name := range hostileNames {
		got := markdown(name)
		if strings.Count(got, "\n") != strings.Count(want, "\n") {
			t.Errorf("%q makes %d lines of %d", name, strings.Count(got, "\n"), strings.Count(want, "\n"))
		}
		if active := activeMarkdown(got); !slices.Equal(active, activeMarkdown(want)) {
			t.Errorf("%q is taken for markup: %q\n%s", name, active, got)
		}
	}
}
