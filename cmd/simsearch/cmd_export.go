package main

import (
	"strings"

	"simsearch/internal/cli"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func exportCommand(t *task) *cli.Command {
	return t.command("export", runExport, []cli.AnyFlag{
		t.IndexFlag(),
		t.As.As("as", "what to write, `KIND`: "+strings.Join(results.ExportKinds, ", ")).In(cli.OutputGroup),
	}, t.CommonFlags())
}

func runExport(t *task) error { return t.withIndex(t.export) }

// export writes what --as names of an index.
func (t *task) export(ix *index.Snapshot) error {
	as := t.As.Value
	if err := results.CheckExport(ix, as, t.JSON.Value); err != nil {
		return err
	}
	if err := ix.VerifyChecksums(); err != nil {
		return err
	}
	if as == "sql" {
		how := index.PairOptions{Threads: t.Threads.Value, PairsInMemory: index.PairsInMemory(t.Memory.Value, ix.Len())}
		return results.PrintSQL(t.Context, ix, how, t.stdout)
	}
	out, empty := t.list(), 0
	isList, err := as == "fingerprints" || as == "signatures", error(nil)
	if isList {
		empty, err = results.PrintList(t.Context, ix, out, as == "signatures")
	} else {
		empty, err = results.PrintBinary(t.Context, ix, t.stdout, "."+as)
	}
	if err != nil {
		return err
	}
	if empty > 0 {
		t.tell("%s of one colour left out", terminal.Plural(empty, "picture"))
	}
	if !isList && empty < ix.Len() {
		return nil
	}
	return end(out)
}
