package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func exportCommand(t *task) *cli.Command {
	return t.command("export", onIndex(runExport), []cli.Flag{
		t.IndexFlag(),
		t.As.As("as", "what to write, `KIND`: "+strings.Join(exportKinds, ", ")).In(options.OutputGroup),
	}, t.CommonFlags())
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
	if empty > 0 {
		t.tell("%s without features left out", terminal.Plural(empty, "document"))
	}
	return end(out)
}
