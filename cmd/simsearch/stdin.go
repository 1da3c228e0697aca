package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// openDocuments opens the inputs of index. Documents of standard input that have no id are numbered
// after those that the index already has, so that no id is used twice.
func (env *environment) openDocuments(c *cli.Context, o common, dir string, bits int) (*corpus.Reader, error) {
	how, err := env.corpusOptions(c, bits)
	if err != nil {
		return nil, err
	}
	if slices.Contains(c.Args().Slice(), "-") {
		if how.StdinFirst, err = nextOfStdin(dir); err != nil {
			return nil, err
		}
	}
	r, err := corpus.Open(c.Args().Slice(), how)
	if err == nil && how.StdinFirst > 0 && !o.quiet {
		fmt.Fprintf(env.stderr, "simsearch: the index has documents of standard input: those that come now without an id are -#%d and so on\n", how.StdinFirst)
	}
	return r, err
}

// nextOfStdin returns the number after the highest N of the ids -#N in the index. The id - counts
// as 0. It returns 0 if there are no such ids.
func nextOfStdin(dir string) (next int, err error) {
	ix, err := index.Open(dir)
	if errors.Is(err, index.ErrNoIndex) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	for doc := range ix.Len() {
		id, err := ix.ID(uint32(doc))
		if err != nil {
			return 0, err
		}
		if n, ok := numberOfStdin(id); ok {
			next = max(next, n+1)
		}
	}
	return next, nil
}

// numberOfStdin returns N for an id -#N, and 0 for the id -.
func numberOfStdin(id []byte) (n int, ok bool) {
	rest, ok := bytes.CutPrefix(id, []byte("-"))
	if !ok || len(rest) == 0 {
		return 0, ok
	}
	if rest, ok = bytes.CutPrefix(rest, []byte("#")); !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(rest))
	return n, err == nil && n > 0 && strconv.Itoa(n) == string(rest) && n < maxNumberOfStdin
}

// maxNumberOfStdin keeps numbers of lines far from overflow.
const maxNumberOfStdin = math.MaxInt / 2

// readOnce returns an error that begins with why if an input of r can be read only once.
func readOnce(r *corpus.Reader, why string) error {
	name, ok := r.Once()
	if !ok {
		return nil
	}
	if name == "-" {
		name = "standard input"
	}
	return fmt.Errorf("%s, and %s can be read only once: write it to a file first", why, terminal.Plain(name))
}
