package main

import (
	"cmp"
	"errors"
	"fmt"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/tables"
)

func pairsCommand(t *task) *cli.Command {
	return t.command("pairs", runPairs, []cli.AnyFlag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
		t.LimitFlag(), t.BitsFlag(),
		t.SpareFlag("leave out pairs whose texts differ in `FACTS`"),
		t.ByField.As("by-field", "print pairs of units, such as hosts; a unit is all documents with one value of the kept `FIELD` or, with --passages INPUT, those of one folder below an input, if it is folder").In(cli.OutputGroup),
	}, t.PredicateFlags(), t.PassageFlags(), t.CorpusFlags(), []cli.AnyFlag{
		t.Out.As("out", "with --passages INPUT, write a page of the pairs to the directory `DIR`; it must be new, empty, or the result of the same command").In(cli.OutputGroup),
	}, t.WhereFlags(), t.CommonFlags())
}

func runPairs(t *task) error {
	if t.OfInputs() {
		return runCopied(t)
	}
	return asking(runIndexedPairs)(t)
}

func runIndexedPairs(q *question) error {
	if q.Passages.Value {
		return runQuotes(q)
	}
	how := q.pairOptions()
	meter := q.startParts("pairing", &how.Progress, &how.Explain)
	defer meter.Stop()
	if q.ByField.Value != "" {
		return q.printUnits(how, meter.Stop)
	}
	if !q.Quiet.Value {
		how.Many = func(m index.Many) { meter.Print("simsearch: " + q.near.Many(m)) }
	}
	out := q.rows()
	settings := q.ix.Settings()
	var columns []column // of the last pair
	err := q.ix.Pairs(q.Context, q.near.Predicate, how, func(p index.Pair) error {
		a, errA := q.ix.ID(p.A)
		b, errB := q.ix.ID(p.B)
		if err := cmp.Or(errA, errB, q.remarks.Pair(p.A, p.B)); err != nil {
			return err
		}
		columns = append(columns[:0], name("a", string(a)), name("b", string(b)))
		columns = q.near.AppendColumns(columns, settings, p.Measures, q.JSON.Value)
		if q.JSON.Value && settings.Image != 0 {
			x, _, errX := q.ix.Long(p.A)
			y, _, errY := q.ix.Long(p.B)
			if err := cmp.Or(errX, errY); err != nil {
				return err
			}
			if tables.Distance(x[:], y[:]) > q.near.Distance { // as they are
				columns = append(columns, col("turned", true))
			}
		}
		return q.shower.PrintPair(out, columns, p.A, p.B)
	})
	if errors.Is(err, spill.ErrSpace) {
		return fmt.Errorf("%w; simsearch groups takes less, and a higher similarity or a lower distance finds fewer pairs", err)
	}
	if err == nil {
		err = end(out)
	}
	if q.spared != nil && (err == nil || errors.Is(err, errNothing)) {
		meter.Stop()
		q.tell("%s", q.spared.Told("pair"))
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
		return fmt.Errorf("--by-field %s: no document has a value of it%s", terminal.Plain(field),
			terminal.If(field == "folder" && q.collection != nil, "; --passages compares what folders have"))
	}
	how.Limit = 0 // is about pairs of units
	pairs, err := units.Pairs(q.Context, q.ix, q.near.Predicate, how)
	if err != nil {
		return err
	}
	stop()
	if q.Limit.Has() {
		pairs = pairs[:min(q.Limit.Value, len(pairs))]
	}
	out := q.rows()
	for i := range pairs {
		if err := out.Print(units.Columns(&pairs[i])...); err != nil {
			return err
		}
	}
	ended := end(out)
	if ended == nil || errors.Is(ended, errNothing) {
		q.tell("%s", units.Told(field, out.Count()))
	}
	return ended
}

// pairOptions returns how pairs and groups are asked for.
func (q *question) pairOptions() index.PairOptions {
	how := index.PairOptions{Where: q.where, Chain: q.Group.Value == cli.Components, Threads: q.Threads.Value,
		Limit: q.Limit.Value, PairsInMemory: index.PairsInMemory(q.Memory.Value, q.ix.Len())}
	if q.spared != nil {
		how.Apart = q.spared.Apart
	}
	return how
}

// sparing returns what finds the documents that differ in what --spare names, which count as not near, or nil without
// the flag. The caller closes it.
func (t *task) sparing(ix *index.Snapshot) (*results.Spared, error) {
	if !t.Spare.Given {
		return nil, nil
	}
	err := cli.Mistakes{
		{t.Group.Value == cli.Components, "--spare with --group components: what differs is a document and the first of its group"},
		{t.ByField.Value != "", "--spare with --by-field: it is for pairs of documents"},
		{ix.Settings().Image != 0, "--spare: pictures have no facts"},
	}.First()
	if err != nil {
		return nil, err
	}
	texts, err := intake.OpenTexts(t.Context, ix)
	if err != nil {
		return nil, fmt.Errorf("--spare: %w", err)
	}
	return &results.Spared{Shower: results.Shower{Texts: texts}, Kinds: t.Spare.Value}, nil
}
