package options

import (
	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
	"simsearch/internal/passages"
)

// passageFlags say which passages count.
type passageFlags struct {
	Passages     yes
	PassageWords whole
	PassageEdits share
	Base         list
}

// PassageFlags returns the flags of near and pairs that ask for passages.
func (c *passageFlags) PassageFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		c.Passages.As("passages", "near are documents that share passages: quotations, copied parts, with some words changed"),
		c.PassageWordsFlag("passages have `N` words or more").By(commandline.AtLeast(1, "1 or more")),
		c.PassageEdits.As("passage-edits", "of the words of a passage, a share of at most `S` may be changed, added or missing").Or(passages.Usual.Edits).
			By(commandline.Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })),
		c.Base.As("base", "passages that the text of `FILE` has, too, do not count: a task, a licence, a template; may be given several times"),
	})
}

// PassageWordsFlag returns the flag --passage-words, with what it is for.
func (c *passageFlags) PassageWordsFlag(usage string) *whole {
	return c.PassageWords.As("passage-words", usage).Or(passages.Usual.Words)
}

// CheckPassages returns an error if a flag is given that has no place beside --passages, or that is of passages alone.
func (c *Flags) CheckPassages() error {
	if !c.Passages.Value {
		of := commandline.FirstGiven(&c.PassageWords, &c.PassageEdits, &c.Base)
		return commandline.Mistakes{{of != "", "--" + of + " is for --passages"}}.First()
	}
	beside := commandline.FirstGiven(&c.Nearest, &c.New, &c.Matched, &c.Add, &c.SQL, &c.Fingerprint, &c.Recall, &c.Bands, &c.Verify,
		&c.Collapse, &c.ByField, &c.MinShare, &c.MinNear, &c.Spare)
	if c.Command.Name == "pairs" && c.Limit.Given {
		beside = c.Limit.Names()[0]
	}
	for _, k := range c.kinds() {
		if k.IsSet() {
			beside = k.Names()[0]
		}
	}
	return commandline.Mistakes{{beside != "", "--" + beside + " has no place beside --passages, which finds shared passages of " +
		"--passage-words and --passage-edits"}}.First()
}

// Bounds returns which passages count.
func (c *passageFlags) Bounds() passages.Bounds {
	return passages.Bounds{Words: c.PassageWords.Value, Edits: c.PassageEdits.Value}
}
