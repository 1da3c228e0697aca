package client

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/analysis"
	"simsearch/internal/cli"
	"simsearch/internal/corpus"
	"simsearch/internal/document"
	"simsearch/internal/index"
	"simsearch/internal/intake"
	"simsearch/internal/prints"
	"simsearch/internal/results"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// mostMatches is how many matches of a query a server answers.
const mostMatches = 1000

// Batches of queries are small, since each takes a while and may have many answers.
const (
	batchQueries    = 100
	batchQueryBytes = 1 << 20
)

// A search asks queries, and prints their answers as near does.
type search struct {
	*Command
	like    service.NearRequest // what all queries have in common
	asked   bool                // the flags say what is near
	queries int                 // that were answered
	empty   int                 // queries without features
	beyond  int                 // queries with more matches than a server answers
	nearest *service.Match      // of the first query, if nothing is near it

	ids   []string // of the queries of the batch
	batch []service.NearRequest
	bytes int
}

// Near answers the queries of near. It returns what was read of them, nil if they are not of files.
func Near(c *Command) (*intake.Intake, error) {
	if err := c.connect(); err != nil {
		return nil, err
	}
	s := &search{Command: c}
	if err := s.setLike(); err != nil {
		return nil, err
	}
	var in *intake.Intake
	var err error
	switch {
	case c.Text.Given:
		err = s.one("text", service.NearRequest{Content: service.Content{Text: &c.Text.Value}})
	case c.ID.Given:
		err = s.one(c.ID.Value, service.NearRequest{ID: c.ID.Value})
	case c.Fingerprint.Given:
		var fp document.Long
		if fp, err = prints.ParseHex(c.Fingerprint.Value, cmp.Or(c.bits(), analysis.Default().Bits)); err == nil {
			hex := fingerprintText(fp, c.bits())
			err = s.one(hex, service.NearRequest{Content: service.Content{Fingerprint: hex}})
		}
	default:
		in, err = s.files()
	}
	if err != nil {
		return in, err
	}
	return in, s.told()
}

// fingerprintText returns the digits of a fingerprint.
func fingerprintText(fp document.Long, bits int) string {
	return prints.Format(&fp, cmp.Or(bits, analysis.Default().Bits))
}

// setLike sets what the flags say of all queries.
func (s *search) setLike() (err error) {
	r := &s.like
	p, asked, err := s.Wanted(cmp.Or(s.bits(), analysis.Default().Bits))
	if err == nil {
		r.Nearest, err = s.NearestWanted()
	}
	if err != nil {
		return err
	}
	switch s.asked = asked; {
	case !asked:
	case p.Kind == index.Jaccard:
		r.Jaccard = p.Threshold
	case p.Kind == index.Contained:
		r.Contained = p.Threshold
	case p.Kind == index.Distance:
		r.K = &p.Distance
	default:
		return errors.New("a server takes one of --jaccard, --contained and --k")
	}
	r.Where, r.Limit = s.Where.Value, mostMatches
	cli.Put(&s.Limit, &r.Limit)
	if name := cli.FirstGiven(&s.Limit, &s.Nearest); max(r.Limit, r.Nearest) > mostMatches {
		return fmt.Errorf("--%s: a server answers %s matches of a query at most", name, terminal.Thousands(mostMatches))
	}
	return nil
}

// one asks a single query.
func (s *search) one(id string, r service.NearRequest) error {
	s.add(id, r, 0)
	return s.flush()
}

// files asks the documents of the query files.
func (s *search) files() (*intake.Intake, error) {
	r, err := s.Open(s.bits(), func(o *corpus.Options) { s.keep(o) })
	if err != nil {
		return nil, err
	}
	waiting := slices.Contains(s.Args, "-") // somebody waits for each answer
	in := s.Inputs.Start(r, s.Progress, "searching")
	for doc, err := range in.Documents() {
		var content service.Content
		if err == nil {
			content, err = s.content(doc)
		}
		if err == nil {
			s.add(string(doc.ID), service.NearRequest{Content: content}, len(doc.Text))
			if waiting || len(s.batch) == batchQueries || s.bytes >= batchQueryBytes {
				err = s.flush()
			}
		}
		if err != nil {
			return in, in.End(err)
		}
	}
	err = in.End(s.flush())
	if passed := results.PassedOf(r, false); err == nil && passed.Any() {
		s.Tell("%s", passed.String())
	} else if err == nil && s.queries+in.Bad == 0 {
		s.Tell("no query: there are no documents in what is named")
	}
	return in, err
}

