package main

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/index"
)

// runQuotes answers the queries of near --passages, or prints the pairs of pairs --passages.
func runQuotes(q *question) error {
	base, many, err := q.Base()
	if err == nil && many > 0 {
		err = fmt.Errorf("--boilerplate %v: a share or a number of documents is for pairs --passages of files, and for serve", many)
	}
	if err != nil {
		return err
	}
	o := index.QuoteOptions{Bounds: q.Bounds(), Where: q.where, Limit: q.Limit.Value, Threads: q.Threads.Value}
	sources, err := intake.OpenSources(q.Context, q.ix)
	if err != nil {
		return err
	}
	defer sources.Close()  //nolint:errcheck // it was read only
	var reading sync.Mutex // of sources, which are read by one goroutine at a time
	o.Text = func(doc uint32) (string, error) {
		if q.ix.Keep() == index.KeepSource {
			reading.Lock()
			defer reading.Unlock()
		}
		return q.ix.Text(doc, &sources)
	}
	o.Reading = func() {
		q.say("simsearch: the index was made without --passages, so that all its texts are read first")
	}
	for _, b := range base {
		o.Base = append(o.Base, b.Text)
	}
	s, err := results.NewQuoting(q.ix, o, q.rows())
	if err != nil {
		return err
	}
	s.Show, s.Style = q.Show.Value, q.style()
	switch {
	case q.Command.Name == "pairs":
		meter := q.startMeter("pairing", nil)
		err = s.Pairs(q.Context, meter.Parts)
		meter.Stop()
	case q.Text.Given:
		err = s.Answer(q.Context, "text", []byte(q.Text.Value), nil)
	case q.ID.Given:
		var doc uint32
		var text string
		if doc, err = results.Named(q.ix, q.ID.Value); err == nil {
			text, err = o.Text(doc)
		}
		if err == nil {
			err = s.Answer(q.Context, q.ID.Value, []byte(text), func(other uint32) bool { return other == doc })
		}
	default:
		err = q.quotedFiles(s)
	}
	if err != nil {
		return err
	}
	for _, line := range s.Remarks(q.ExplainPlan.Value) {
		q.warn("%s", line)
	}
	return end(s.Rows)
}

// quotedFiles answers each document of the query files.
func (q *question) quotedFiles(s *results.Quoting) error {
	r, err := q.openCorpus(q.ix.Settings().Bits)
	if err != nil {
		return err
	}
	in := q.startReading(r, "searching")
	err = in.End(s.AnswerAll(q.Context, in.Documents(), q.own(r)))
	if told := results.PassedOf(r, false).Beside(in.Bad); told != "" && err == nil {
		q.tell("%s", strings.TrimPrefix(told, "; "))
	}
	return cmp.Or(err, q.badDocuments(in.Bad))
}
