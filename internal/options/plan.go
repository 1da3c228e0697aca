package options

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/commandline"
)

// PlanFlags returns the flags that say for which searches an index is planned.
func (c *Flags) PlanFlags() []cli.Flag {
	return []cli.Flag{
		c.PlanK.As("plan-k", "plan the tables for queries within `N` bits; others are answered exactly, too").Or(index.DefaultDistance),
		c.Blocks.As("blocks", "make the tables by hand, as Manku et al. do: divide fingerprints into `G` blocks, with a table for each choice of --header-blocks of them; stored in the index").Told("the tables that --plan-k plans"),
		c.HeaderBlocks.As("header-blocks", "permute each choice of `N` of the --blocks to the top, as the header of a table; less than --blocks, by at least --plan-k if that is given").Told("none"),
		c.PlanJaccard.As("plan-jaccard", "plan for queries of a Jaccard similarity of `T` or more; others are answered, too, by comparing all sets").By(commandline.Share).Told("0.8"),
		c.RecallFlag(), c.BandsFlag(), c.WeighMissesFlag(),
		c.ImageHashFlag(),
		c.Gather.As("gather", "make one set of the records of one id: who bought what, a row USER,ITEM of a table for each purchase, or a line USER<TAB>ITEM with --format sets; --id-field and --text-field name the columns"),
		c.Transpose.As("transpose", "as --gather, but index for each item the set of the ids that have it: similar items in place of similar users"),
		c.KeepFields.As("keep-fields", "keep the values of `FIELD[,FIELD...]` of JSON records, tables or headers of crawls and mail, for --where, --since and --until"),
		c.KeepTexts.As("keep", "keep `WHAT` of the texts, so that --show and compare can show them: text (compressed), source (where each was read) or nothing; searches need none of it").By(commandline.Named(index.ParseKeep)).Told("text, or nothing in an index of fingerprints alone"),
	}
}

// PlanOptions returns the options that the tables and bands are planned for.
func PlanOptions(c *Flags, s analysis.Settings) (o index.WriterOptions, err error) {
	commandline.Put(&c.KeepTexts, &o.Keep)
	o.Input = index.Input{IDField: c.IDField.Value, TextField: c.TextField.Value, FingerprintField: c.FingerprintField.Value, MailWithout: c.MailWithout.Value, KeepFields: c.KeepFields.Value}
	if c.KeepFields.Given && slices.Contains(o.Input.Kept(), "") {
		return o, fmt.Errorf("--keep-fields %q: want names with a comma between two of them", o.Input.KeepFields)
	}
	if err := checkGathered(c, s); err != nil {
		return o, err
	}
	o.Input.Pairs, o.Input.Transposed = Gathers(c), c.Transpose.Value
	o.Distance = index.DefaultDistance
	if p := c.Preset.Value; p.name != "" {
		o.Distance = p.k
		o.Search = analysis.Search{Preset: p.name, Distance: p.k}
	}
	if s.Image != 0 {
		o.Distance = imageDistances[s.Image]
		o.Search = analysis.Search{Distance: o.Distance}
	}
	commandline.Put(&c.PlanK, &o.Distance)
	if o.Distance < 1 || o.Distance >= s.Bits {
		return o, fmt.Errorf("--plan-k %d: want a number of bits from 1 to %d", o.Distance, s.Bits-1)
	}
	if err := setBlocks(c, s, &o); err != nil {
		return o, err
	}
	if err := planBands(c, s, &o); err != nil {
		return o, err
	}
	if s.Sets() && c.Format.Value == corpus.Fingerprints {
		return o, fmt.Errorf("fingerprints have no features, which mode %s wants: make an index of them alone, with --preset classic", s.Mode)
	}
	o.Threshold = c.PlanJaccard.Value
	return o, nil
}
