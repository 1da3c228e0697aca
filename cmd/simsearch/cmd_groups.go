package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func groupsCommand(env *environment) *cli.Command {
	t := newTask(env)
	return &cli.Command{
		Name:  "groups",
		Usage: "list the groups of near documents of the collection",
		Description: `Prints groups of near documents, the largest first. The first document of a group is its
representative, and all others are near it. With each group stands the smallest similarity of any
two of its documents or, with --k, their largest distance.

With --cosine T, near are texts whose weighted words have a cosine of T or more, as in pairs, and the
smallest cosine of two documents stands with each group. --where, --since and --until make groups of
the documents that meet them, as if there were no others.

With --chain a group is whatever near pairs connect: A and C are in one group if both are near B,
however little A and C have in common. The smallest similarity tells.

The formats are

table  a block for each group, as people read it; this is what a terminal gets
tsv    a line for each document, with tabs: the number of the group, its size, the smallest
       similarity or largest distance in it, and the id; this is what everything else gets
json   an object on one line for each group; --json is the same
html   a page of all groups, which needs nothing else

With --show, the titles of the documents stand with their ids, and the first passages in which each
differs from the representative: [-what that has-] {+what it has+}. In a table there is also its
similarity to the representative.

With --keep newest, each group tells its current document: the newest by the date that index --keep-fields
has kept (date, published or WARC-Date, or --date-field), or without one by the time of the file. --keep
newest:FIELD, oldest:FIELD, highest:FIELD and lowest:FIELD go by another kept field, longest by the
text, and first by the order of the index. Of equal ones the first is current.

With --verify none, in an index with signatures, a group is the documents that share a bucket of a
band with its representative, or with --chain with any other of the group. Such groups are unverified,
and said to be: the smallest similarity tells how near their documents are.

The keys of JSON are group (the number), size, representative, min_similarity, min_cosine or
max_distance, estimated (if so large a group was compared in part), cosine_estimated (if some cosine follows from
a distance, since there was no text), current and current_value (with --keep), unverified (with --verify none)
and ids, the representative first; the first object has "v": 1. Lists with tabs have a column more with --keep, the
way or -, and one more with --verify none. --show adds members, a list of objects with id, title, jaccard, cosine or distance to the
representative, differences (a list of objects with before, a, b and after), more_differences (the
number of those left out), remarks, and show_error if a text cannot be had; more_members is the
number of documents left out of it.

   simsearch groups --index idx
   simsearch groups --index idx --show
   simsearch groups --index idx --jaccard 0.9 --json
   simsearch groups --index idx --cosine 0.9 --where source=wire
   simsearch groups --index idx --keep newest`,
		Flags: slices.Concat([]cli.Flag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
			t.Chain.As("chain", "make groups of whatever near pairs connect").In(options.OutputGroup),
			t.GroupFormat.As("format", "print groups as `FORMAT`: table, tsv, json or html").Told("table on a terminal, else tsv").In(options.OutputGroup),
			t.KeepOfGroupFlag(),
		}, []cli.Flag{t.CosineFlag()}, t.PredicateFlags(), t.WhereFlags(), t.CommonFlags()),
		Action: t.action(asking(runGroups)),
	}
}

func runGroups(q *question) error {
	out, err := groupsOf(q)
	if err != nil {
		return err
	}
	if out.Current != nil && out.Current.Texts != nil {
		defer out.Current.Texts.Close() //nolint:errcheck // it was read only
	}
	how := index.GroupOptions{Sources: q.sources, Where: q.where, Chain: q.Chain.Value, Threads: q.Common.Threads, PairsInMemory: index.PairsInMemory(q.Common.Memory, q.ix.Len())}
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
	if q.JSON.Given && q.Common.JSON && q.GroupFormat.Given && format != "json" {
		return out, fmt.Errorf("--json is --format json, and excludes --format %s", format)
	}
	if q.Common.JSON && !q.GroupFormat.Given {
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
