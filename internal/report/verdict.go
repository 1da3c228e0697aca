package report

import (
	"bufio"
	"fmt"
)

// A Verdict opens a report: what to do, and what comes of it.
type Verdict struct {
	Commands []string `json:"commands,omitempty"` // to be typed, a line each
	Text     []string `json:"text"`               // what they are, what they find, and what they get wrong
	Notes    []string `json:"notes,omitempty"`    // what the figures are of
}

// verdictTitle is the heading of a verdict.
const verdictTitle = "What to use"

// text writes the verdict for a terminal.
func (v *Verdict) text(out *bufio.Writer) {
	fmt.Fprintf(out, "\n%s\n", verdictTitle)
	for _, c := range v.Commands {
		fmt.Fprintf(out, "  %s\n", c)
	}
	if len(v.Commands) > 0 {
		fmt.Fprintln(out)
	}
	for _, sentence := range v.Text {
		fmt.Fprintf(out, "  %s\n", sentence)
	}
	for _, note := range v.Notes {
		fmt.Fprintf(out, "  (%s)\n", note)
	}
	fmt.Fprintln(out)
}

// markdown writes the verdict as Markdown, below a heading.
func (v *Verdict) markdown(out *bufio.Writer, heading string) {
	fmt.Fprintf(out, "\n%s %s\n", heading, verdictTitle)
	if len(v.Commands) > 0 {
		fmt.Fprintln(out)
	}
	for _, c := range v.Commands {
		fmt.Fprintf(out, "    %s\n", c) // a block of code, in which nothing is markup
	}
	for _, paragraph := range append(append([]string{}, v.Text...), v.Notes...) {
		fmt.Fprintf(out, "\n%s\n", escapeMarkdown(paragraph))
	}
}
