package review

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/quality/report"
)

// A Sample is what a person is asked about. All of its pairs are asked about.
type Sample struct {
	Population
	Command string // that writes the page, such as "simsearch dedup"
	Pairs   report.Pairs
}

var (
	//go:embed page.js
	pageScript string
	// MarksScript is the part of the script that takes marks of report.Pairs that are asked about, keeps them, and
	// saves files.
	//go:embed marks.js
	MarksScript string
)

// Key identifies the sample: a page keeps the marks of each apart.
func (s *Sample) Key() string {
	h := murmur3.New64()
	fmt.Fprintf(h, "%+v", s.Population)
	for _, p := range s.Pairs {
		fmt.Fprintf(h, "%q %q ", p.ID, p.Kept)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// WriteHTML writes the page. It needs no other file and no network, keeps marks in the browser, and saves them in a
// file that ReadMarks reads. What ids and texts have of markup and control characters is shown and has no effect.
// The error is that of w.
func (s *Sample) WriteHTML(w io.Writer) error {
	of, err := json.Marshal(&s.Population)
	if err != nil {
		return err
	}
	for _, p := range s.Pairs {
		p.Asked = true
	}
	page := report.Page{Command: s.Command, Title: fmt.Sprintf("Are these %s right?", s.What), Script: true,
		More:     MarksScript + pageScript,
		Pictures: slices.ContainsFunc(s.Pairs, func(p *report.Pair) bool { return p.PictureA != "" })}
	page.Lead = report.P("verdict",
		"These are %s of %s %s, drawn from all similarities. Mark each: is it right that one of the two documents stands for both?",
		len(s.Pairs), s.All(), s.What) +
		report.If(s.Same > 0, report.P("notes", "%s of all have the same text: they are right, and none of them is here.",
			s.Same)) +
		report.P("notes keys", `Keys: <kbd>y</kbd> right, <kbd>n</kbd> wrong, <kbd>u</kbd> unsure, <kbd>x</kbd> no mark,
<kbd>←</kbd> and <kbd>→</kbd> the pair before and after. This browser keeps the marks; save them in a file, and
<code>simsearch dedup --from FILE</code> says the same as this page%s.`, report.If(s.Command == "simsearch dedup",
			", and with the flags and files of the run its report does, too")) +
		report.H(`<noscript><p class="warning">Marks need the script of this page, which does not run.</p></noscript>
<h2 class="said">Pairs</h2>
<div id="review" data-of="%s" data-key="%s">
%s</div>
<section class="reviewed" id="reviewed" aria-label="Marks" tabindex="-1" hidden>
<progress max="%s" value="0" aria-label="marked"></progress>
<p role="status"></p>
<p class="marks"><button type="button" id="save">Save marks</button> <button type="button" id="load">Load marks</button>
<button type="button" id="clear">Clear</button></p>
<input type="file" id="file" accept=".json,application/json" aria-label="a file of marks" hidden>
</section>
`, string(of), s.Key(), s.Pairs.HTML(), fmt.Sprint(len(s.Pairs)))
	return page.Write(w)
}
