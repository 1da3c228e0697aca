package cli

import (
	"cmp"
	"slices"
	"strings"

	"simsearch/internal/clean/decontaminate"
	"simsearch/internal/files/corpus"
)

// DecontaminateFlags returns the flags of decontaminate.
func (c *Flags) DecontaminateFlags() []AnyFlag {
	return slices.Concat(InGroup(SearchedGroup, []AnyFlag{
		c.Test.As("test", "look for the items of `BENCH`, a file or a directory; of their field alone with :FIELD behind it, or of several with "+
			":question,answer; given again, for those of more"),
		c.PassageWords.As("passage-words", "what counts is `N` words in a row").Or(decontaminate.DefaultWords).
			By(Whole("a number from 1 to 64, such as 13", 1, 64)),
	}), InGroup(OutputGroup, []AnyFlag{
		c.Out.As("out", "write to the directory `DIR`; it must be new, empty, or the result of the same command"),
		c.Purify.As("purify", "also write the training files without `WHAT`: documents (in which something is found) or passages (what is found)").By(decontaminate.ParsePurify).Told("nothing"),
	}), c.CorpusFlags(), c.CommonFlags())
}

// Decontaminate returns what the flags say of decontaminate.
func Decontaminate(c *Flags) (decontaminate.Options, error) {
	o, err := c.runOptions()
	d := decontaminate.Options{Options: o,
		Purify: c.Purify.Value, Words: c.PassageWords.Value}
	d.Corpus.FieldsOptional = true // a training set may have texts beside records
	for _, name := range c.Test.Value {
		d.Tests = append(d.Tests, decontaminate.ParseTest(name))
	}
	err = cmp.Or(err, Mistakes{
		{len(d.Tests) == 0, "decontaminate: which tests? name files or directories, such as --test benchmark.jsonl"},
		{slices.Contains(c.Test.Value, corpus.Stdin.Path), "decontaminate: --test -: tests are opened twice: save standard input to a file, and name that"},
		{c.Out.Value == "", "decontaminate: name a directory to write to, such as --out found"},
		{!c.HasInputs(), "decontaminate: name the training files or directories, or - for standard input"},
		{d.Purify == decontaminate.Passages && strings.Contains(o.Corpus.TextField, ","),
			"--purify passages with several text fields, --text-field " + o.Corpus.TextField + ": name the one that is cut, or leave out documents"},
		{c.readsNoTexts(),
			"decontaminate: texts are compared, which --format " + c.Format.Value.String() + " does not read"},
	}.First())
	return d, err
}
