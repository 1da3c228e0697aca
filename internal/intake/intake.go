// Package intake reads the inputs of a command. It tells the user how inputs are read, which documents are
// bad, and how far the work has come.
package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/terminal"
)

// maxMessages is how many bad documents are reported one by one, and maxAlike how many successive ones of
// a file that are bad in the same way. Further ones are only counted.
const maxMessages, maxAlike = 20, 3

// A Teller tells the user of a command what happens to its inputs. It is not safe for concurrent use.
type Teller struct {
	To   io.Writer          // standard error
	Line func(error) string // returns the text of an error in one line

	decided map[corpus.Decision]bool // what the user has been told
	meter   *terminal.Meter          // shown now; nil if there is none
}

// An Intake reads a corpus for a command. It reports and counts bad documents, and shows progress.
type Intake struct {
	Reader *corpus.Reader
	Meter  *terminal.Meter
	Bad    int  // documents that were left out
	Silent bool // about bad documents
	// Failed, if not nil, is called with each document or file that cannot be read.
	Failed func(*corpus.BadError)
	teller *Teller

	told  int // bad documents that were reported
	last  fault
	alike int // successive documents with the last fault
}

// A fault is what is wrong in a file.
type fault struct{ path, what string }

// Start begins to read the documents of r, which the Intake closes, and to show progress in a mode that
// is not terminal.Auto. what is the word for the work.
func (t *Teller) Start(r *corpus.Reader, mode, what string) *Intake {
	t.meter = terminal.StartMeter(t.To, mode, what, r.Progress)
	return &Intake{Reader: r, Meter: t.meter, teller: t}
}

// Documents yields the good documents. It yields an error if reading cannot go on.
func (in *Intake) Documents() iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		defer in.reportAlike()
		for doc, err := range in.Reader.Documents() {
			if bad := (*corpus.BadError)(nil); errors.As(err, &bad) && !errors.Is(err, context.Canceled) {
				if in.Failed != nil {
					in.Failed(bad)
				}
				in.reportBad(fault{bad.Path, bad.Err.Error()}, err)
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// reportBad reports a document that is bad, unless several before it were so in the same way.
func (in *Intake) reportBad(f fault, err error) {
	if f != in.last {
		in.reportAlike()
		in.last = f
	}
	if in.alike++; in.alike > maxAlike {
		in.Bad++
		return
	}
	in.Report(in.teller.Line(err))
}

// reportAlike says how many documents were bad like the last that was reported, and begins anew.
func (in *Intake) reportAlike() {
	if more := in.alike - maxAlike; more > 0 && !in.Silent && in.told <= maxMessages {
		in.Meter.Print(fmt.Sprintf("simsearch: %s: %s: %s", terminal.Plain(in.last.path), terminal.Plural(more, "more record"), terminal.Plain(in.last.what)))
	}
	in.last, in.alike = fault{}, 0
}

// Report reports a document that is left out.
func (in *Intake) Report(message string) {
	in.Bad++
	if in.Silent {
		return
	}
	switch in.told++; {
	case in.told <= maxMessages:
		in.Meter.Print("simsearch: " + message)
	case in.told == maxMessages+1:
		in.Meter.Print("simsearch: more bad documents follow; they are only counted")
	}
}

// Close ends the display of progress and the reading.
func (in *Intake) Close() error {
	in.Meter.Stop()
	in.teller.meter = nil
	return in.Reader.Close()
}
