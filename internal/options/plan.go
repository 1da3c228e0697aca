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
func PlanFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "plan-k", Value: index.DefaultDistance, Usage: "plan the tables for queries within `N` bits; others are answered exactly, too"},
		&cli.IntFlag{Name: "blocks", Usage: "make the tables by hand, as Manku et al. do: divide fingerprints into `G` blocks, with a table for each choice of --header-blocks of them; stored in the index", DefaultText: "the tables that --plan-k plans"},
		&cli.IntFlag{Name: "header-blocks", Usage: "permute each choice of `N` of the --blocks to the top, as the header of a table; less than --blocks, by at least --plan-k if that is given", DefaultText: "none"},
		&cli.StringFlag{Name: "plan-jaccard", Usage: "plan for queries of a Jaccard similarity of `T` or more; others are answered, too, by comparing all sets", DefaultText: "0.8"},
		RecallFlag(), BandsFlag(), WeighMissesFlag(),
		ImageHashFlag(),
		&cli.BoolFlag{Name: "gather", DisableDefaultText: true, Usage: "make one set of the records of one id: who bought what, a row USER,ITEM of a table for each purchase, or a line USER<TAB>ITEM with --format sets; --id-field and --text-field name the columns"},
		&cli.BoolFlag{Name: "transpose", DisableDefaultText: true, Usage: "as --gather, but index for each item the set of the ids that have it: similar items in place of similar users"},
		&cli.StringFlag{Name: "keep-fields", Usage: "keep the values of `FIELD[,FIELD...]` of JSON records, tables or headers of crawls and mail, for --where, --since and --until"},
		&cli.StringFlag{Name: "keep", Usage: "keep `WHAT` of the texts, so that --show and compare can show them: text (compressed), source (where each was read) or nothing; searches need none of it", DefaultText: "text, or nothing in an index of fingerprints alone"},
	}
}

// PlanOptions returns the options that the tables and bands are planned for.
func PlanOptions(c *cli.Context, s analysis.Settings) (o index.WriterOptions, err error) {
	preset, named, err := presetOf(c)
	if err != nil {
		return o, err
	}
	if commandline.Has(c, "keep") {
		if o.Keep, err = index.ParseKeep(c.String("keep")); err != nil {
			return o, fmt.Errorf("--keep: %w", err)
		}
	}
	o.Input = index.Input{IDField: c.String("id-field"), TextField: c.String("text-field"), FingerprintField: c.String("fingerprint-field"), KeepFields: c.String("keep-fields")}
	if o.Input.MailWithout, err = corpus.MailWithout(c.String("mail-without")); err != nil {
		return o, fmt.Errorf("--mail-without %w", err)
	}
	if c.IsSet("keep-fields") && slices.Contains(o.Input.Kept(), "") {
		return o, fmt.Errorf("--keep-fields %q: want names with a comma between two of them", o.Input.KeepFields)
	}
	if err := checkGathered(c, s); err != nil {
		return o, err
	}
	o.Input.Pairs, o.Input.Transposed = Gathers(c), c.Bool("transpose")
	o.Distance = index.DefaultDistance
	if named {
		o.Distance = preset.k
		o.Search = analysis.Search{Preset: c.String("preset"), Distance: preset.k}
	}
	if s.Image != 0 {
		o.Distance = imageDistances[s.Image]
		o.Search = analysis.Search{Distance: o.Distance}
	}
	if commandline.Has(c, "plan-k") {
		o.Distance = c.Int("plan-k")
	}
	if o.Distance < 1 || o.Distance >= s.Bits {
		return o, fmt.Errorf("--plan-k %d: want a number of bits from 1 to %d", o.Distance, s.Bits-1)
	}
	if err := setBlocks(c, s, &o); err != nil {
		return o, err
	}
	if err := planBands(c, s, &o); err != nil {
		return o, err
	}
	if s.Sets() && c.String("format") == corpus.Fingerprints.String() {
		return o, fmt.Errorf("fingerprints have no features, which mode %s wants: make an index of them alone, with --preset classic", s.Mode)
	}
	o.Threshold, err = commandline.Share(c, "plan-jaccard", 0, true)
	return o, err
}
