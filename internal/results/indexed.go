// Package results prints what commands have found or done: as texts for people, and as JSON where an
// answer is more than columns.
package results

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// Indexed is what has become of the documents that were read for an index.
type Indexed struct {
	index.Result
	Bad      int // documents that could not be read or were refused
	Passed   Passed
	Bytes    int64
	Learning time.Duration // 0 if nothing was learnt
	Indexing time.Duration
}

// String returns a line about it.
func (r Indexed) String() string {
	text := "added " + terminal.Plural(r.Added, "document")
	if r.Replaced > 0 {
		text += " and replaced " + terminal.Thousands(r.Replaced)
	}
	text += fmt.Sprintf(" from %s in %v", terminal.Bytes(r.Bytes), rounded(r.Indexing))
	if r.Learning > 0 {
		text += fmt.Sprintf(", after %v of learning", rounded(r.Learning))
	}
	empty := "%s of them without features, near nothing"
	if r.Passed.OfPictures {
		empty = "%s of them of one colour, near nothing"
	}
	for _, also := range []struct {
		n    int
		text string
	}{
		{r.Empty, empty},
		{r.Unchanged, "%s unchanged"},
		{r.Deleted, "%s deleted"},
		{r.Skipped, "%s skipped, whose ids stand for other texts"},
		{r.Bad, "%s bad and left out"},
	} {
		if also.n > 0 {
			text += "; " + fmt.Sprintf(also.text, terminal.Thousands(also.n))
		}
	}
	if r.Passed.Any() {
		text += "; " + r.Passed.String()
	}
	return text
}

// Passed are the files that were passed over, because they cannot be what is read.
type Passed struct {
	Files       int
	Convertible int  // of these, PDFs and the like
	Pictures    int  // of these, pictures
	OfPictures  bool // pictures are read, and these are none
	Irregular   int  // pipes, sockets and devices, which are not among Files
	Links       int  // symbolic links, which are not, either
}

// PassedOf returns what r has passed over. ofPictures says that r reads pictures.
func PassedOf(r *corpus.Reader, ofPictures bool) Passed {
	p := Passed{Files: r.Binary(), Convertible: r.Convertible(), Pictures: r.Pictures(), OfPictures: ofPictures}
	for _, left := range r.LeftOut() {
		switch {
		case errors.Is(left.Why, corpus.ErrIrregular):
			p.Irregular++
		case errors.Is(left.Why, corpus.ErrLink):
			p.Links++
		}
	}
	return p
}

// Any reports whether anything was passed over.
func (p Passed) Any() bool { return p.Files+p.Irregular+p.Links > 0 }

// String says how many there are, and what can be done.
func (p Passed) String() string {
	var all []string
	if p.Files > 0 {
		all = append(all, p.files())
	}
	if p.Links > 0 {
		all = append(all, terminal.Plural(p.Links, "symbolic link")+" passed over")
	}
	if p.Irregular > 0 {
		all = append(all, terminal.Plural(p.Irregular, "special file")+" passed over")
	}
	return strings.Join(all, "; ")
}

// files says how many files there are.
func (p Passed) files() string {
	if p.OfPictures {
		return terminal.Plural(p.Files, "file") + " passed over, no pictures by their names"
	}
	var kinds []string
	if p.Pictures == 1 {
		kinds = append(kinds, "1 is a picture, which --format image makes a hash of")
	} else if p.Pictures > 1 {
		kinds = append(kinds, terminal.Thousands(p.Pictures)+" are pictures, which --format image makes hashes of")
	}
	if p.Convertible == 1 {
		kinds = append(kinds, "1 is a PDF or an archive, whose text a converter such as pdftotext finds")
	} else if p.Convertible > 1 {
		kinds = append(kinds, terminal.Thousands(p.Convertible)+" are PDFs or archives, whose texts a converter such as pdftotext finds")
	}
	text := terminal.Plural(p.Files, "binary file") + " passed over"
	if len(kinds) > 0 {
		text += ": " + strings.Join(kinds, ", and ")
	}
	return text
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
