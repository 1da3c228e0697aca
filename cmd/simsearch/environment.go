package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/intake"
	"simsearch/internal/mmap"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/show"
	"simsearch/internal/terminal"
)

type column = terminal.Column

// col returns a column of a result.
func col(key string, value any) column { return column{Key: key, Value: value} }

// name returns a column with an id.
func name(key, id string) column { return column{Key: key, Value: terminal.ID(id)} }

// newRows returns rows on standard output.
func (env *environment) newRows(asJSON bool) *terminal.Rows {
	return terminal.NewRows(env.stdout, env.outIsTerminal, env.columns, asJSON)
}

// newList returns rows of data on standard output. They are never aligned and have no heading.
func (env *environment) newList(asJSON bool) *terminal.Rows {
	return terminal.NewList(env.stdout, env.outIsTerminal, asJSON)
}

// objects returns the writer for JSON.
func (env *environment) objects() io.Writer { return terminal.Objects(env.stdout, env.outIsTerminal) }

// end ends r and returns errNothing if it printed no rows.
func end(r *terminal.Rows) error {
	if found, err := r.End(); err != nil || found {
		return err
	}
	return errNothing
}

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

// shownChanges is how many differences of two texts are shown.
const shownChanges = 5

// style returns how differences are printed on standard output.
func (env *environment) style() show.Style {
	return show.Style{Colours: env.outIsTerminal && terminal.Colours(), Columns: env.columns, Indent: "    "}
}

// shower returns what shows the documents of an index if --show is given, and nil otherwise. It returns an
// error if the index keeps no texts. The caller closes it.
func (env *environment) shower(c *options.Flags, ix *index.Snapshot) (*results.Shower, error) {
	if !c.Show.Value {
		return nil, nil
	}
	if ix.Settings().Image != 0 {
		return &results.Shower{Texts: intake.OpenPictures(ix), Style: env.style(), TitlesAlone: true}, nil
	}
	texts, err := intake.OpenTexts(c.Context, ix)
	if err != nil {
		return nil, err
	}
	return &results.Shower{Texts: texts, Style: env.style(), Limit: shownChanges}, nil
}

// tellEstimated says that some cosines are estimates.
func (env *environment) tellEstimated(n int) {
	if n > 0 {
		fmt.Fprintf(env.stderr, "simsearch: %s from the distance of fingerprints, since there is no text to verify it; index --keep text or source keeps one\n", terminal.Plural(n, "estimated cosine"))
	}
}

// endOfInput is what ends standard input on a terminal.
var endOfInput = map[bool]string{false: "Ctrl-D", true: "Ctrl-Z and Enter"}[runtime.GOOS == "windows"]

// asksNothing reports whether a command line is that of near without a query, which can be typed
// where there is a terminal.
func asksNothing(line *commandline.Line) bool {
	if line.Command == nil || line.Command.Name != "near" || len(line.Arguments) > 0 {
		return false
	}
	return !slices.ContainsFunc(line.FlagNames(), func(name string) bool {
		// A flag that does not exist is an error.
		return name == "" || slices.Contains([]string{"text", "fingerprint", "id", "ids", "files-from"}, name)
	})
}
