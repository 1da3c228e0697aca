package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/spill"
	"simsearch/internal/terminal"
)

func pairsCommand(env *environment) *cli.Command {
	t := newTask(env)
	return &cli.Command{
		Name:  "pairs",
		Usage: "list all near pairs of the collection",
		Description: `Prints every pair of near documents once, a before b in the order of the collection, ordered by a
and b. Near is what the index is made for: by default a Jaccard similarity of the sets of words
of 0.8, and the columns are a, b, similarity and distance. With --k, near are fingerprints that
differ in at most k bits, and the columns are a, b, distance and the share of equal bits; with
--jaccard, sets that overlap as much: a, b and similarity. With both flags, pairs are near both ways:
those that the distance finds, verified by their sets. --similarity S is --k by the share of equal
bits. With --cosine T, near are texts whose weighted words have a cosine of T or more, and the columns
are a, b, cosine and distance. Candidates are within a distance of fingerprints, which those at T are
with a probability of 99 %, or of --recall. Their texts are analysed again; where the index keeps none, the
cosine is the estimate cos(π·distance/bits).

If there are more than 10,000 pairs, a line on standard error says first how many, of how many documents in
how many groups, unless --quiet is given. These are estimates from some documents where very many are near each other. groups prints each
document once.

Documents with equal fingerprints are all near one another: a thousand of them make half a
million pairs. With --collapse each is paired with the first of them alone, and all other pairs
are of such first documents; nothing is lost, since equal documents are near the same ones. With
--jaccard, so are documents that differ only in a few features that no other one has, and with
--recall below 1 those with equal MinHash signatures: they are nearly equal.

With --by-field FIELD, a unit is the documents with one value of a kept field, such as the host of pages,
and the pairs are of units that have near documents: the columns are a, b, the share of the documents
of a that are near one of b, the share of those of b that are near one of a, and the numbers of these near
documents and of all documents of a and of b. The largest share comes first: 1 is a mirror, or
a copy of a part. --min-share and --min-near leave out pairs with less in common. Without a kept
field host, --by-field host takes it from the kept url or WARC-Target-URI, or from ids that are addresses.

With --show, lines below each pair have the titles of the two texts, if they differ, and the
first passages in which the texts differ: [-what a has-] {+what b has+}. A line tells of numbers
and negations that differ.

With --json each line is an object with the keys a, b, jaccard, cosine, distance, similarity (the
share of equal bits) as far as they are printed, standard_error of an estimate, and estimated (true, of
a cosine that is one); the first has "v": 1.
--show adds a_title and b_title, differences (a list of objects with before, a, b and after),
more_differences (the number of those left out), remarks, and show_error if a text cannot be had.
--by-field has a, b, a_in_b, b_in_a, a_near, b_near, a_documents and b_documents.

   simsearch pairs --index idx
   simsearch pairs --index idx --show
   simsearch pairs --index idx --k 3
   simsearch pairs --index idx --jaccard 0.8
   simsearch pairs --index idx --similarity 0.95
   simsearch pairs --index idx --cosine 0.9
   simsearch pairs --index idx --since 2024 --until 2024-06
   simsearch pairs --index idx --by-field host --min-share 0.5
   simsearch pairs --index idx --k 10 --jaccard 0.8`,
		Flags: slices.Concat([]cli.Flag{t.IndexFlag(), t.ExplainFlag(), t.ShowFlag(),
			t.Collapse.As("collapse", "pair documents with equal fingerprints, or nearly equal sets, with the first of them only").Alias("groups").In(options.OutputGroup),
		}, unitFlags(t), []cli.Flag{t.CosineFlag()}, t.PredicateFlags(), t.WhereFlags(), t.CommonFlags()),
		Action: t.action(asking(runPairs)),
	}
}

