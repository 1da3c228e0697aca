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
	t := newTask(env)
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
			t.IndexFlag(),
			t.As.As("as", "what to write, `KIND`: "+strings.Join(exportKinds, ", ")).In(options.OutputGroup),
		}, t.CommonFlags()),
		Action: t.action(onIndex(runExport)),
	}
}

var exportKinds = []string{"fingerprints", "signatures", "sqlite"}

func runExport(t *task, ix *index.Snapshot) error {
	as := t.As.Value
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
		if t.Common.JSON {
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
		if !t.Common.Quiet {
			for line := range strings.Lines(r.Queries()) {
				fmt.Fprint(t.stderr, line)
			}
		}
		return r.Write(t.Context, t.stdout)
	}
	out := t.list()
	empty, err := results.PrintList(t.Context, ix, out, as == "signatures")
	if err != nil {
		return err
	}
	if empty > 0 && !t.Common.Quiet {
		t.warn("%s without features left out", terminal.Plural(empty, "document"))
	}
	return end(out)
}
