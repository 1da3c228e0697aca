package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/index"
)

func nearCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "near",
		Usage:     "find the documents near a query",
		ArgsUsage: "QUERY... | --text TEXT | --fingerprint HEX",
		Description: `Prints, for each document of the query files, the documents of the index whose fingerprints
differ from its own in at most k bits: query, id, distance and similarity, ordered by query,
distance and id. A query is analysed with the settings of the index.

   simsearch near --index idx --k 3 new-article.txt
   simsearch near --index idx --text "The quick brown fox"
   simsearch near --index idx --fingerprint 5abf969df17af7dd`,
		Flags: slices.Concat([]cli.Flag{
			indexFlag(), distanceFlag(),
			explainFlag(),
			&cli.StringFlag{Name: "text", Usage: "the query is `TEXT`"},
			&cli.StringFlag{Name: "fingerprint", Usage: "the query is the fingerprint `HEX`"},
		}, corpusFlags(), commonFlags()),
		Action: func(c *cli.Context) error {
			if err := oneKindOfQuery(c); err != nil {
				return err
			}
			return env.withIndexAndArguments(c, func(o common, ix *index.Index) error { return runNear(env, c, o, ix) })
		},
	}
}

// A search answers the queries of one run of near.
type search struct {
	ix      *index.Index
	k       int
	out     *rows
	scratch index.Scratch
	matches []index.Match
	empty   int // queries without features
}

func runNear(env *environment, c *cli.Context, o common, ix *index.Index) error {
	bits := ix.Settings().Bits
	k, err := distance(c, bits)
	if err != nil {
		return err
	}
	if c.Bool("explain-plan") {
		for _, line := range ix.Explain(k) {
			fmt.Fprintln(env.stderr, "simsearch: "+line)
		}
	}
	s := &search{ix: ix, k: k, out: env.newRows(o.json)}
	switch {
	case c.IsSet("fingerprint"):
		fp, err := fingerprint.Parse(c.String("fingerprint"), bits)
		if err != nil {
			return err
		}
		if err := s.print(fingerprint.Format(fp, bits), fp); err != nil {
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
	if s.empty > 0 && !o.quiet {
		fmt.Fprintf(env.stderr, "simsearch: %s without features, near nothing\n", plural(s.empty, "query document"))
	}
	return s.out.end()
}

func oneKindOfQuery(c *cli.Context) error {
	kinds := 0
	for _, given := range []bool{c.Args().Present(), c.IsSet("text"), c.IsSet("fingerprint")} {
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
func (s *search) files(env *environment, c *cli.Context, o common) error {
	r, err := env.openCorpus(c, s.ix.Settings().Bits)
	if err != nil {
		return err
	}
	in := env.newIntake(r, o, "searching")
	for doc, readErr := range in.documents() {
		if err = readErr; err == nil {
			err = c.Context.Err()
		}
		switch {
		case err != nil:
		case doc.HasFingerprint:
			err = s.print(string(doc.ID), doc.Fingerprint)
		default:
			err = s.text(string(doc.ID), doc.Text)
		}
		if err != nil {
			break
		}
	}
	if closeErr := in.close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = in.result(c.Bool("skip-bad"))
	}
	return err
}

// text answers a query that is a text.
func (s *search) text(id string, text []byte) error {
	fp, ok := s.ix.Analysis().Fingerprint(&s.scratch, text)
	if !ok {
		s.empty++
		return nil
	}
	return s.print(id, fp)
}

// print answers a query.
func (s *search) print(id string, fp uint64) error {
	var err error
	if s.matches, err = s.ix.Near(s.matches[:0], fp, s.k); err != nil {
		return err
	}
	for _, m := range s.matches {
		err := s.out.print(
			column{"query", id}, column{"id", string(m.ID)}, column{"distance", m.Distance},
			column{"similarity", fingerprint.Similarity(m.Distance, s.ix.Settings().Bits)})
		if err != nil {
			return err
		}
	}
	return nil
}
