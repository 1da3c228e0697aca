package main

import (
	"cmp"
	"context"
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
	"simsearch/internal/index/segment"
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
		t.LimitFlag(),
	}, t.PredicateFlags(), t.PassageFlags(), t.WhereFlags(), t.CorpusFlags(), t.CommonFlags())
}

// A search answers the queries of one run of near.
type search struct {
	*question
	how     index.Options
	in      *intake.Intake // of queries that are read
	passes  bool           // records of the input are passed through
	out     *terminal.Rows
	queries int // asked
	empty   int // queries without features

	first   index.Query // the first query
	atLeast float64     // the least similarity of the nearest
	self    *uint32     // the document of the index that is the query, and is not printed; nil for other queries
	more    int         // 1 if queries may be documents of the index, so that one match more is asked for

	asked *string // the query whose matches are shown, nil if it is no text
	// turned are those of the matches that are near the query, a picture, only when it is turned, mirrored or without its border.
	turned map[uint32]bool
}

// manySets is the number of documents from which it takes long to compare a query with all: some hundredths
// of a second.
const manySets = 100_000

func runNear(q *question) error {
	if q.Passages.Value {
		return runQuotes(q)
	}
	s := &search{question: q, out: q.rows(), passes: q.New.Value || q.Matched.Value}
	s.how = index.Options{Predicate: q.near.Predicate, Where: q.where, Threads: q.Threads.Value, Limit: q.Limit.Value}
	nearest := s.Nearest.Value
	if s.ByDistance() { // the search is exact, so that the nearest are the first of its matches
		s.how.Limit = max(s.how.Limit, nearest)
	} else if s.how.Nearest = nearest; s.Least(s.near.Kind).Given {
		s.atLeast = s.near.Threshold
	}
	if s.passes && q.ix.Settings().Wide() {
		return errors.New("--new and --matched are for fingerprints of up to 64 bits: index these, and see pairs")
	}
	if err := s.explain(); err != nil {
		return err
	}
	if s.how.Stats != nil {
		defer func() { q.warn("%s", results.Work(s.how.Stats, q.ix.SearchMemory())) }()
	}
	var err error
	switch {
	case s.passes:
		return s.pass()
	case s.HasInputs():
		err = s.files()
	default:
		err = s.single()
	}
	if err != nil {
		return err
	}
	if s.empty > 0 {
		q.tell("%s of one colour, near nothing", terminal.Plural(s.empty, "query document"))
	}
	switch err := end(s.out); {
	case err == nil:
		return q.note()
	case !q.Quiet.Value && errors.Is(err, errNothing) && s.queries == 1 && s.empty == 0:
		if s.how.Nearest > 0 || len(s.how.Where) > 0 {
			return err
		}
		told, hintErr := s.near.NearestInstead(s.Context, s.ix, s.first, s.self)
		if told != "" {
			q.warn("%s", told)
		}
		return cmp.Or(hintErr, err)
	default:
		return err
	}
}

// explain says how queries are answered, if that is asked for, or if it takes long.
func (s *search) explain() error {
	explained, comparesAll, err := s.ix.Explain(s.near.Predicate)
	if err != nil {
		return err
	}
	if s.ExplainPlan.Value {
		if s.Nearest.Has() && !s.ByDistance() {
			explained = []string{"the nearest are wanted: a query is compared within growing distances, or with all sets"}
		}
		for _, line := range explained {
			s.warn("%s", line)
		}
		s.how.Stats = &index.Stats{}
	}
	s.ix.LimitMemory(s.Memory.Value / 4)
	switch {
	case s.how.Nearest > 0 || s.ix.Len() < manySets || !comparesAll:
	case !s.near.Kind.Banded:
		s.tell("queries by --%s are compared with all sets, which are read once for many queries of a file; pairs is faster for all documents of the index", s.near.Kind.Key)
	default:
		s.tell("the index was not planned for a Jaccard similarity of %v, so that queries are compared with all sets; index --jaccard %[1]v makes such queries fast", s.near.Threshold)
	}
	return nil
}

