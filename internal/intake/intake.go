// Package intake reads the inputs of a command. It tells the user how inputs are read, which documents are
// bad, and how far the work has come.
package intake

import (
	"context"
	"errors"
	"io"
	"iter"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/progress"
)

// maxMessages is how many bad documents are reported one by one. Further ones are only counted.
const maxMessages = 20

// A Teller tells the user of a command what happens to its inputs. It is not safe for concurrent use.
type Teller struct {
	To   io.Writer          // standard error
	Line func(error) string // returns the text of an error in one line

	decided map[corpus.Decision]bool // what the user has been told
	meter   *progress.Meter          // shown now; nil if there is none
}

// An Intake reads a corpus for a command. It reports and counts bad documents, and shows progress.
type Intake struct {
	Reader *corpus.Reader
	Meter  *progress.Meter
	Bad    int  // documents that were left out
	Silent bool // about bad documents
	teller *Teller
}

// Start begins to read the documents of r, which the Intake closes, and to show progress in a mode that
// is not progress.Auto. what is the word for the work.
func (t *Teller) Start(r *corpus.Reader, mode, what string) *Intake {
	t.meter = progress.Start(t.To, mode, what, r.Progress)
	return &Intake{Reader: r, Meter: t.meter, teller: t}
}

// Documents yields the good documents. It yields an error if reading cannot go on.
func (in *Intake) Documents() iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range in.Reader.Documents() {
			if errors.As(err, new(*corpus.BadError)) && !errors.Is(err, context.Canceled) {
				in.Report(in.teller.Line(err))
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// Report reports a document that is left out.
func (in *Intake) Report(message string) {
	in.Bad++
	switch {
	case in.Silent:
	case in.Bad <= maxMessages:
		in.Meter.Print("simsearch: " + message)
	case in.Bad == maxMessages+1:
		in.Meter.Print("simsearch: more bad documents follow; they are only counted")
	}
}

// Close ends the display of progress and the reading.
func (in *Intake) Close() error {
	in.Meter.Stop()
	in.teller.meter = nil
	return in.Reader.Close()
}
