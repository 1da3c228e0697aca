package main

import (
	"errors"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/mmap"
	"simsearch/internal/options"
)

// withIndex runs a command without arguments on the index that the flags name.
func (env *environment) withIndex(c *options.Flags, do func(options.Common, *index.Snapshot) error) error {
	if err := options.NoArguments(c); err != nil {
		return err
	}
	return env.withIndexAndArguments(c, do)
}

// withIndexAndArguments opens the index that the flags name, runs do and closes it.
func (env *environment) withIndexAndArguments(c *options.Flags, do func(options.Common, *index.Snapshot) error) (err error) {
	o, err := options.CommonOf(c, env.errIsTerminal)
	if err != nil {
		return err
	}
	dir, err := options.IndexDir(c)
	if err != nil {
		return err
	}
	ix, err := index.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	// Ids are printed from the maps, so printing is guarded, too.
	if err = mmap.Guarded(func() error { return do(o, ix) }); err == nil || errors.Is(err, errNothing) {
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
