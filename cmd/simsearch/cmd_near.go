package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/progress"
	"simsearch/internal/relational"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func nearCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "near",
		Usage:     "find the documents near a query",
		ArgsUsage: "QUERY... | --text TEXT | --fingerprint HEX",
		Description: `Prints the documents of the index near each document of the query files, ordered by query,
nearness and id. Near is what the index is made for: by default a Jaccard similarity of the sets
of words of 0.8, and the columns are query, id, similarity and distance. With --k, near are
fingerprints that differ in at most k bits, and the columns are query, id, distance and the share
of equal bits; with --jaccard, sets that overlap as much: query, id and similarity. A query is
analysed with the settings of the index. Queries of files are asked thousands at a time, on all
threads; those of standard input one by one.

   simsearch near --index idx new-article.txt
   simsearch near --index idx --k 3 new-article.txt
   simsearch near --index idx --jaccard 0.7 new-article.txt
   simsearch near --index idx --k 10 --limit 5 new-article.txt
   simsearch near --index idx --text "The quick brown fox"
   simsearch near --index idx --fingerprint 5abf969df17af7dd`,
		Flags: slices.Concat([]cli.Flag{
			options.IndexFlag(), options.ExplainFlag(),
			&cli.StringFlag{Name: "text", Usage: "the query is `TEXT`"},
			&cli.StringFlag{Name: "fingerprint", Usage: "the query is the fingerprint `HEX`"},
			&cli.StringFlag{Name: "limit", Category: options.OutputGroup, Usage: "print the `N` nearest of each query only; of those equally near, the first by id", DefaultText: "all"},
			&cli.BoolFlag{Name: "sql", Category: options.OutputGroup, DisableDefaultText: true, Usage: "print, for --text or --fingerprint, the query of candidates in the tables that export --as sqlite makes: of distance 3, or of the similarity that the bands are planned for"},
		}, options.PredicateFlags(), options.CorpusFlags(), options.CommonFlags()),
		Action: func(c *cli.Context) error {
			if err := oneKindOfQuery(c); err != nil {
				return err
			}
			return env.withIndexAndArguments(c, func(o options.Common, ix *index.Snapshot) error { return runNear(env, c, o, ix) })
		},
	}
}

// A search answers the queries of one run of near.
type search struct {
	ctx   context.Context
	ix    *index.Snapshot
	near  results.Nearness
	how   index.Options
	out   *terminal.Rows
	empty int                      // queries without features
	sql   func(query string) error // if not nil, prints the query for a database instead of an answer
}

// manySets is the number of documents from which it takes long to compare a query with all: some hundredths
// of a second.
const manySets = 100_000

func runNear(env *environment, c *cli.Context, o options.Common, ix *index.Snapshot) error {
	near, err := options.Predicate(c, ix)
	if err != nil {
		return err
	}
	how := index.Options{Predicate: near.Predicate, Threads: o.Threads}
	if how.Limit, err = options.Limit(c); err != nil {
		return err
	}
	explained, err := ix.Explain(near.Predicate)
	if err != nil {
		return err
	}
	if c.Bool("explain-plan") {
		for _, line := range explained {
			fmt.Fprintln(env.stderr, "simsearch: "+line)
		}
		how.Stats = &index.Stats{}
		defer func() { fmt.Fprintln(env.stderr, "simsearch: "+results.Work(how.Stats, ix.SearchMemory())) }()
	}
	if o.Memory > 0 {
		ix.LimitMemory(o.Memory / 4)
	}
	if ix.Len() >= manySets && ix.ComparesAll(near.Predicate) && !o.Quiet {
		fmt.Fprintf(env.stderr, "simsearch: the index was not planned for a Jaccard similarity of %v, so that queries are compared with all sets; index --plan-jaccard %v makes such queries fast\n",
			near.Threshold, near.Threshold)
	}
	s := &search{ctx: c.Context, ix: ix, near: near, how: how, out: env.newRows(o.JSON)}
	if c.Bool("sql") {
		if c.IsSet("limit") {
			return errors.New("--sql and --limit exclude each other: the query is of candidates, whose nearness is not known yet")
		}
		if options.HasInputs(c) {
			return errors.New("--sql is for --text and --fingerprint")
		}
		if c.IsSet("jaccard") && !ix.Settings().Signatures() {
			return errors.New("--sql --jaccard looks up bands, and this index has none: make one with --perms 128")
		}
		s.sql = func(query string) error {
			s.out.Printed()
			_, err := fmt.Fprintln(env.stdout, query)
			return err
		}
	}
	switch {
	case c.IsSet("fingerprint"):
		if near.BySets() {
			return errors.New("--fingerprint and --jaccard exclude each other: a fingerprint has no features")
		}
		bits := ix.Settings().Bits
		fp, err := fingerprint.Parse(c.String("fingerprint"), bits)
		if err != nil {
			return err
		}
		if err := s.fingerprint(fingerprint.Format(fp, bits), fp); err != nil {
			return err
		}
	case c.IsSet("text"):
		if err := s.text("text", []byte(c.String("text"))); err != nil {
			return err
		}
	default:
		if err := s.files(env, c, o); err != nil {
			return err
		}
	}
	if s.empty > 0 && !o.Quiet {
		fmt.Fprintf(env.stderr, "simsearch: %s without features, near nothing\n", terminal.Plural(s.empty, "query document"))
	}
	return end(s.out)
}

