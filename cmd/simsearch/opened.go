package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/intake"
	"simsearch/internal/mmap"
	"simsearch/internal/options"
	"simsearch/internal/results"
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
func onIndex(do func(*environment, *options.Flags, *index.Snapshot) error) func(*environment, *options.Flags) error {
	return func(env *environment, c *options.Flags) error {
		return env.withIndex(c, func(ix *index.Snapshot) error { return do(env, c, ix) })
	}
}

// A question is what near, pairs and groups ask an index.
type question struct {
	ix      *index.Snapshot
	near    results.Nearness
	where   []index.Where
	sources *intake.Sources
	shower  *results.Shower // if not nil, shows the texts of what is found
	remarks *results.Remarks
}

// asking returns what a command does that asks the index of --index which documents are near.
func asking(do func(*environment, *options.Flags, *question) error) func(*environment, *options.Flags) error {
	return onIndex(func(env *environment, c *options.Flags, ix *index.Snapshot) (err error) {
		q := &question{ix: ix, remarks: results.NewRemarks(ix)}
		if q.near, err = options.Predicate(c, ix); err != nil {
			return err
		}
		if q.where, err = options.Wheres(c, ix); err != nil {
			return err
		}
		if q.sources, err = intake.OpenSources(c.Context, ix, q.near.Predicate); err != nil {
			return err
		}
		defer q.sources.Close() //nolint:errcheck // it was read only
		if q.shower, err = env.shower(c, ix); err != nil {
			return err
		}
		defer q.shower.Close() // of reading
		return do(env, c, q)
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
