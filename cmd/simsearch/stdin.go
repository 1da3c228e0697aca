package main

import (
	"errors"
	"fmt"
	"slices"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/options"
)

// openDocuments opens the inputs of index. Their ids have paths from the base of the index. Documents of
// standard input that have no id are numbered after those that the index already has, so that no id is used
// twice. change, if not nil, changes how inputs are read.
func (env *environment) openDocuments(c *options.Flags, dir string, bits int, change func(*corpus.Options)) (*corpus.Reader, error) {
	how, err := env.corpusOptions(c, bits)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&how)
	}
	if how.Base, err = index.ReadBase(dir); err != nil && !errors.Is(err, index.ErrNoIndex) {
		return nil, err
	}
	if slices.Contains(c.Args, "-") {
		if how.StdinFirst, err = intake.NextOfStdin(dir); err != nil {
			return nil, err
		}
	}
	r, err := corpus.Open(c.Args, how)
	if err == nil && how.StdinFirst > 0 && !c.Common.Quiet {
		fmt.Fprintf(env.stderr, "simsearch: the index has documents of standard input: those that come now without an id are -#%d and so on\n", how.StdinFirst)
	}
	return r, err
}
