package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func nearCommand(t *task) *cli.Command {
	return t.command("near", func(t *task) error {
		if err := t.CheckQueries(t.inIsTerminal); err != nil {
			return err
		}
		return asking(runNear)(t)
	}, []cli.AnyFlag{
		t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
		t.Text.As("text", "the query is `TEXT`"),
		t.Fingerprint.As("fingerprint", "the query is the fingerprint `HEX`"),
		t.ID.As("id", "the query is the document `ID` of the index, which is not printed itself"),
		t.Nearest.As("nearest", "find the `N` nearest documents, however far they are; "+
			"--k and --jaccard say how far at most").By(cli.Count("documents")),
		t.New.As("new", "pass through the records of the input that are near nothing; neither in the index, nor earlier in the input"),
		t.Matched.As("matched", "pass through the records that --new leaves out"),
		t.Add.As("add", "with --new or --matched, add the new records to the index; all at the end"),
		t.LimitFlag(), t.BitsFlag(),
	}, t.PredicateFlags(), t.PassageFlags(), t.WhereFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runNear(q *question) error {
	if q.Passages.Value {
		return runQuotes(q)
	}
	s := &results.Search{Index: q.ix, Near: q.near, Rows: q.rows(), Shower: q.shower, Remarks: q.remarks,
		Options: index.Options{Predicate: q.near.Predicate, Where: q.where, Threads: q.Threads.Value,
			Limit: q.Limit.Value}}
	nearest, passes := q.Nearest.Value, q.New.Value || q.Matched.Value
	s.Turned = !passes  // which decides without anybody looking
	if q.ByDistance() { // the search is exact, so that the nearest are the first of its matches
		s.Limit = max(s.Limit, nearest)
	} else if s.Nearest = nearest; q.Least(q.near.Kind).Given {
		s.AtLeast = q.near.Threshold
	}
	if passes && q.ix.Settings().Wide() {
		return errors.New("--new and --matched are for fingerprints of up to 64 bits: index these, and see pairs")
	}
	how, slow, err := s.Explain()
	if err != nil {
		return err
	}
	if q.ExplainPlan.Value {
		if q.Nearest.Has() && !q.ByDistance() {
			how = []string{"the nearest are wanted: a query is compared within growing distances, or with all sets"}
		}
		for _, line := range how {
			q.warn("%s", line)
		}
		s.Stats = &index.Stats{}
		defer func() { q.warn("%s", results.Work(s.Stats, q.ix.SearchMemory())) }()
	}
	q.ix.LimitMemory(q.Memory.Value / 4)
	if slow != "" {
		q.tell("%s", slow)
	}
	switch {
	case passes:
		return q.pass(s)
	case q.HasInputs():
		err = q.files(s)
	case q.Text.Given:
		err = s.Ask(q.Context, "text", index.Text([]byte(q.Text.Value)), &q.Text.Value)
	case q.Fingerprint.Given:
		bits := q.ix.Settings().Bits
		fp, _ := prints.ParseHex(q.Fingerprint.Value, bits) // which Predicate has done
		err = s.Ask(q.Context, prints.Format(&fp, bits), index.Long(fp), nil)
	default:
		err = s.AskOf(q.Context, q.ID.Value)
	}
	if err != nil {
		return err
	}
	if s.Empty > 0 {
		q.tell("%s of one colour, near nothing", terminal.Plural(s.Empty, "query document"))
	}
	if err = end(s.Rows); err == nil {
		return q.note()
	}
	if !q.Quiet.Value && errors.Is(err, errNothing) {
		told, failed := s.Instead(q.Context)
		if told != "" {
			q.warn("%s", told)
		}
		err = cmp.Or(failed, err)
	}
	return err
}

// answer reads the queries of r, notes of each what note returns, and answers them or passes their answers on. The
// caller ends q.in.
func (q *question) answer(s *results.Search, r *corpus.Reader, note func(*document.Document) any, pass results.Pass) error {
	s.Waits = slices.Contains(q.Args, "-") // a person, or the program that writes to standard input
	if q.teller.Now = s.Waits; s.Waits && q.inIsTerminal {
		q.tell("type the text to look for, and end with %s", endOfInput)
		q.Progress = terminal.NoProgress // a bar would overwrite what is typed
	}
	own, holds := q.own(r), q.ix.Input()
	q.in = q.startReading(r, "searching")
	return s.Each(q.Context, document.Map(q.in.Documents(), func(doc *document.Document) (*document.Document, error) {
		doc.Note = note(doc)
		return doc, intake.CheckKind(doc, holds, q.ByDistance())
	}), own, pass)
}

// files answers each document of the query files.
func (q *question) files(s *results.Search) error {
	r, err := q.openCorpus(q.ix.Settings().Bits, func(how *corpus.Options) { how.Turned = true })
	if err != nil {
		return err
	}
	err = q.answer(s, r, func(*document.Document) any { return nil }, nil)
	if err = q.in.End(err); err != nil {
		return err
	}
	switch told := results.PassedOf(r, q.ix.Settings().Image != 0).Beside(q.in.Bad); {
	case told != "":
		q.tell("%s", strings.TrimPrefix(told, "; "))
	case s.Queries == 0:
		q.tell("no query: there are no documents in what is named")
	}
	return q.badDocuments(q.in.Bad)
}

// pass passes the inputs through.
func (q *question) pass(s *results.Search) (err error) {
	p, err := intake.NewPassing(q.near.Predicate, q.ix.Settings().Bits, q.stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	open, added := q.openCorpus, ""
	if p.Matched = q.Matched.Value; q.Add.Value {
		how := q.ForIndex(q.ix.Search())
		how.OnConflict = index.Refuse
		how.Refused = func(id []byte, source, why string) { q.in.Report(why, refusal(id, source, why)) }
		if p.Writer, err = index.OpenWriter(q.Index.Value, q.ix.Settings(), how); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Writer.Close()) }()
		// Another writer may have added documents before this one has got the lock.
		if s.Index, err = p.Writer.Open(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Index.Close()) }()
		open, added = q.openPrivately, ", and added to the index"
	}
	records := func(how *corpus.Options) { how.Raw = true } // as they stand in the files
	r, err := open(s.Index.Settings().Bits, records)
	if err != nil {
		return err
	}
	s.Limit, s.Any = 1, true // one match is enough
	if err = q.answer(s, r, intake.PassedOf(r), p.Decide); err == nil && p.Writer != nil {
		// What is new becomes a part of the index when all of it has been printed.
		q.in.Meter.Phase("adding")
		if err = q.stdout.Flush(); err == nil {
			_, err = p.Writer.Commit(q.Context)
		}
	}
	if err = q.in.End(err); err != nil {
		return err
	}
	q.tell("%s of %s new%s; %s near others%s", terminal.Thousands(p.Fresh), terminal.Plural(s.Queries, "record"), added,
		terminal.Thousands(s.Queries-p.Fresh), results.PassedOf(r, s.Index.Settings().Image != 0).Beside(q.in.Bad))
	if p.Passed == 0 {
		err = errNothing
	}
	return cmp.Or(q.badDocuments(q.in.Bad), err)
}