// each reads the documents of r, keeps of each what of returns, and calls answer with its answer. The caller ends s.in.
func (s *search) each(r *corpus.Reader, of func(*document.Document) intake.Passed, answer func(index.Answer, intake.Passed) error) error {
	waiting := s.expectWaiting()
	if s.inputs().Now = waiting; waiting {
		s.how.Batch = 1
	}
	own := s.own(r)
	if len(own) > 0 {
		s.askMore()
	}
	s.in = s.startReading(r, "searching")
	unanswered := new(intake.Unanswered)
	documents := unanswered.Keep(intake.OfKind(s.in.Documents(), s.ix.Input(), s.ByDistance()), func(doc *document.Document) intake.Passed {
		kept := of(doc)
		kept.Own = own[doc.Source]
		return kept
	})
	return s.ix.NearAll(s.Context, documents, s.how, func(a index.Answer) (err error) {
		query := unanswered.Next()
		if s.self, err = results.Itself(s.ix, string(a.ID), query.Own); err == nil {
			err = answer(a, query)
		}
		if waiting && err == nil {
			err = s.out.Flush()
		}
		return err
	})
}

// files answers each document of the query files.
func (s *search) files() error {
	r, err := s.openCorpus(s.ix.Settings().Bits, func(how *corpus.Options) { how.Turned = true })
	if err != nil {
		return err
	}
	of := func(doc *document.Document) (kept intake.Passed) {
		if s.shower != nil {
			kept = intake.TextOf(doc)
		}
		kept.Turned = doc.Turned
		return kept
	}
	if s.shower != nil {
		s.how.Batch = shownBatch
	}
	err = s.each(r, of, func(a index.Answer, query intake.Passed) error {
		s.asked = query.Text
		switch { // what is kept of the result is a copy
		case s.queries > 0:
		case s.near.BySets() && a.Result.Text != nil:
			s.first = index.Text(slices.Clone(a.Result.Text))
		case s.near.BySets():
			s.first = index.Set(slices.Clone(a.Result.Set))
		default:
			s.first = index.Long(a.Result.Long())
		}
		if s.turned = nil; len(query.Turned) > 0 {
			if err = s.turn(&a, query.Turned); err != nil {
				return err
			}
		}
		return s.answer(string(a.ID), a)
	})
	if err = s.in.End(err); err != nil {
		return err
	}
	switch told := results.PassedOf(r, s.ix.Settings().Image != 0).Beside(s.in.Bad); {
	case told != "":
		s.tell("%s", strings.TrimPrefix(told, "; "))
	case s.queries == 0:
		s.tell("no query: there are no documents in what is named")
	}
	return s.badDocuments(s.in.Bad)
}

// turn adds to the answer to a picture what is near it only when it is turned, mirrored or without its border, by its hashes then.
func (s *search) turn(a *index.Answer, hashes []uint64) error {
	upright := map[uint32]bool{}
	for _, m := range a.Matches {
		upright[m.Document] = true
	}
	for _, hash := range hashes {
		found, err := s.ix.Near(s.Context, index.Long(document.Long{hash}), s.how)
		if err != nil {
			return err
		}
		a.Matches = append(a.Matches, found.Matches...)
	}
	slices.SortStableFunc(a.Matches, segment.MatchOrder)
	s.turned = map[uint32]bool{}
	a.Matches = slices.DeleteFunc(a.Matches, func(m index.Match) bool {
		_, again := s.turned[m.Document]
		s.turned[m.Document] = !upright[m.Document]
		return again
	})
	if most := max(s.how.Limit, s.how.Nearest); most > 0 {
		a.Matches = a.Matches[:min(most, len(a.Matches))]
	}
	return nil
}

// expectWaiting reports whether each answer is waited for, by a person or by the program that writes to
// standard input. It tells the person how to end.
func (s *search) expectWaiting() bool {
	waiting := slices.Contains(s.Args, "-")
	if waiting && s.inIsTerminal {
		s.tell("type the text to look for, and end with %s", endOfInput)
		s.Progress = terminal.NoProgress // a bar would overwrite what is typed
	}
	return waiting
}

// single answers the query of --text, --fingerprint or --id.
func (s *search) single() (err error) {
	id := "text"
	switch bits := s.ix.Settings().Bits; {
	case s.Text.Given:
		s.asked, s.first = &s.Text.Value, index.Text([]byte(s.Text.Value))
	case s.Fingerprint.Given:
		fp, err := prints.ParseHex(s.Fingerprint.Value, bits)
		if err != nil {
			return err
		}
		id, s.first = prints.Format(&fp, bits), index.Long(fp)
	default:
		id = s.ID.Value
		doc, err := results.Named(s.ix, id)
		if err != nil {
			return err
		}
		if s.first, err = s.ix.Stored(doc); err != nil {
			return err
		}
		s.self = &doc
		s.askMore()
	}
	a, err := s.ix.Near(s.Context, s.first, s.how)
	if err != nil {
		return err
	}
	return s.answer(id, a)
}

// askMore asks for one match more, which may be the query itself.
func (s *search) askMore() {
	s.more = 1
	for _, n := range []*int{&s.how.Limit, &s.how.Nearest} {
		if *n > 0 {
			*n++
		}
	}
}