func oneKindOfQuery(c *cli.Context) error {
	kinds := 0
	for _, given := range []bool{options.HasInputs(c), c.IsSet("text"), c.IsSet("fingerprint")} {
		if given {
			kinds++
		}
	}
	switch kinds {
	case 0:
		return errors.New("near what? name query files, or give --text TEXT or --fingerprint HEX")
	case 1:
		return nil
	}
	return errors.New("query files, --text and --fingerprint exclude each other")
}

// files answers each document of the query files.
func (s *search) files(env *environment, c *cli.Context, o options.Common) error {
	// The program that writes to standard input may wait for each answer.
	waiting := slices.Contains(c.Args().Slice(), "-")
	if waiting && env.inIsTerminal {
		if !o.Quiet {
			fmt.Fprintf(env.stderr, "simsearch: type the text to look for, and end with %s\n", endOfInput)
		}
		o.Progress = progress.None // a bar would overwrite what is typed
	}
	r, err := env.openCorpus(c, s.ix.Settings().Bits)
	if err != nil {
		return err
	}
	in := env.inputs().Start(r, o.Progress, "searching")
	if waiting {
		s.how.Batch = 1
	}
	err = s.ix.NearAll(c.Context, in.Documents(), s.how, func(a index.Answer) error {
		if a.Empty {
			s.empty++
		}
		err := s.print(string(a.ID), a.Matches)
		if waiting && err == nil {
			err = s.out.Flush()
		}
		return err
	})
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = badDocuments(c, in)
	}
	return err
}

// text answers a query that is a text.
func (s *search) text(id string, text []byte) error {
	if s.sql != nil {
		form := relational.New(s.ix, index.DefaultDistance)
		query, ok, err := form.TextQuery(text, s.how.BySets() && form.HasBands())
		if err != nil {
			return err
		}
		if !ok {
			s.empty++
			return nil
		}
		return s.sql(query)
	}
	return s.query(id, index.Text(text))
}

// query answers one query.
func (s *search) query(id string, q index.Query) error {
	a, err := s.ix.Near(s.ctx, q, s.how)
	if err != nil {
		return err
	}
	if a.Empty {
		s.empty++
	}
	return s.print(id, a.Matches)
}

// fingerprint answers a query that is a fingerprint.
func (s *search) fingerprint(id string, fp uint64) error {
	if s.sql != nil {
		return s.sql(relational.New(s.ix, index.DefaultDistance).FingerprintQuery(fp))
	}
	return s.query(id, index.Fingerprint(fp))
}

// lookEvery is the number of rows between two checks whether printing is still wanted.
const lookEvery = 1 << 10

// print prints the answer to a query.
func (s *search) print(id string, matches []index.Match) error {
	for i, m := range matches {
		if i%lookEvery == 0 && s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		columns := s.near.Columns(s.ix.Settings(), m.Distance, m.Jaccard, s.out.JSON())
		if err := s.out.Print(append([]column{col("query", id), col("id", string(m.ID))}, columns...)...); err != nil {
			return err
		}
	}
	return nil
}
