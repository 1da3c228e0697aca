package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/internal/rewrite"
)

// A pass is the reading of some files.
type pass struct {
	r         *corpus.Reader
	files     []corpus.File
	reference bool
}

// find finds all files.
func (c *Collection) find(ctx context.Context) error {
	refs, indexes := splitIndexes(c.refInputs)
	if len(refs) > 0 {
		of := c.o.Corpus
		of.FilesFrom = nil
		if err := c.findIn(ctx, refs, of, true); err != nil {
			return err
		}
	}
	if err := c.openIndexes(indexes); err != nil {
		return err
	}
	c.refs = len(c.files)
	of := c.o.Corpus
	if c.o.Keep.Way.HasField() {
		of.Field = c.o.Keep.Field
	}
	if err := c.findIn(ctx, c.inputs, of, false); err != nil {
		return err
	}
	c.counts, c.bad = make([]uint32, len(c.files)), make([]int, len(c.files))
	return nil
}

// findIn finds the files of inputs.
func (c *Collection) findIn(ctx context.Context, inputs []string, o corpus.Options, reference bool) error {
	o.ByPath = c.o.Keep.Way != First // so that the same is kept in any order of the inputs
	r, err := corpus.Open(inputs, o)
	if err != nil {
		return err
	}
	files := r.Files()
	c.passes = append(c.passes, pass{r, files, reference})
	c.files = append(c.files, files...)
	name, once := r.Once()
	_, seeks := o.Stdin.(io.Seeker)
	if twice := seeks && name == corpus.Stdin.Path && len(inputs) == 1; once && !twice {
		return fmt.Errorf("%s can be read only once, but is read twice: save it to a file", name)
	}
	if reference {
		return nil
	}
	if !once {
		if err := c.nameOutputs(files); err != nil {
			return err
		}
	}
	if c.ofFiles, err = preference(c.o.Prefer, files); err != nil {
		return err
	}
	c.keys = newKeys(c.o.Keep, c.o.Corpus.Lenient)
	return c.probe(ctx, files)
}

// mostProbes is how many files are looked at before all are read.
const mostProbes = 100

// probe looks at the first document of a file of each kind of name, so that a file that cannot be written as the options ask
// for is found before the others have been read for long. What else is wrong is told when the files are read.
func (c *Collection) probe(ctx context.Context, files []corpus.File) error {
	if c.keys == nil && c.spans == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, f := range files {
		kind := kindOf(f.Path)
		if f.Once || seen[kind] || len(seen) == mostProbes {
			continue
		}
		seen[kind] = true
		r, err := c.reader(ctx, f)
		if err != nil {
			continue
		}
		for doc, bad := range r.Documents() {
			if bad == nil {
				err = c.checkRead(pass{r: r}, doc)
			}
			break
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the extensions of a name without digits, which number files.
func kindOf(name string) string {
	_, ext, _ := strings.Cut(path.Base(name), ".")
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, strings.ToLower(ext))
}

// reader opens a file to read it again, or before the others.
func (c *Collection) reader(ctx context.Context, f corpus.File) (*corpus.Reader, error) {
	o := c.o.Corpus
	o.Context, o.Decided, o.FilesFrom = ctx, nil, nil
	return corpus.OpenFile(f, o)
}

// fileOf returns the file of a document.
func (c *Collection) fileOf(doc uint32) int {
	i, _ := slices.BinarySearchFunc(c.starts[1:], doc, func(end, doc uint32) int {
		if end <= doc {
			return -1
		}
		return 1
	})
	return i
}

// nameOutputs sets c.names. It is an error if a file cannot be written.
func (c *Collection) nameOutputs(files []corpus.File) (err error) {
	c.names, err = rewrite.Names(commonBase(c.o.Corpus.Base, files), files)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := rewrite.CheckOutput(f.Path); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}
