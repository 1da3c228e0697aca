package report

import (
	"slices"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/explain"
)

// Examples are pairs of texts to look at, with a title.
type Examples struct {
	Title string    `json:"title"`
	About string    `json:"about"` // a sentence or two
	Pairs []Example `json:"pairs"`
}

// An Example is two texts: their ids, what is known of the pair, how each begins, and where they differ.
type Example struct {
	A       string           `json:"a"`
	B       string           `json:"b"`
	Figures string           `json:"figures"`
	StartA  string           `json:"start_a"`
	StartB  string           `json:"start_b"`
	Changes []explain.Change `json:"changes,omitempty"` // places where the texts differ
	Remarks []string         `json:"remarks,omitempty"`
	More    int              `json:"more,omitempty"` // changes that are left out
}

// Notes are the remarks of a pair, and how many changes are left out.
func (e *Example) Notes() []string {
	if e.More > 0 {
		return append(slices.Clip(e.Remarks), terminal.Plural(e.More, "more difference")+".")
	}
	return e.Remarks
}

// HTML returns the examples one after the other.
func (e *Examples) HTML() HTML {
	var b Builder
	b.Add("<h3>%s</h3>\n%s", e.Title, If(e.About != "", H("<p>%s</p>\n", e.About)))
	for _, p := range e.Pairs {
		texts := changesOf(p.Changes)
		if texts == "" {
			texts = besides("", p.StartA, p.StartB)
		}
		b.Add(`<article class="example"><h4><bdi>%s</bdi> <span aria-hidden="true">·</span><span class="said"> and </span>
<bdi>%s</bdi></h4><p class="notes">%s</p>
%s%s</article>
`, Path(p.A), Path(p.B), p.Figures, texts, Each("<p class=\"remark\">%s</p>", p.Notes()))
	}
	return b.HTML()
}

// changesOf returns the places where two texts differ.
func changesOf(changes []explain.Change) HTML {
	var list Builder
	for _, c := range changes {
		list.Add("<li>%s %s%s%s</li>", c.Before, If(c.A != "", H("<del>%s</del> ", c.A)),
			If(c.B != "", H("<ins>%s</ins> ", c.B)), c.After)
	}
	return If(list.Len() > 0, H("<ul class=\"passages\">%s</ul>\n", list.HTML()))
}
