package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

// unitFlags returns the flags of pairs that are about units of documents.
func unitFlags(c *options.Flags) []cli.Flag {
	return []cli.Flag{
		c.ByField.As("by-field", "print pairs of units, the documents with one value of the kept `FIELD`, such as hosts, with the share of near documents; host needs not be kept where url or WARC-Target-URI is, or where ids are addresses").In(options.OutputGroup),
		c.MinShare.As("min-share", "with --by-field, print pairs of units of which one has at least the share `S` of its documents near the other").By(commandline.Share).Told("0: all").In(options.OutputGroup),
		c.MinNear.As("min-near", "with --by-field, print pairs of units that both have at least `N` documents near the other").Or(1).By(commandline.Count("documents")).Told("1").In(options.OutputGroup),
	}
}

// wantedUnits are the pairs of units that are printed.
type wantedUnits struct {
	field string
	share float64
	near  int
}

// wantedUnitsOf returns what the flags say, or nil without --by-field.
func wantedUnitsOf(c *options.Flags) (*wantedUnits, error) {
	w := &wantedUnits{field: c.ByField.Value, share: c.MinShare.Value, near: c.MinNear.Value}
	if w.field == "" {
		if flag := commandline.FirstGiven(&c.MinShare, &c.MinNear); flag != "" {
			return nil, fmt.Errorf("--%s is about units of documents: it wants --by-field", flag)
		}
		return nil, nil
	}
	for _, flag := range []*commandline.Flag[bool]{&c.Show, &c.Collapse} {
		if flag.Value {
			return nil, fmt.Errorf("--by-field and --%s exclude each other: pairs are of units, not of documents", flag.Names()[0])
		}
	}
	return w, nil
}

// printUnits prints the pairs of units that have near documents.
func (env *environment) printUnits(c *options.Flags, ix *index.Snapshot, p index.Predicate, how index.PairOptions, want *wantedUnits, stop func()) error {
	units, err := results.UnitsOf(ix, want.field)
	if err != nil {
		return err
	}
	if len(units.Names) == 0 {
		return fmt.Errorf("--by-field %s: no document has a value of it", terminal.Plain(want.field))
	}
	pairs, err := ix.UnitPairs(c.Context, p, how, units.Of)
	if err != nil {
		return err
	}
	stop()
	out := env.newRows(c.Common.JSON)
	for _, u := range pairs {
		if u.Share() < want.share || min(u.NearA, u.NearB) < want.near {
			continue
		}
		err := out.Print(name("a", units.Names[u.A]), name("b", units.Names[u.B]), col("a_in_b", u.AInB()), col("b_in_a", u.BInA()),
			col("a_near", u.NearA), col("b_near", u.NearB), col("a_documents", u.TotalA), col("b_documents", u.TotalB))
		if err != nil {
			return err
		}
	}
	ended := end(out)
	if c.Common.Quiet || ended != nil && !errors.Is(ended, errNothing) {
		return ended
	}
	if err := env.stdout.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(env.stderr, "simsearch: "+toldOfUnits(want.field, units, len(pairs), out.Count()))
	return ended
}

// toldOfUnits says how many pairs of units there are, of which some are printed.
func toldOfUnits(field string, u results.Units, found, printed int) string {
	told := fmt.Sprintf("%s, of %s of %s", terminal.Plural(printed, "pair"), terminal.Plural(len(u.Names), "value"), terminal.Plain(field))
	if found > printed {
		told += fmt.Sprintf("; %s with less in common are left out", terminal.Thousands(found-printed))
	}
	if u.Without > 0 {
		told += fmt.Sprintf("; documents without a value: %s", terminal.Thousands(u.Without))
	}
	return told
}
