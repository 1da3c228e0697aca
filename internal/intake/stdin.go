package intake

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// NextOfStdin returns the number after the highest N of the ids -#N in the index in dir. The id - counts
// as 0. It returns 0 if there is no index, or no such id in it.
func NextOfStdin(dir string) (next int, err error) {
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

// ReadOnce returns an error that begins with why if an input of r can be read only once.
func ReadOnce(r *corpus.Reader, why string) error {
	name, ok := r.Once()
	if !ok {
		return nil
	}
	if name == "-" {
		name = "standard input"
	}
	return fmt.Errorf("%s, and %s can be read only once: write it to a file first", why, terminal.Plain(name))
}
