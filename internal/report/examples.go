package report

import (
	"slices"

	"simsearch/internal/explain"
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
func (e *Example) Notes() []string { return Notes(e.Remarks, e.More) }

// Notes are remarks on two texts, and how many changes are left out, unless it is 0.
func Notes(remarks []string, more int) []string {
	if more > 0 {
		remarks = append(slices.Clip(remarks), terminal.Plural(more, "more difference")+".")
	}
	return remarks
}
