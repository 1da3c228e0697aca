package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
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
	matched bool // pass the others
	before  earlier
	writer  *index.Writer // adds the new ones; nil if they are not added
	records records
	fresh   int // records that are new
}

// runPass passes the inputs through as the flags of c say.
func (env *environment) runPass(c *cli.Context, o options.Common, s *search) (err error) {
	p := &passing{search: s, env: env, matched: c.Bool("matched"), before: newEarlier(s.near.Predicate, s.ix.Settings())}
	var in *intake.Intake
	if c.Bool("add") {
		how := index.WriterOptions{Threads: o.Threads, TableBytes: float64(o.Memory)}
		how.Refused = func(id []byte, why string) { in.Report(fmt.Sprintf("%s: %s", terminal.Plain(string(id)), why)) }
		if p.writer, err = index.OpenWriter(c.String("index"), s.ix.Settings(), how); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.writer.Close()) }()
		// Another writer may have added documents before this one has got the lock.
		latest, err := index.Open(c.String("index"))
		if err != nil {
			return err
		}
		defer latest.Close() // opened for reading
		s.ix = latest
	}
	r, err := env.openPassed(c, o, s.ix.Settings().Bits)
	if err != nil {
		return err
	}
	s.how.Limit = 1 // one match is enough
	waiting := env.expectWaiting(c, &o)
	if waiting {
		s.how.Batch = 1
	}
	in = env.inputs().Start(r, o.Progress, "searching")
	err = s.ix.NearAll(c.Context, p.records.keep(in.Documents()), s.how, func(a index.Answer) error {
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
	if !o.Quiet {
		p.report()
	}
	return badDocuments(c, in)
}

// openPassed opens the inputs, with records as they stand in the files.
func (env *environment) openPassed(c *cli.Context, o options.Common, bits int) (*corpus.Reader, error) {
	if c.Bool("add") {
		return env.openDocuments(c, o, c.String("index"), bits, true)
	}
	how, err := env.corpusOptions(c, bits)
	if err != nil {
		return nil, err
	}
	how.Raw = true
	return corpus.Open(c.Args().Slice(), how)
}

// pass decides about the next record by the answer of the index.
func (p *passing) pass(a index.Answer) error {
	p.queries++
	record := p.records.next()
	isNew := len(a.Matches) == 0
	if isNew && !a.Empty { // an empty record is near nothing
		if isNew = !p.before.near(a.Result); isNew {
			p.before.add(a.Result)
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
	_, err := p.env.stdout.Write(record)
	return err
}

// add makes what is new a part of the index, when all of it has been printed.
func (p *passing) add(c *cli.Context, in *intake.Intake) error {
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

// records are the records that have been read and not been answered yet, in order. They are read on
// another goroutine than they are answered.
type records struct {
	mu      sync.Mutex
	waiting [][]byte
}

// keep yields documents and keeps the record of each.
func (r *records) keep(documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				r.mu.Lock()
				r.waiting = append(r.waiting, recordOf(doc))
				r.mu.Unlock()
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// next returns the record of the next answer.
func (r *records) next() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	record := r.waiting[0]
	r.waiting[0], r.waiting = nil, r.waiting[1:]
	return record
}

// recordOf returns the line that passes for a document: the line of the file, the element of an array on
// one line, the path of a file that is one document, or else the id.
func recordOf(doc *document.Document) []byte {
	switch record := bytes.Clone(doc.Raw); {
	case record == nil && doc.Line == 0:
		return []byte(doc.Source + "\n")
	case record == nil:
		return append(bytes.Clone(doc.ID), '\n')
	case bytes.HasSuffix(record, []byte("\n")):
		return record
	default:
		// Within JSON, line ends are white space.
		for i, c := range record {
			if c == '\n' || c == '\r' {
				record[i] = ' '
			}
		}
		return append(record, '\n')
	}
}

// earlier are the new records before the one that is looked at.
type earlier struct {
	fingerprints *seen.Fingerprints
	sets         *seen.Sets
	both         *seen.Both
}

func newEarlier(p index.Predicate, s analysis.Settings) (e earlier) {
	switch {
	case p.Both:
		e.both = seen.NewBoth(p.Distance, s.Bits, p.Threshold)
	case p.BySets():
		e.sets = seen.NewSets(p.Threshold)
	default:
		e.fingerprints = seen.NewFingerprints(p.Distance, s.Bits)
	}
	return e
}

// near reports whether an earlier record is near.
func (e *earlier) near(r *analysis.Result) (near bool) {
	switch {
	case e.both != nil:
		return e.both.Near(r.Fingerprint, r.Set)
	case e.sets != nil:
		return e.sets.Near(r.Set)
	}
	e.fingerprints.Near(r.Fingerprint, func(int) bool { near = true; return false })
	return near
}

// add remembers a record, which is not empty.
func (e *earlier) add(r *analysis.Result) {
	switch {
	case e.both != nil:
		e.both.Add(r.Fingerprint, r.Set)
	case e.sets != nil:
		e.sets.Add(r.Set)
	default:
		e.fingerprints.Add(r.Fingerprint)
	}
}

// checkPass checks the flags that pass records through.
func checkPass(c *cli.Context) error {
	if !c.Bool("new") && !c.Bool("matched") {
		if c.Bool("add") {
			return errors.New("--add adds what --new passes: give --new or --matched, too")
		}
		return nil
	}
	if c.Bool("new") && c.Bool("matched") {
		return errors.New("--new and --matched exclude each other")
	}
	if !options.HasInputs(c) {
		return errors.New("--new and --matched pass records of an input through: name files, directories or -")
	}
	excluded := []string{"json", "limit", "nearest", "sql"}
	if i := slices.IndexFunc(excluded, c.IsSet); i >= 0 {
		return fmt.Errorf("--%s has no place beside --new and --matched, which print the records of the input as they are", excluded[i])
	}
	return nil
}
