package main

import (
	"errors"
	"fmt"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func pairsCommand(t *task) *cli.Command {
	return t.command("pairs", runPairs, []cli.AnyFlag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
		t.LimitFlag(),
		t.SpareFlag("leave out pairs whose texts differ in `FACTS`"),
		t.ByField.As("by-field", "print pairs of units, such as hosts; a unit is all documents with one value of the kept `FIELD` or, with --passages INPUT, those of one folder below an input, if it is folder").In(cli.OutputGroup),
	}, t.PredicateFlags(), t.PassageFlags(), t.CopiedFlags(), t.WhereFlags(), t.CommonFlags())
}

func runPairs(t *task) error {
	if t.OfInputs() {
		return runCopied(t)
	}
	return asking(runIndexedPairs)(t)
}

func runIndexedPairs(q *question) error {
	if err := q.CheckPassages(); err != nil {
		return err
	}
	switch {
	case q.Passages.Value:
		return runQuotes(q)
	case q.ByField.Given && q.Show.Value:
		return errors.New("--by-field and --show exclude each other: pairs are of units, not of documents")
	}
	how := index.PairOptions{Where: q.where, Threads: q.Threads.Value,
		Limit: q.Limit.Value, PairsInMemory: index.PairsInMemory(q.Memory.Value, q.ix.Len())}
	meter := q.startParts("pairing", &how.Progress, &how.Explain)
	defer meter.Stop()
	spared, err := q.spared(&how)
	if err != nil {
		return err
	}
	if spared != nil {
		defer spared.Texts.Close() //nolint:errcheck // it was read only
	}
	if q.ByField.Value != "" {
		return q.printUnits(how, meter.Stop)
	}
	if !q.Quiet.Value {
		how.Many = func(m index.Many) { meter.Print("simsearch: " + results.Many(m)) }
	}
	out := q.rows()
	settings := q.ix.Settings()
	var columns []column // of the last pair
	err = q.ix.Pairs(q.Context, q.near.Predicate, how, func(p index.Pair) error {
		a, err := q.ix.ID(p.A)
		if err != nil {
			return err
		}
		b, err := q.ix.ID(p.B)
		if err != nil {
			return err
		}
		if err := q.remarks.Pair(p.A, p.B); err != nil {
			return err
		}
		columns = append(columns[:0], name("a", string(a)), name("b", string(b)))
		columns = q.near.AppendColumns(columns, settings, p.Measures, q.JSON.Value)
		return q.shower.PrintPair(out, columns, p.A, p.B)
	})
	if errors.Is(err, spill.ErrSpace) {
		return fmt.Errorf("%w; simsearch groups takes less, and a higher similarity or a lower distance finds fewer pairs", err)
	}
	if err == nil {
		err = end(out)
	}
	if spared != nil && !q.Quiet.Value && (err == nil || errors.Is(err, errNothing)) {
		meter.Stop()
		if err := q.stdout.Flush(); err != nil {
			return err
		}
		q.tell("%s", spared.Told("pair"))
	}
	if err != nil {
		return err
	}
	return q.note()
}

// printUnits prints the pairs of units that have near documents.
func (q *question) printUnits(how index.PairOptions, stop func()) error {
	field := q.ByField.Value
	units, err := results.UnitsOf(q.ix, field)
	if err != nil {
		return err
	}
	if len(units.Names) == 0 {
		return fmt.Errorf("--by-field %s: no document has a value of it", terminal.Plain(field))
	}
	how.Limit = 0 // is about pairs of units
	pairs, err := results.UnitPairs(q.Context, q.ix, q.near.Predicate, how, units.Of)
	if err != nil {
		return err
	}
	stop()
	out := q.rows()
	for _, u := range pairs {
		if q.Limit.Has() && out.Count() == q.Limit.Value {
			break
		}
		err := out.Print(units.Columns(&u)...)
		if err != nil {
			return err
		}
	}
	ended := end(out)
	if q.Quiet.Value || ended != nil && !errors.Is(ended, errNothing) {
		return ended
	}
	if err := q.stdout.Flush(); err != nil {
		return err
	}
	q.warn("%s", units.Told(field, out.Count()))
	return ended
}

// reviewed returns the page of --review, or nil without the flag. The caller closes the texts.
func (q *question) reviewed(how *index.PairOptions) (*results.Review, error) {
	if !q.Review.Given {
		return nil, nil
	}
	err := cli.Mistakes{
		{how.Chain, "--review with --group components: a document is asked about with the first of its group, which need not be near it"},
		{q.As.Given || q.JSON.Value || q.Show.Value || q.CurrentOf.Given, "--review prints a page of its own: leave out --as, --json, --show and --keep"},
		{q.ix.Settings().Image != 0, "--review: groups of texts can be reviewed; dedup --review shows pictures"},
	}.First()
	if err != nil {
		return nil, err
	}
	texts, err := intake.OpenTexts(q.Context, q.ix)
	if err != nil {
		return nil, fmt.Errorf("--review: %w", err)
	}
	return &results.Review{Index: q.ix, Near: q.near, Texts: texts, Asked: q.Review.Value}, nil
}

