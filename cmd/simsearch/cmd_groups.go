package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func groupsCommand(t *task) *cli.Command {
	return t.command("groups", asking(runGroups), []cli.Flag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
		t.Chain.As("chain", "make groups of whatever near pairs connect").In(options.OutputGroup),
		t.GroupFormat.As("format", "print groups as `FORMAT`: table, tsv, json or html").Told("table on a terminal, else tsv").In(options.OutputGroup),
		t.KeepOfGroupFlag(),
	}, []cli.Flag{t.CosineFlag()}, t.PredicateFlags(), t.WhereFlags(), t.CommonFlags())
}

func runGroups(q *question) error {
	out, err := groupsOf(q)
	if err != nil {
		return err
	}
	if out.Current != nil && out.Current.Texts != nil {
		defer out.Current.Texts.Close() //nolint:errcheck // it was read only
	}
	how := index.GroupOptions{Sources: q.sources, Where: q.where, Chain: q.Chain.Value, Threads: q.Threads.Value, PairsInMemory: index.PairsInMemory(q.Memory.Value, q.ix.Len())}
	meter := q.startParts("grouping", &how.Progress, &how.Explain)
	defer meter.Stop()
	apart, estimated, documents := 0, 0, 0
	err = q.ix.Groups(q.Context, q.near.Predicate, how, func(g index.Group) error {
		documents += len(g.Documents)
		if g.Apart {
			apart++
		}
		if g.Estimated {
			estimated++
		}
		defer func() { meter.Phase(terminal.Plural(out.Count(), "group") + " printed") }()
		return errors.Join(q.remarks.Group(g), out.Print(g))
	})
	if err != nil {
		return err
	}
	if out.Count() == 0 {
		return errNothing
	}
	meter.Stop()
	told := fmt.Sprintf("%s of %s in all", terminal.Plural(out.Count(), "group"), terminal.Plural(documents, "document"))
	if apart > 0 && how.Chain {
		told += fmt.Sprintf("; %s of them chain what is not near: leave --chain out for groups whose documents are all near one", terminal.Thousands(apart))
	}
	if estimated > 0 {
		told += fmt.Sprintf("; %s of them so large that a part of their pairs was compared, and the extreme may be worse than printed", terminal.Thousands(estimated))
	}
	if out.Current != nil {
		told += out.Current.Told()
	}
	if q.near.BySets() && q.near.Verify == index.Unverified {
		with := "its representative"
		if how.Chain {
			with = "another of it"
		}
		told += "; they are unverified: documents of a group share a bucket of a band with " + with + ", however similar they are"
	}
	if err := q.stdout.Flush(); err != nil {
		return err
	}
	q.tell("%s", told)
	return q.note(q.remarks, 0)
}

// groupsOf returns what prints groups as the flags say. The caller closes the texts of its current documents.
func groupsOf(q *question) (out results.Groups, err error) {
	out = results.Groups{Index: q.ix, Near: q.near, Shower: q.shower, Columns: q.columns, Rows: terminal.NewList(q.stdout, q.outIsTerminal, false)}
	format := q.GroupFormat.Value
	if q.JSON.Given && q.JSON.Value && q.GroupFormat.Given && format != "json" {
		return out, fmt.Errorf("--json is --format json, and excludes --format %s", format)
	}
	if q.JSON.Value && !q.GroupFormat.Given {
		format = "json"
	}
	if format == "" && q.outIsTerminal {
		format = "table"
	}
	if err := out.SetFormat(format, q.objects(), q.stdout); err != nil {
		return out, err
	}
	if q.ix.Settings().Image != 0 {
		out.Pictures = intake.OpenPictures(q.ix).Small
	}
	keep, field, ok, err := q.CurrentWay(q.ix.Input())
	if err != nil || !ok {
		return out, err
	}
	out.Current = &results.Current{Index: q.ix, Keep: keep, Field: field, Base: q.ix.Info().Base}
	if keep.Way == dedup.Longest {
		out.Current.Texts, err = intake.OpenTexts(q.Context, q.ix)
	}
	return out, err
}