// add adds a query to the batch.
func (s *search) add(id string, r service.NearRequest, size int) {
	all := s.like
	all.ID, all.Content = r.ID, r.Content
	s.ids, s.batch, s.bytes = append(s.ids, id), append(s.batch, all), s.bytes+size
}

// flush asks the queries of the batch, and prints the answers.
func (s *search) flush() error {
	if len(s.batch) == 0 {
		return nil
	}
	answers := make([]service.NearAnswer, 1)
	var err error
	if len(s.batch) == 1 { // the answer has the nearest miss
		answers[0], err = s.client.Near(s.Context, &s.batch[0])
	} else {
		answers, err = s.client.NearAll(s.Context, s.batch)
	}
	if err != nil {
		return err
	}
	for i := range answers {
		if err := s.print(s.ids[i], &answers[i]); err != nil {
			return err
		}
	}
	s.ids, s.batch, s.bytes = s.ids[:0], s.batch[:0], 0
	return s.Rows.Flush()
}

// print prints the answer to a query.
func (s *search) print(id string, a *service.NearAnswer) error {
	s.queries++
	if a.Empty {
		s.empty++
	}
	if s.queries == 1 && len(a.Matches) == 0 {
		s.nearest = a.Nearest
	}
	if s.Nearest.Value == 0 && !s.Limit.Given && a.Total > len(a.Matches) {
		s.beyond++
	}
	query := terminal.Column{Key: "query", Value: terminal.ID(id)}
	if len(a.Matches) == 0 {
		return s.Rows.PrintNothing(query, terminal.Column{Key: "id"})
	}
	for i := range a.Matches {
		m := &a.Matches[i]
		columns := s.columns([]terminal.Column{query, {Key: "id", Value: terminal.ID(m.ID)}}, m)
		if err := s.Rows.Print(columns...); err != nil {
			return err
		}
	}
	return nil
}

// columns appends the columns that say how near a match is.
func (s *search) columns(dst []terminal.Column, m *service.Match) []terminal.Column {
	near, measures := s.measured(m)
	near.WithDistance = near.Kind.Fingerprints || !s.asked && m.Distance != nil
	settings := analysis.Settings{Bits: cmp.Or(s.bits(), analysis.Default().Bits)}
	return near.AppendColumns(dst, settings, measures, s.Rows.JSON())
}

// measured returns the kind of nearness that an answer tells of, and the values.
func (s *search) measured(m *service.Match) (n results.Nearness, v index.Measures) {
	v.Distance = index.NoDistance
	if m.Distance != nil {
		v.Distance = *m.Distance
	}
	n.Kind = index.Distance
	if m.Contained != nil {
		n.Kind, v.Value = index.Contained, *m.Contained
	} else if m.Jaccard != nil {
		n.Kind, v.Value = index.Jaccard, *m.Jaccard
	}
	n.Verify = index.Exact
	return n, v
}

// ErrNothing is the error of a search that has found nothing.
var ErrNothing = errors.New("nothing found")

// told says what rows do not.
func (s *search) told() error {
	if s.empty > 0 {
		s.Tell("%s without features, near nothing", terminal.Plural(s.empty, "query document"))
	}
	if s.beyond > 0 {
		s.Tell("%s more near documents than the %s that are printed", terminal.Plural(s.beyond, "query")+" with", terminal.Thousands(mostMatches))
	}
	found, err := s.Rows.End()
	if err != nil || found {
		return err
	}
	if s.queries == 1 && s.nearest != nil {
		n, v := s.measured(s.nearest)
		s.Tell("nothing is near; the nearest is %s with %s", terminal.Plain(s.nearest.ID), terminal.Plain(n.Kind.Of(&v)))
	}
	return ErrNothing
}