func runPairs(q *question) error {
	if err := checkUnits(q.task); err != nil {
		return err
	}
	how := index.PairOptions{Sources: q.sources, Where: q.where, Threads: q.Common.Threads, Groups: q.Collapse.Value, PairsInMemory: index.PairsInMemory(q.Common.Memory, q.ix.Len())}
	meter := q.startParts("pairing", &how.Progress, &how.Explain)
	defer meter.Stop()
	if q.near.Cosine != 0 && how.Groups {
		return errors.New("--cosine and --collapse exclude each other: documents with equal fingerprints may have different words")
	}
	if q.ByField.Value != "" {
		return q.printUnits(how, meter.Stop)
	}
	if !q.Common.Quiet {
		how.Many = func(m index.Many) { meter.Print("simsearch: " + results.Many(m, how.Groups)) }
	}
	out, estimated := q.rows(), 0
	settings := q.ix.Settings()
	var columns []column // of the last pair
	err := q.ix.Pairs(q.Context, q.near.Predicate, how, func(p index.Pair) error {
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
		if p.CosineEstimated {
			estimated++
		}
		columns = append(columns[:0], name("a", string(a)), name("b", string(b)))
		columns = q.near.AppendColumns(columns, settings, results.OfPair(p), q.Common.JSON)
		return q.shower.PrintPair(out, columns, p.A, p.B)
	})
	if errors.Is(err, spill.ErrSpace) {
		return fmt.Errorf("%w; simsearch groups takes less, and a higher similarity or a lower distance finds fewer pairs", err)
	}
	if err == nil {
		err = end(out)
	}
	if err != nil {
		return err
	}
	return q.note(q.remarks, estimated)
}

// unitFlags returns the flags of pairs that are about units of documents.
func unitFlags(t *task) []cli.Flag {
	return []cli.Flag{
		t.ByField.As("by-field", "print pairs of units, the documents with one value of the kept `FIELD`, such as hosts, with the share of near documents; host needs not be kept where url or WARC-Target-URI is, or where ids are addresses").In(options.OutputGroup),
		t.MinShare.As("min-share", "with --by-field, print pairs of units of which one has at least the share `S` of its documents near the other").By(commandline.Share).Told("0: all").In(options.OutputGroup),
		t.MinNear.As("min-near", "with --by-field, print pairs of units that both have at least `N` documents near the other").Or(1).By(commandline.Count("documents")).Told("1").In(options.OutputGroup),
	}
}

// checkUnits returns an error if the flags about units of documents contradict others.
func checkUnits(t *task) error {
	if t.ByField.Value == "" {
		if flag := commandline.FirstGiven(&t.MinShare, &t.MinNear); flag != "" {
			return fmt.Errorf("--%s is about units of documents: it wants --by-field", flag)
		}
		return nil
	}
	for _, flag := range []*commandline.Flag[bool]{&t.Show, &t.Collapse} {
		if flag.Value {
			return fmt.Errorf("--by-field and --%s exclude each other: pairs are of units, not of documents", flag.Names()[0])
		}
	}
	return nil
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
	pairs, err := q.ix.UnitPairs(q.Context, q.near.Predicate, how, units.Of)
	if err != nil {
		return err
	}
	stop()
	out := q.rows()
	for _, u := range pairs {
		if u.Share() < q.MinShare.Value || min(u.NearA, u.NearB) < q.MinNear.Value {
			continue
		}
		err := out.Print(name("a", units.Names[u.A]), name("b", units.Names[u.B]), col("a_in_b", u.AInB()), col("b_in_a", u.BInA()),
			col("a_near", u.NearA), col("b_near", u.NearB), col("a_documents", u.TotalA), col("b_documents", u.TotalB))
		if err != nil {
			return err
		}
	}
	ended := end(out)
	if q.Common.Quiet || ended != nil && !errors.Is(ended, errNothing) {
		return ended
	}
	if err := q.stdout.Flush(); err != nil {
		return err
	}
	told := fmt.Sprintf("%s, of %s of %s", terminal.Plural(out.Count(), "pair"), terminal.Plural(len(units.Names), "value"), terminal.Plain(field))
	if less := len(pairs) - out.Count(); less > 0 {
		told += fmt.Sprintf("; %s with less in common are left out", terminal.Thousands(less))
	}
	if units.Without > 0 {
		told += fmt.Sprintf("; documents without a value: %s", terminal.Thousands(units.Without))
	}
	q.warn("%s", told)
	return ended
}
