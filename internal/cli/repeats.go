package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/repeats"
	"simsearch/internal/files/corpus"
	"simsearch/internal/match/sequences"
)

// Repeats returns what the flags say of dedup --by passage.
func Repeats(c *Flags) (repeats.Options, error) {
	o, err := c.runOptions()
	r := repeats.Options{Options: o,
		Words: sequences.Usual.Words, InOrder: c.KeepWhich.Given, DryRun: c.DryRun.Value, Memory: c.Memory.Value,
	}
	Put(&c.PassageWords, &r.Words)
	with := []string{"by", "passage-words", "keep"}
	not := FirstGiven(without(with, c.deciding, []AnyFlag{&c.Annotate, &c.Review, &c.dedupFlags.From})...)
	format := c.Format.Value
	return r, cmp.Or(err, Mistakes{
		{r.Words < repeats.LeastWords, fmt.Sprintf("--passage-words %d: want %d or more for passages", r.Words, repeats.LeastWords)},
		{not != "", fmt.Sprintf("--%s with --by passage: what is cut is words in a row that have occurred before, --passage-words of them", not)},
		{c.KeepWhich.Given && c.KeepWhich.Value != dedup.Keep{Way: dedup.First},
			fmt.Sprintf("--keep %s with --by passage: the first passage stays, and those like it are cut", c.KeepWhich.Value)},
		{c.readsPictures() || format == corpus.Fingerprints || format == corpus.Sets,
			fmt.Sprintf("--by passage: words are compared, which --format %s does not read", format)},
		{strings.Contains(o.Corpus.TextField, ","), fmt.Sprintf("--by passage with several fields, --text-field %s: name the one that is cut", o.Corpus.TextField)},
		{slices.Contains(c.Args, corpus.Stdin.Path), "dedup --by passage: standard input is read several times: save it to a file, and name that"},
		{c.Out.Value == "", "dedup: name a directory to write to, such as --out clean"},
		{!c.HasInputs(), "dedup: name files or directories"},
	}.First())
}
