package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/show"
	"simsearch/internal/terminal"
)

// Examples are pairs of texts to look at, with a title.
type Examples struct {
	Title string    `json:"title"`
	About string    `json:"about"` // a sentence or two
	Pairs []Example `json:"pairs"`
}

// An Example is two texts: their ids, what is known of the pair, how each begins, and where they differ.
type Example struct {
	A       string        `json:"a"`
	B       string        `json:"b"`
	Figures string        `json:"figures"`
	StartA  string        `json:"start_a"`
	StartB  string        `json:"start_b"`
	Changes []show.Change `json:"changes,omitempty"` // places where the texts differ
	Remarks []string      `json:"remarks,omitempty"`
	More    int           `json:"more,omitempty"` // changes that are left out
}

// Notes are the remarks of a pair, and how many changes are left out.
func (e *Example) Notes() []string { return Notes(e.Remarks, e.More) }

// Notes are remarks on two texts, and how many changes are left out, unless it is 0.
func Notes(remarks []string, more int) []string {
	if more > 0 {
		remarks = append(slices.Clip(remarks), terminal.Plural(more, "more difference")+".")
	}
	return remarks
}

// text writes the pairs for a terminal.
func (e *Examples) text(out *bufio.Writer) {
	fmt.Fprintf(out, "\n%s\n", e.Title)
	if e.About != "" {
		fmt.Fprintf(out, "  %s\n", e.About)
	}
	for _, p := range e.Pairs {
		fmt.Fprintf(out, "\n  %s · %s\n    %s\n", p.A, p.B, p.Figures)
		if len(p.Changes) == 0 {
			fmt.Fprintf(out, "    A %s\n    B %s\n", p.StartA, p.StartB)
		}
		for _, c := range p.Changes {
			fmt.Fprintf(out, "    %s\n", strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", c.Before, bracketed("-", c.A), bracketed("+", c.B), c.After)), " "))
		}
		for _, note := range p.Notes() {
			fmt.Fprintf(out, "    %s\n", note)
		}
	}
}

// bracketed marks what one text has, if it has something.
func bracketed(sign, text string) string {
	if text == "" {
		return ""
	}
	return "[" + sign + text + sign + "]"
}

// markdown writes the pairs as Markdown.
func (e *Examples) markdown(out *bufio.Writer) {
	fmt.Fprintf(out, "\n**%s**\n", escapeMarkdown(e.Title))
	if e.About != "" {
		fmt.Fprintf(out, "\n%s\n", escapeMarkdown(e.About))
	}
	for _, p := range e.Pairs {
		fmt.Fprintf(out, "\n- %s · %s: %s\n", escapeMarkdown(p.A), escapeMarkdown(p.B), escapeMarkdown(p.Figures))
		if len(p.Changes) == 0 {
			fmt.Fprintf(out, "  - A: %s\n  - B: %s\n", escapeMarkdown(p.StartA), escapeMarkdown(p.StartB))
		}
		for _, c := range p.Changes {
			line := []string{escapeMarkdown(c.Before)}
			if c.A != "" {
				line = append(line, "~~"+escapeMarkdown(c.A)+"~~")
			}
			if c.B != "" {
				line = append(line, "**"+escapeMarkdown(c.B)+"**")
			}
			fmt.Fprintf(out, "  - %s\n", strings.TrimSpace(strings.Join(append(line, escapeMarkdown(c.After)), " ")))
		}
		for _, note := range p.Notes() {
			fmt.Fprintf(out, "  - %s\n", escapeMarkdown(note))
		}
	}
}
