// Package results prints what commands have found or done: as texts for people, and as JSON where an
// answer is more than columns.
package results

import (
	"fmt"
	"time"

	"simsearch/index"
	"simsearch/internal/progress"
	"simsearch/internal/terminal"
)

// Indexed is what has become of the documents that were read for an index.
type Indexed struct {
	index.Result
	Bad         int // documents that could not be read or were refused
	Binary      int // files passed over
	Convertible int // of these, PDFs and the like
	Bytes       int64
	Learning    time.Duration // 0 if nothing was learnt
	Indexing    time.Duration
}

// String returns a line about it.
func (r Indexed) String() string {
	text := fmt.Sprintf("added %s from %s in %v", terminal.Plural(r.Added, "document"), progress.Bytes(r.Bytes), rounded(r.Indexing))
	if r.Learning > 0 {
		text += fmt.Sprintf(", after %v of learning", rounded(r.Learning))
	}
	for _, also := range []struct {
		n    int
		text string
	}{
		{r.Empty, "%s of them without features, near nothing"},
		{r.Unchanged, "%s unchanged"},
		{r.Bad, "%s bad and left out"},
	} {
		if also.n > 0 {
			text += "; " + fmt.Sprintf(also.text, terminal.Thousands(also.n))
		}
	}
	if r.Binary > 0 {
		text += "; " + PassedOver(r.Binary, r.Convertible)
	}
	return text
}

// PassedOver says that binary files were passed over, so many of which a converter could make texts of.
func PassedOver(files, convertible int) string {
	text := terminal.Plural(files, "binary file") + " passed over"
	if convertible > 0 {
		text += fmt.Sprintf(" (%s of them PDFs or archives: a converter such as pdftotext finds their texts)", terminal.Thousands(convertible))
	}
	return text
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
