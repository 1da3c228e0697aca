package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func exportCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:  "export",
		Usage: "write out what an index holds",
		Description: `Prints, as KIND says, in the order of the collection:

fingerprints  a line ID<TAB>HEX each, which index --format fingerprints reads
signatures    a line ID<TAB>HEX each: the MinHash signature, two digits a position
sqlite        statements for SQLite or PostgreSQL that make tables of the documents, of the
              headers of their fingerprints and of the bands of their signatures; the queries
              of candidates stand at the beginning, and near --sql fills them in

Documents without features have neither and are left out of the lists. A tab, a line end or a NUL in
an id is written as U+FFFD and two hexadecimal digits, which index --format fingerprints reads back.

   simsearch export --index idx --as fingerprints > list.txt
   simsearch export --index idx --as sqlite | sqlite3 idx.db`,
		Flags: slices.Concat([]cli.Flag{
			c.IndexFlag(),
			c.As.As("as", "what to write, `KIND`: "+strings.Join(exportKinds, ", ")).In(options.OutputGroup),
		}, c.CommonFlags()),
		Action: env.action(c, onIndex(runExport)),
	}
}

var exportKinds = []string{"fingerprints", "signatures", "sqlite"}

func runExport(env *environment, c *options.Flags, ix *index.Snapshot) error {
	as := c.As.Value
	switch as {
	case "fingerprints":
		if err := index.Within(0).Check(ix.Settings()); err != nil {
			return err
		}
	case "signatures":
		if !ix.Settings().Signatures() {
			return errors.New("the index has no signatures: make one with --perms 128")
		}
	case "sqlite":
		if c.Common.JSON {
			return fmt.Errorf("export --as sqlite writes SQL, not JSON")
		}
	default:
		return fmt.Errorf("export --as %q: want one of %s", as, strings.Join(exportKinds, ", "))
	}
	if err := ix.VerifyChecksums(); err != nil {
		return err
	}
	if as == "sqlite" {
		r := results.NewRelational(ix, index.DefaultDistance)
		if !c.Common.Quiet {
			for line := range strings.Lines(r.Queries()) {
				fmt.Fprint(env.stderr, line)
			}
		}
		return r.Write(c.Context, env.stdout)
	}
	out := env.newList(c.Common.JSON)
	empty, err := results.PrintList(c.Context, ix, out, as == "signatures")
	if err != nil {
		return err
	}
	if empty > 0 && !c.Common.Quiet {
		fmt.Fprintf(env.stderr, "simsearch: %s without features left out\n", terminal.Plural(empty, "document"))
	}
	return end(out)
}
