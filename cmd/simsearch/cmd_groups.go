package main

import (
	"cmp"
	"errors"
	"fmt"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func groupsCommand(t *task) *cli.Command {
	run := func(t *task) error {
		earlier, err := results.EarlierSARIF(t.Against.Value) // before all else is read
		if err != nil {
			return err
		}
		return asking(func(q *question) error { return q.groups(earlier) })(t)
	}
	return t.command("groups", run, []cli.AnyFlag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
		t.LimitFlag(), t.BitsFlag(),
		t.GroupFlag("make groups by `HOW`").In(cli.OutputGroup),
		t.SpareFlag("leave out documents that differ from the first of the group in `FACTS`"),
		t.Out.As("out", "write the groups to `FILE`.sarif, too, which code hosts show").In(cli.OutputGroup),
		t.Against.As("against", "leave out groups that `FILE`.sarif, an earlier --out, has").In(cli.OutputGroup),
	}, t.PredicateFlags(), t.WhereFlags(), t.CorpusFlags(), t.CommonFlags())
}

// groups prints the groups, but for those that earlier logs have.
func (q *question) groups(earlier map[string]bool) error {
	out := results.Groups{Index: q.ix, Near: q.near, Shower: q.shower, Rows: q.rows()}
	if q.Out.Value != "" || earlier != nil {
		texts, err := intake.OpenTexts(q.Context, q.ix)
		if err == nil {
			out.SARIF, err = results.CreateSARIF(q.Out.Value, earlier, texts)
		}
		if err != nil {
			return err
		}
		defer out.SARIF.Close()
	}
	how, limit := q.pairOptions(), q.Limit.Value
	if earlier != nil {
		how.Limit = 0
	}
	meter := q.startParts("grouping", &how.Progress, &how.Explain)
	defer meter.Stop()
	apart, estimated := 0, 0
	err := q.ix.Groups(q.Context, q.near.Predicate, how, func(g index.Group) error {
		if earlier != nil && limit > 0 && out.Count() == limit {
			return nil
		}
		if g.Apart && how.Chain {
			apart++
		}
		if g.Estimated {
			estimated++
		}
		defer func() { meter.Phase(terminal.Plural(out.Count(), "group") + " printed") }()
		return errors.Join(q.remarks.Group(g), out.Print(g))
	})
	if err == nil && out.SARIF != nil {
		err = out.SARIF.End()
	}
	if err == nil {
		err = end(out.Rows)
	}
	if err != nil && (out.Known == 0 || !errors.Is(err, errNothing)) {
		return err
	}
	meter.Stop()
	mayBeMore := limit > 0 && out.Count() == limit
	told := fmt.Sprintf("%s of %s", terminal.Plural(out.Count(), "group"), terminal.Plural(out.Documents, "document"))
	told += terminal.If(mayBeMore, "; any others are beyond --limit %d", limit) + terminal.If(!mayBeMore, " in all")
	told += terminal.Some(out.Known, "; --against has %s more")
	told += terminal.Some(apart, "; %s of them chain what is not near: "+
		"leave --group out for groups whose documents are all near one")
	told += terminal.Some(estimated, "; %s of them so large that a part of their pairs was compared, "+
		"and the extreme may be worse than printed")
	if q.spared != nil {
		told += "; " + q.spared.Told("document")
	}
	q.tell("%s", told)
	return cmp.Or(err, q.note())
}
