package main

import (
	"context"
	"errors"
	"iter"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/progress"
)

// maxMessages is how many bad documents are reported one by one. Further ones are only counted.
const maxMessages = 20

// An intake reads a corpus for a command. It reports bad documents, counts documents and shows
// progress.
type intake struct {
	r      *corpus.Reader
	meter  *progress.Meter
	bad    int
	silent bool // about bad documents
	env    *environment
}

func (env *environment) newIntake(r *corpus.Reader, o common, what string) *intake {
	env.meter = progress.Start(env.stderr, o.progress, what, r.Progress)
	return &intake{r: r, meter: env.meter, env: env}
}

// documents yields the good documents. It yields an error if reading cannot go on.
func (in *intake) documents() iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range in.r.Documents() {
			if errors.As(err, new(*corpus.BadError)) && !errors.Is(err, context.Canceled) {
				in.report(oneLine(err))
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// report reports a document that is left out.
func (in *intake) report(message string) {
	in.bad++
	switch {
	case in.silent:
	case in.bad <= maxMessages:
		in.meter.Print("simsearch: " + message)
	case in.bad == maxMessages+1:
		in.meter.Print("simsearch: more bad documents follow; they are only counted")
	}
}

// result returns the error of a command that has met bad documents.
func (in *intake) result(skipBad bool) error {
	if in.bad == 0 || skipBad {
		return nil
	}
	return errReported
}

// close ends the progress display and the reading.
func (in *intake) close() error {
	in.meter.Stop()
	in.env.meter = nil
	return in.r.Close()
}