// lookEvery is the number of rows between two checks whether printing is still wanted.
const lookEvery = 1 << 10

// answer prints the answer to a query called id.
func (s *search) answer(id string, a index.Answer) error {
	s.queries++
	if a.Empty {
		s.empty++
	}
	matches := s.wanted(a.Matches)
	if len(matches) == 0 {
		return s.out.PrintNothing(name("query", id), col("id", nil))
	}
	for i, m := range matches {
		if i%lookEvery == 0 && s.Context.Err() != nil {
			return context.Cause(s.Context)
		}
		columns := s.near.AppendColumns([]column{name("query", id), name("id", string(m.ID))}, s.ix.Settings(), m.Measures, s.out.JSON())
		if s.turned[m.Document] && s.out.JSON() {
			columns = append(columns, col("turned", true))
		}
		if err := errors.Join(s.remarks.Document(m.Document), s.printMatch(columns, m)); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the matches that are printed: not the query itself, and of the nearest those that are
// as similar as the flags say.
func (s *search) wanted(matches []index.Match) []index.Match {
	if s.self != nil {
		matches = slices.DeleteFunc(matches, func(m index.Match) bool { return m.Document == *s.self })
	}
	if limit := max(s.how.Limit, s.how.Nearest); limit > 0 && s.more > 0 {
		matches = matches[:min(limit-s.more, len(matches))]
	}
	if s.how.Nearest > 0 && s.atLeast > 0 {
		matches = slices.DeleteFunc(matches, func(m index.Match) bool { return m.Value < s.atLeast })
	}
	return matches
}

// shownBatch is the number of queries that are asked together if their texts are shown, and so are kept
// until they are answered.
const shownBatch = 64

// printMatch prints a match, with what is shown of it if that is wanted.
func (s *search) printMatch(columns []column, m index.Match) (err error) {
	var shown results.Shown
	switch {
	case s.shower == nil:
		return s.out.Print(columns...)
	case s.self != nil:
		shown, err = s.shower.Pair(*s.self, m.Document)
	case s.asked != nil:
		shown, err = s.shower.Match(*s.asked, m.Document)
	default:
		shown, err = s.shower.Document(m.Document)
	}
	if err != nil {
		return err
	}
	return s.shower.Print(s.out, columns, shown, "query_title", "title")
}

// pass passes the inputs through.
func (s *search) pass() (err error) {
	p, err := intake.NewPassing(s.near.Predicate, s.ix.Settings().Bits, s.stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.Matched = s.Matched.Value
	if s.Add.Value {
		how := s.ForIndex(s.ix.Search())
		how.OnConflict = index.Refuse
		how.Refused = func(id []byte, source, why string) { s.in.Report(why, refusal(id, source, why)) }
		if p.Writer, err = index.OpenWriter(s.Index.Value, s.ix.Settings(), how); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Writer.Close()) }()
		// Another writer may have added documents before this one has got the lock.
		if s.ix, err = index.Open(s.Index.Value); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.ix.Close()) }()
	}
	bits, raw := s.ix.Settings().Bits, func(how *corpus.Options) { how.Raw = true } // records as they stand in the files
	open := s.openCorpus
	if p.Writer != nil {
		open = s.openPrivately
	}
	r, err := open(bits, raw)
	if err != nil {
		return err
	}
	s.how.Limit = 1 // one match is enough
	err = s.each(r, intake.PassedOf(r), func(a index.Answer, record intake.Passed) error {
		s.queries++
		a.Matches = s.wanted(a.Matches)
		return p.Decide(s.Context, a, record)
	})
	added := ""
	if p.Writer != nil {
		if added = ", and added to the index"; err == nil {
			err = s.add(p.Writer)
		}
	}
	if err = s.in.End(err); err != nil {
		return err
	}
	s.tell("%s of %s new%s; %s near others%s", terminal.Thousands(p.Fresh), terminal.Plural(s.queries, "record"), added,
		terminal.Thousands(s.queries-p.Fresh), results.PassedOf(r, s.ix.Settings().Image != 0).Beside(s.in.Bad))
	if p.Passed == 0 {
		err = errNothing
	}
	return cmp.Or(s.badDocuments(s.in.Bad), err)
}

// add makes what is new a part of the index, when all of it has been printed.
func (s *search) add(w *index.Writer) error {
	if err := s.stdout.Flush(); err != nil {
		return err
	}
	s.in.Meter.Phase("adding")
	_, err := w.Commit(s.Context)
	return err
}