// spared makes documents that differ in what --spare names count as not near, and returns these, or nil without the flag. The caller
// closes the texts.
func (q *question) spared(how *index.PairOptions) (*results.Spared, error) {
	if !q.Spare.Given {
		return nil, nil
	}
	err := cli.Mistakes{
		{how.Chain, "--spare with --group components: what differs is a document and the first of its group"},
		{q.ByField.Value != "", "--spare with --by-field: it is for pairs of documents"},
		{q.ix.Settings().Image != 0, "--spare: pictures have no numbers and negations"},
	}.First()
	if err != nil {
		return nil, err
	}
	texts, err := intake.OpenTexts(q.Context, q.ix)
	if err != nil {
		return nil, fmt.Errorf("--spare: %w", err)
	}
	s := &results.Spared{Texts: texts, Kinds: q.Spare.Value}
	how.Apart = s.Apart
	return s, nil
}

func groupsCommand(t *task) *cli.Command {
	return t.command("groups", asking(runGroups), []cli.AnyFlag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
		t.LimitFlag(),
		t.GroupFlag("make groups by `HOW`").In(cli.OutputGroup),
		t.As.As("as", "print groups as `FORMAT`: table, tsv, json or html").By(cli.OneOf("table, tsv, json or html", "table", "tsv", "json", "html")).Told("table on a terminal, else tsv").In(cli.OutputGroup),
		t.ReviewFlag("print a page to mark `N` documents as right or wrong"),
		t.KeepOfGroupFlag(), t.SpareFlag("leave out documents that differ from the first of the group in `FACTS`"),
	}, t.PredicateFlags(), t.WhereFlags(), t.CommonFlags())
}

func runGroups(q *question) error {
	out, err := groupsOf(q)
	if err != nil {
		return err
	}
	defer out.Close() //nolint:errcheck // texts were read only
	how := index.PairOptions{Where: q.where, Chain: q.Group.Value == cli.Components, Threads: q.Threads.Value,
		Limit: q.Limit.Value, PairsInMemory: index.PairsInMemory(q.Memory.Value, q.ix.Len())}
	meter := q.startParts("grouping", &how.Progress, &how.Explain)
	defer meter.Stop()
	spared, err := q.spared(&how)
	if err != nil {
		return err
	}
	if spared != nil {
		defer spared.Texts.Close() //nolint:errcheck // it was read only
	}
	reviewed, err := q.reviewed(&how)
	if err != nil {
		return err
	}
	if reviewed != nil {
		defer reviewed.Texts.Close() //nolint:errcheck // it was read only
	}
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
		if reviewed != nil {
			out.Pass()
			return reviewed.Group(g)
		}
		return errors.Join(q.remarks.Group(g), out.Print(g))
	})
	if err != nil {
		return err
	}
	if out.Count() == 0 {
		return errNothing
	}
	meter.Stop()
	if reviewed != nil {
		err = reviewed.WriteHTML(q.stdout)
	} else {
		err = out.End(q.repeating(), out.Count() == q.Limit.Value)
	}
	if err != nil {
		return err
	}
	told := fmt.Sprintf("%s of %s in all", terminal.Plural(out.Count(), "group"), terminal.Plural(documents, "document"))
	if out.Count() == q.Limit.Value { // there may be more
		told = fmt.Sprintf("%s of %s; any others are beyond --limit %d", terminal.Plural(out.Count(), "group"), terminal.Plural(documents, "document"), q.Limit.Value)
	}
	if apart > 0 && how.Chain {
		told += fmt.Sprintf("; %s of them chain what is not near: leave --group out for groups whose documents are all near one", terminal.Thousands(apart))
	}
	if estimated > 0 {
		told += fmt.Sprintf("; %s of them so large that a part of their pairs was compared, and the extreme may be worse than printed", terminal.Thousands(estimated))
	}
	if spared != nil {
		told += "; " + spared.Told("document")
	}
	if out.Current != nil {
		told += out.Current.Told()
	}
	if err := q.stdout.Flush(); err != nil {
		return err
	}
	q.tell("%s", told)
	return q.note()
}

// groupsOf returns what prints groups as the flags say. The caller closes it.
func groupsOf(q *question) (out results.Groups, err error) {
	out = results.Groups{Index: q.ix, Near: q.near, Shower: q.shower, Columns: q.columns, Chain: q.Group.Value == cli.Components}
	format := q.As.Value
	if q.JSON.Given && q.JSON.Value && q.As.Given && format != "json" {
		return out, fmt.Errorf("--json is --as json, and excludes --as %s", format)
	}
	if q.JSON.Value && !q.As.Given {
		format = "json"
	}
	switch {
	case format == "table", format == "" && q.outIsTerminal:
		out.Table = q.stdout
	case format == "html":
		out.HTML = q.stdout
	default:
		out.Rows = terminal.NewList(q.stdout, q.outIsTerminal, format == "json")
	}
	switch {
	case q.ix.Settings().Image != 0:
		out.Pictures = intake.OpenPictures(q.ix).Small
	case out.HTML != nil && q.ix.Keep() != index.KeepNothing:
		if out.Texts, err = intake.OpenTexts(q.Context, q.ix); err != nil {
			return out, err
		}
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
