package cli

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"simsearch/internal/clean/copied"
	"simsearch/internal/cli/intake"
	"simsearch/internal/files/corpus"
	"simsearch/internal/match/sequences"
)

// PassageFlags returns the flags of near and pairs that ask for passages.
func (c *Flags) PassageFlags() []AnyFlag {
	return InGroup(SearchedGroup, slices.Concat([]AnyFlag{
		c.Passages.As("passages", "near are documents that share passages; some words of these may differ"),
	}, c.passageBounds()))
}

// passageBounds returns the flags that say which passages count.
func (c *Flags) passageBounds() []AnyFlag {
	return []AnyFlag{
		c.PassageWords.As("passage-words", "passages have `N` words or more").Or(sequences.Usual.Words).
			By(AtLeast(1, "1 or more")),
		c.PassageEdits.As("passage-edits", "a share of at most `S` of the words of a passage may be changed, added or missing").Or(sequences.Usual.Edits).
			By(Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })),
		c.Boilerplate.As("boilerplate", "leave out passages of `WHAT`: the text of a file, such as a task, or a share such as 0.1 or a number of documents, for what so many have; "+
			"none counts all; given again, for several (default: half, and ten at least)"),
	}
}

// OfInputs reports whether pairs --passages is asked of inputs that are weighed against each other, and not of an
// index.
func (c *Flags) OfInputs() bool {
	return c.Command.Name == "pairs" && c.Passages.Value && c.HasInputs() && !c.PassageWords.Given && !c.PassageEdits.Given
}

// checkInputs returns an error unless the arguments of pairs and groups have a place beside the flags. An index that
// the environment names is left alone if there are inputs.
func (c *Flags) checkInputs() error {
	name := c.Command.Name
	if c.asks() && len(c.Args)+len(c.FilesFrom.Value) > c.queries() && !c.Index.typed {
		c.Index.Value = ""
	}
	if !c.asks() || name == "near" {
		return nil
	}
	of, read := FirstGiven(&c.Out), cmp.Or(FirstGiven(c.Inputs...), FirstGiven(&c.Bits))
	err := Mistakes{
		{!c.HasInputs() && c.Index.Value != "" && read != "" && !c.Passages.Value,
			c.Command.Name + ": --" + read + " is for files, and --index names an index; --json prints objects"},
		{name == "groups" && of != "" && filepath.Ext(c.Out.Value) != ".sarif",
			"groups --out " + c.Out.Value + ": want a file that ends with .sarif"},
		{name == "pairs" && of != "" && !c.Passages.Value, "--" + of + " is for --passages"},
		{c.ByField.Given && c.Show.Value && !c.Passages.Value, "--by-field and --show exclude each other: pairs are of units, not of documents"},
		{name == "pairs" && !c.OfInputs() && of != "", "--" + of + " is for files that are weighed without an index and without --passage-words: name them, such as pairs --passages essays/"},
		{c.HasInputs() && c.Index.Value != "", c.Command.Name + ": name an index or files, not both"},
	}.First()
	if name == "groups" {
		return err
	}
	return cmp.Or(err, c.checkPassages())
}

// Copied returns what the flags say of pairs --passages of inputs.
func Copied(c *Flags) (o copied.Options, err error) {
	if o.Options, err = c.runOptions(); err != nil {
		return o, err
	}
	o.ByFolder, o.Memory = c.ByField.Given, c.Memory.Value
	o.Base, o.Common, err = c.Base()
	beside := FirstGiven(&c.Show, &c.ExplainPlan, &c.Where)
	return o, cmp.Or(err, Mistakes{
		{c.ByField.Given && c.ByField.Value != "folder", "--by-field " + c.ByField.Value + ": of files that are compared without an index, want --by-field folder"},
		{beside != "", "--" + beside + " is for an index; --out DIR writes a page of files that has the texts side by side"},
		{c.readsPictures(), "pictures have no passages: without --passages, they are compared by their hashes"},
		{c.readsNoTexts(), "pairs --passages: texts are compared, which --format " + c.Format.Value.String() + " does not read"},
	}.First())
}

// boilerplate returns the files of --boilerplate, and a share of the documents or a number of them, from least on.
func (c *Flags) boilerplate(least float64) (files []string, many float64, err error) {
	for _, what := range c.Boilerplate.Value {
		x, notNumber := strconv.ParseFloat(what, 64)
		switch {
		case notNumber != nil:
			files = append(files, what)
		case !(x > 0 && x < 1 || x >= least && x == math.Trunc(x)):
			return nil, 0, fmt.Errorf("--boilerplate %s: want a share of the documents between 0 and 1, such as 0.1, "+
				"or a number of them from %v on, or a file", what, least)
		default:
			many = x
		}
	}
	return files, many, nil
}

// Base returns the texts of --boilerplate, and how many submissions have what does not count, as copied.Many takes it.
func (c *Flags) Base() (base []copied.Named, many float64, err error) {
	files, many, err := c.boilerplate(3)
	how, mistake := c.CorpusOptions(64)
	if err = cmp.Or(err, mistake); err != nil {
		return nil, 0, err
	}
	if how.Format != corpus.Text {
		how.Format = corpus.Auto // --format is that of other files
	}
	if slices.Contains(files, "none") {
		files, many = slices.DeleteFunc(files, func(of string) bool { return of == "none" }), -1
	}
	base, err = intake.Whole(files, how)
	return base, many, err
}

// checkPassages returns an error if a flag is given that has no place beside --passages, or that is of passages alone.
func (c *Flags) checkPassages() error {
	if !c.Passages.Value {
		of := FirstGiven(&c.PassageWords, &c.PassageEdits, &c.Boilerplate)
		return Mistakes{{of != "", "--" + of + " is for --passages"}}.First()
	}
	beside := FirstGiven(&c.Nearest, &c.New, &c.Matched, &c.Add, &c.Fingerprint, &c.Recall, &c.Bands,
		&c.Spare, &c.Bits)
	if c.Command.Name == "pairs" {
		beside = cmp.Or(beside, FirstGiven(&c.Limit))
	}
	if !c.OfInputs() {
		beside = cmp.Or(beside, FirstGiven(&c.ByField))
	}
	beside = cmp.Or(beside, FirstGiven(&c.K, &c.Jaccard, &c.Contained))
	with := "--passages"
	if c.PassageWords.Given || c.PassageEdits.Given {
		with = "--passage-words and --passage-edits"
	}
	return Mistakes{{beside != "", "--" + beside + " has no place beside " + with}}.First()
}

// Bounds returns which passages count.
func (c *Flags) Bounds() sequences.Bounds {
	return sequences.Bounds{Words: c.PassageWords.Value, Edits: c.PassageEdits.Value}
}
