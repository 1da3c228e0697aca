package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/mmap"
	"simsearch/internal/options"
)

// action returns what a command does: do, with the values of its flags.
func (env *environment) action(c *options.Flags, do func(*environment, *options.Flags) error) cli.ActionFunc {
	return func(given *cli.Context) error {
		if err := c.Read(given, env.errIsTerminal); err != nil {
			return err
		}
		return do(env, c)
	}
}

// onIndex returns what a command does that searches the index of --index.
func (env *environment) onIndex(c *options.Flags, do func(*environment, *options.Flags, *index.Snapshot) error) cli.ActionFunc {
	return env.action(c, func(*environment, *options.Flags) error {
		return env.withIndex(c, func(ix *index.Snapshot) error { return do(env, c, ix) })
	})
}

// withIndex opens the index that the flags name, runs do and closes it.
func (env *environment) withIndex(c *options.Flags, do func(*index.Snapshot) error) (err error) {
	ix, err := index.Open(c.Index.Value)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	// Ids are printed from the maps, so printing is guarded, too.
	if err = mmap.Guarded(func() error { return do(ix) }); err == nil || errors.Is(err, errNothing) {
		if changed := ix.Unchanged(); changed != nil {
			return changed
		}
	}
	return err
}

// openCorpus opens the inputs that the arguments name.
func (env *environment) openCorpus(c *options.Flags, bits int) (*corpus.Reader, error) {
	o, err := env.corpusOptions(c, bits)
	if err != nil {
		return nil, err
	}
	return corpus.Open(c.Args, o)
}

// corpusOptions returns the options for reading inputs that the flags give. Fingerprints have the
// given number of bits.
func (env *environment) corpusOptions(c *options.Flags, bits int) (corpus.Options, error) {
	o, err := options.CorpusOptions(c, bits)
	o.Stdin = env.stdin
	if !c.Quiet.Value {
		o.Decided = env.inputs().Decided
	}
	return o, err
}
