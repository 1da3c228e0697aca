package cli

import (
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/clean/steps"
	"simsearch/internal/files/corpus"
)

// StepFlags returns the flags of step.
func (c *Flags) StepFlags() []AnyFlag {
	near := without([]string{"contained", "copy", "by", "passage-words", "boilerplate", "against"}, c.nearAndKept())
	return slices.Concat(near, InGroup(OutputGroup, []AnyFlag{
		c.In.As("in", "read the `FILE` of another step; given again, one more"),
		c.Out.As("out", "write to `PATH`, a file or, for components and keep, a directory"),
		c.Share.As("share", "read or write the files of `SHARE` alone, such as 3/8, the third of eight shares").
			By(corpus.ParseShare).Told("all files"),
		c.Alone.As("alone", "INPUT has the files of --share alone, since no process has all files"),
		c.Part.As("part", "join part `N` of a plan").By(AtLeast(1, "1 or more")),
		c.Parts.As("parts", "plan `N` parts, or more if --memory asks for it").By(AtLeast(1, "1 or more")).
			Told("none if --memory holds all sets, or else one a sketch"),
	}), c.CorpusFlags(), c.CommonFlags())
}

// Step returns what the flags and arguments say of a step.
func Step(flags *Flags) (c steps.Command, err error) {
	o, err := flags.CorpusOptions(64)
	if err != nil {
		return c, err
	}
	if len(flags.Args) == 0 || !slices.Contains(steps.Names, flags.Args[0]) {
		return c, errors.New("step: which one? name sketch, plan, scatter, join, components or keep")
	}
	name := flags.Args[0]
	flags.Args = flags.Args[1:]
	c = steps.Command{Name: name, In: flags.In.Value, Out: flags.Out.Value, Inputs: flags.Args, Part: flags.Part.Value, Parts: flags.Parts.Value}
	texts := steps.ReadsTexts(name)
	err = Mistakes{
		{c.Out == "", "step " + name + ": name what to write by --out"},
		{texts && !flags.HasInputs(), "step " + name + ": name the files or directories of the collection"},
		{!texts && len(c.Inputs) > 0, fmt.Sprintf("step %s reads no texts, such as %v: name the files of other steps by --in", name, c.Inputs)},
		{name == "sketch" && len(c.In) > 0, "step sketch reads no file of another step: leave out --in"},
		{name != "sketch" && len(c.In) == 0, "step " + name + ": name the files of other steps by --in"},
		{name == "keep" && len(c.In) > 1, "step keep: name the one list removed.jsonl of step components by --in"},
		{name == "join" && !flags.Part.Given, "step join: name the part by --part, such as --part 1"},
	}.First()
	if err != nil {
		return c, err
	}
	if c.How, err = Dedup(flags, From{}, true); err != nil {
		return c, err
	}
	c.How.Corpus, c.How.Share = o, flags.Share.Value
	c.How.Share.Alone = flags.Alone.Value
	return c, nil
}
