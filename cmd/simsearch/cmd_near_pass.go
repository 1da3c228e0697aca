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
	env     *environment
	matched bool          // pass the others
	before  *seen.Records // the new records so far
	writer  *index.Writer // adds the new ones; nil if they are not added
	records intake.Unanswered[intake.Passed]
	header  string // of the last table that a row has passed of
	fresh   int    // records that are new
}

// runPass passes the inputs through as the flags of c say.
func (env *environment) runPass(c *options.Flags, s *search) (err error) {
	p := &passing{search: s, env: env, matched: c.Matched.Value, before: newRecords(s.near.Predicate, s.ix.Settings())}
	var in *intake.Intake
	if c.Add.Value {
		how := options.ForIndex(c.Common, s.ix.Search())
		how.OnConflict = index.Refuse
		how.Refused = func(id []byte, why string) { in.Report(fmt.Sprintf("%s: %s", terminal.Plain(string(id)), why)) }
		if p.writer, err = index.OpenWriter(c.Index.Value, s.ix.Settings(), how); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.writer.Close()) }()
		// Another writer may have added documents before this one has got the lock.
		if s.ix, err = index.Open(c.Index.Value); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.ix.Close()) }()
	}
	r, err := env.openPassed(c, s.ix.Settings().Bits)
	if err != nil {
		return err
	}
	if p.writer != nil {
		if err := env.keepPrivate(c, c.Index.Value, r.Private()); err != nil {
			return errors.Join(err, r.Close())
		}
	}
	s.how.Limit = 1 // one match is enough
	waiting := env.expectWaiting(c)
	if waiting {
		s.how.Batch = 1
	}
	in = env.inputs().Start(r, c.Common.Progress, "searching")
	err = s.ix.NearAll(c.Context, p.records.Keep(intake.OfKind(in.Documents(), s.ix.Input(), options.ByDistance(c)), intake.PassedOf(r)), s.how, func(a index.Answer) error {
		err := p.pass(a)
		if waiting && err == nil {
			err = env.stdout.Flush()
		}
		return err
	})
	if err == nil {
		err = p.add(c, in)
	}
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if !c.Common.Quiet {
		p.report()
	}
	return badDocuments(c, in)
}

// openPassed opens the inputs, with records as they stand in the files.
func (env *environment) openPassed(c *options.Flags, bits int) (*corpus.Reader, error) {
	if c.Add.Value {
		return env.openDocuments(c, c.Index.Value, bits, func(how *corpus.Options) { how.Raw = true })
	}
	how, err := env.corpusOptions(c, bits)
	if err != nil {
		return nil, err
	}
	how.Raw = true
	return corpus.Open(c.Args, how)
}

// pass decides about the next record by the answer of the index.
func (p *passing) pass(a index.Answer) error {
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
	if isNew == p.matched {
		return nil
	}
	p.out.Printed()
	if record.Header != "" && record.Header != p.header { // once for tables that continue each other
		p.header = record.Header
		if _, err := p.env.stdout.WriteString(record.Header); err != nil {
			return err
		}
	}
	_, err := p.env.stdout.Write(record.Record)
	return err
}

// add makes what is new a part of the index, when all of it has been printed.
func (p *passing) add(c *options.Flags, in *intake.Intake) error {
	if p.writer == nil {
		return nil
	}
	if err := p.env.stdout.Flush(); err != nil {
		return err
	}
	in.Meter.Phase("adding")
	_, err := p.writer.Commit(c.Context)
	return err
}

func (p *passing) report() {
	added := ""
	if p.writer != nil {
		added = ", and added to the index"
	}
	fmt.Fprintf(p.env.stderr, "simsearch: %s of %s new%s; %s near others\n",
		terminal.Thousands(p.fresh), terminal.Plural(p.queries, "record"), added, terminal.Thousands(p.queries-p.fresh))
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
