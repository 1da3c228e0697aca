package main

import (
	"fmt"

	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/show"
	"simsearch/internal/terminal"
)

// shownChanges is how many differences of two texts are shown.
const shownChanges = 5

// style returns how differences are printed on standard output.
func (env *environment) style() show.Style {
	return show.Style{Colours: env.outIsTerminal && terminal.Colours(), Columns: env.columns, Indent: "    "}
}

// shower returns what shows the documents of an index if --show is given, and nil otherwise. It returns an
// error if the index keeps no texts. The caller closes it.
func (env *environment) shower(c *options.Flags, ix *index.Snapshot) (*results.Shower, error) {
	if !c.Show.Value {
		return nil, nil
	}
	if ix.Settings().Image != 0 {
		return &results.Shower{Texts: intake.OpenPictures(ix), Style: env.style(), TitlesAlone: true}, nil
	}
	texts, err := intake.OpenTexts(c.Context, ix)
	if err != nil {
		return nil, err
	}
	return &results.Shower{Texts: texts, Style: env.style(), Limit: shownChanges}, nil
}

// tellEstimated says that some cosines are estimates.
func (env *environment) tellEstimated(n int) {
	if n > 0 {
		fmt.Fprintf(env.stderr, "simsearch: %s from the distance of fingerprints, since there is no text to verify it; index --keep text or source keeps one\n", terminal.Plural(n, "estimated cosine"))
	}
}
