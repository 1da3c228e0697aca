package main

import (
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/seen"
	"simsearch/internal/terminal"
)

// A passing passes the records of an input through, unchanged: those that are new, or the others. A record
// is new if nothing in the index is near it, and no new record before it.
type passing struct {
	*search
	before  *seen.Records // the new records so far
	writer  *index.Writer // adds the new ones; nil if they are not added
	records intake.Unanswered[intake.Passed]
	header  string // of the last table that a row has passed of
	fresh   int    // records that are new
}

// pass passes the inputs through.
func (s *search) pass() (err error) {
	p := &passing{search: s, before: newRecords(s.near.Predicate, s.ix.Settings())}
	var in *intake.Intake
	if s.Add.Value {
		how := options.ForIndex(s.Common, s.ix.Search())
		how.OnConflict = index.Refuse
		how.Refused = func(id []byte, why string) { in.Report(fmt.Sprintf("%s: %s", terminal.Plain(string(id)), why)) }
		if p.writer, err = index.OpenWriter(s.Index.Value, s.ix.Settings(), how); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.writer.Close()) }()
		// Another writer may have added documents before this one has got the lock.
		if s.ix, err = index.Open(s.Index.Value); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.ix.Close()) }()
	}
	r, err := p.open()
	if err != nil {
		return err
	}
	s.how.Limit = 1 // one match is enough
	waiting := s.expectWaiting()
	if waiting {
		s.how.Batch = 1
	}
	in = s.inputs().Start(r, s.Common.Progress, "searching")
	err = s.ix.NearAll(s.Context, p.records.Keep(intake.OfKind(in.Documents(), s.ix.Input(), s.ByDistance()), intake.PassedOf(r)), s.how, func(a index.Answer) error {
		err := p.decide(a)
		if waiting && err == nil {
			err = s.stdout.Flush()
		}
		return err
	})
	if err == nil {
		err = p.add(in)
	}
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	added := ""
	if p.writer != nil {
		added = ", and added to the index"
	}
	s.tell("%s of %s new%s; %s near others", terminal.Thousands(p.fresh), terminal.Plural(s.queries, "record"), added, terminal.Thousands(s.queries-p.fresh))
	return s.badDocuments(in)
}

// open opens the inputs, with records as they stand in the files.
func (p *passing) open() (*corpus.Reader, error) {
	bits, raw := p.ix.Settings().Bits, func(how *corpus.Options) { how.Raw = true }
	if p.writer == nil {
		return p.openCorpus(bits, raw)
	}
	r, err := p.openDocuments(bits, raw)
	if err == nil {
		if err = p.keepPrivate(r.Private()); err != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return r, err
}

// decide decides about the next record by the answer of the index.
func (p *passing) decide(a index.Answer) error {
	p.queries++
	record := p.records.Next()
	isNew := len(a.Matches) == 0
	if isNew && !a.Empty { // an empty record is near nothing
		if isNew = !p.before.Near(a.Result.Fingerprint, a.Result.Set); isNew {
			p.before.Add(a.Result.Fingerprint, a.Result.Set)
		}
	}
	if isNew {
		p.fresh++
		if p.writer != nil {
			if err := p.writer.Add(a.Result); err != nil {
				return err
			}
		}
	}
	if isNew == p.Matched.Value {
		return nil
	}
	p.out.Printed()
	if record.Header != "" && record.Header != p.header { // once for tables that continue each other
		p.header = record.Header
		if _, err := p.stdout.WriteString(record.Header); err != nil {
			return err
		}
	}
	_, err := p.stdout.Write(record.Record)
	return err
}

// add makes what is new a part of the index, when all of it has been printed.
func (p *passing) add(in *intake.Intake) error {
	if p.writer == nil {
		return nil
	}
	if err := p.stdout.Flush(); err != nil {
		return err
	}
	in.Meter.Phase("adding")
	_, err := p.writer.Commit(p.Context)
	return err
}

// newRecords returns what remembers the records that are new, by what is near.
func newRecords(p index.Predicate, s analysis.Settings) *seen.Records {
	by := seen.ByFingerprints
	switch {
	case p.Both:
		by = seen.ByBoth
	case p.BySets():
		by = seen.BySets
	}
	return seen.New(by, p.Distance, s.Bits, p.Threshold)
}
