package dedup

import (
	"context"
	"fmt"
	"io"

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
	c.damage = &damages{}
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
	if c.o.Corpus.Format != corpus.Image { // pictures are not compressed, and are hashed ahead of Opening
		c.o.Corpus.Opening = writable
	}
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
	if c.parts != nil {
		if err := c.parts.checkFormats(ctx, files); err != nil {
			return err
		}
	}
	if c.ofFiles, err = preference(c.o.Prefer, files); err != nil {
		return err
	}
	c.keys = newKeys(c.o.Keep, c.o.Corpus.Lenient)
	return c.keys.probe(files, o)
}

// nameOutputs sets c.names. It is an error if a file cannot be written.
func (c *Collection) nameOutputs(files []corpus.File) (err error) {
	c.names, err = rewrite.Names(commonBase(c.o.Corpus.Base, files), files)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := rewrite.CheckOutput(f.Path); err != nil && f.Named {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

// writable is a corpus.Options.Opening that does not read the files of directories that can only be copied.
func writable(f corpus.File) (bool, error) {
	if err := rewrite.CheckOutput(f.Path); err != nil && !f.Named {
		return false, fmt.Errorf("it is copied as it is, and not compared: %w", err)
	}
	return true, nil
}
