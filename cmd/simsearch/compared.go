package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

// A comparedText is one of the two texts that compare takes.
type comparedText struct{ id, text string }

// comparedTexts returns the texts that the arguments name: files or, if there is an index, also documents of
// it. It says what it took where both are possible.
func (env *environment) comparedTexts(c *options.Flags, ix *index.Snapshot) (sides [2]comparedText, err error) {
	how, err := env.corpusOptions(c, analysis.Default().Bits)
	if err != nil {
		return sides, err
	}
	var taken [2]string
	for i := range sides {
		side, name := &sides[i], c.Args[i]
		_, missing := os.Stat(name)
		if ix == nil || name == "-" || !errors.Is(missing, fs.ErrNotExist) {
			if side.id, side.text, err = intake.One(name, how); err != nil {
				return sides, err
			}
			if ix == nil {
				continue
			}
			_, known, err := ix.Find([]byte(side.id))
			if err != nil {
				return sides, err
			}
			if known {
				taken[i] = "read from the file; the index has a document of this id, too"
			}
			continue
		}
		texts, err := intake.OpenTexts(c.Context, ix)
		if err != nil {
			return sides, err
		}
		side.id, side.text, err = results.Named(ix, texts, name)
		if err = errors.Join(err, texts.Close()); err != nil {
			return sides, err
		}
		taken[i] = "a document of the index"
	}
	for i, what := range taken {
		if what != "" && !c.Common.Quiet {
			fmt.Fprintf(env.stderr, "simsearch: %s is %s\n", terminal.Plain(sides[i].id), what)
		}
	}
	return sides, nil
}
