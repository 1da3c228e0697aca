package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/progress"
)

// maxMessages is how many bad documents are reported one by one; the rest is
// counted.
const maxMessages = 20

// An intake reads a corpus for a command: it reports bad documents, counts, and
// shows progress.
type intake struct {
	r      *corpus.Reader
	meter  *progress.Meter
	bad    int
	silent bool // about bad documents
}

func (env *environment) newIntake(r *corpus.Reader, o common, what string) *intake {
	return &intake{r: r, meter: progress.Start(env.stderr, o.progress, what, r.Progress)}
}

// documents yields the good documents, and the error that makes going on senseless.
func (in *intake) documents() iter.Seq2[*corpus.Document, error] {
	return func(yield func(*corpus.Document, error) bool) {
		var doc corpus.Document
		for {
			err := in.r.Next(&doc)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err == nil:
				if !yield(&doc, nil) {
					return
				}
			case errors.Is(err, context.Canceled): // no bad document, but no more of them
				yield(nil, err)
				return
			case errors.As(err, new(*corpus.BadError)):
				in.report(oneLine(err))
			default:
				yield(nil, err)
				return
			}
		}
	}
}

// forIndex yields the documents as package index takes them, each valid until the next.
func (in *intake) forIndex() iter.Seq2[*index.Document, error] {
	return func(yield func(*index.Document, error) bool) {
		var d index.Document
		for doc, err := range in.documents() {
			if err != nil {
				yield(nil, err)
				return
			}
			d = index.Document{ID: doc.ID, Text: doc.Text, Fingerprint: doc.Fingerprint, HasFingerprint: doc.HasFingerprint}
			if !yield(&d, nil) {
				return
			}
		}
	}
}

// report tells of one document that is left out.
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

// result returns the error that a command with bad documents ends with.
func (in *intake) result(skipBad bool) error {
	if in.bad == 0 || skipBad {
		return nil
	}
	return errReported
}

// close ends the progress and the reading.
func (in *intake) close() error {
	in.meter.Stop()
	return in.r.Close()
}

// plural returns "1 document" or "2 documents" with thousands parted.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
