package cli

import (
	"errors"
	"slices"
	"strings"

	"simsearch/internal/corpus"
	"simsearch/internal/decontaminate"
)

// decontaminateFlags are those of decontaminate alone.
type decontaminateFlags struct {
	Test       list
	TestFormat Flag[corpus.Format]
	MaxPlaces  whole
	Purify     Flag[decontaminate.Purify]
}

// DecontaminateFlags returns the flags of decontaminate beside those of reading files and those that all commands have.
func (c *Flags) DecontaminateFlags() []AnyFlag {
	return slices.Concat(InGroup(SearchedGroup, []AnyFlag{
		c.Test.As("test", "look for the items of `BENCH`, a file or a directory, or as in FILE:question,answer for these fields alone; given again, for those of more"),
		c.TestFormat.As("test-format", "read tests as `FORMAT`, such as lines; one of those of --format").Or(corpus.Auto).
			By(func(_, s string) (corpus.Format, error) { return corpus.ParseFormat(s) }),
		c.PassageWords.As("passage-words", "what counts is `N` words in a row").Or(decontaminate.DefaultWords).
			By(Whole("a number from 1 to 64, such as 13", 1, 64)),
		c.MaxPlaces.As("max-places", "words in a row in more than `N` places of the items are form, and do not count").
			Or(decontaminate.DefaultMaxPlaces).By(AtLeast(1, "1 or more")),
	}), InGroup(OutputGroup, []AnyFlag{
		c.Out.As("out", "write to the directory `DIR`; it must be new, empty, or the result of the same command"),
		c.Purify.As("purify", "also write the training files without `WHAT`: documents (in which something is found) or passages (what is found)").By(Named(decontaminate.ParsePurify)).Told("nothing"),
	}))
}

// Decontaminate returns what the flags say of decontaminate. The training files are read as o says.
func Decontaminate(c *Flags, o corpus.Options) (decontaminate.Options, error) {
	d := decontaminate.Options{
		Corpus: o, TestFormat: c.TestFormat.Value, Purify: c.Purify.Value, Threads: c.Threads.Value,
		Rule: decontaminate.Rule{Words: c.PassageWords.Value, MinWords: min(decontaminate.DefaultMinWords, c.PassageWords.Value), MaxPlaces: c.MaxPlaces.Value, MinShare: decontaminate.DefaultMinShare},
	}
	d.Corpus.FieldsOptional = true // a training set may have texts beside records
	tests, fields, err := withField("test", c.Test.Value)
	if err != nil {
		return d, err
	}
	if d.Tests = tests; fields != "" {
		d.TestFields = strings.Split(fields, ",")
	}
	err = Mistakes{
		{len(d.Tests) == 0, "decontaminate: which tests? name files or directories, such as --test benchmark.jsonl"},
		{slices.Contains(d.Tests, corpus.Stdin.Path), "decontaminate: --test -: tests are read twice: save standard input to a file, and name that"},
		{c.Out.Value == "", "decontaminate: name a directory to write to, such as --out found"},
		{!c.HasInputs(), "decontaminate: name the training files or directories, or - for standard input"},
		{slices.Contains(d.TestFields, ""), "--test FILE:" + fields + ": want names with a comma between two of them"},
		{d.Purify == decontaminate.Passages && strings.Contains(o.TextField, ","),
			"--purify passages with several text fields, --text-field " + o.TextField + ": name the one that is cut, or leave out documents"},
	}.First()
	if err == nil && (c.Format.Value == corpus.Fingerprints || c.readsPictures() || c.Format.Value == corpus.Sets) {
		err = errors.New("decontaminate: texts are compared, which --format " + c.Format.Value.String() + " does not read")
	}
	return d, err
}
