package dedup

import (
	"context"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// A pass is the reading of some files.
type pass struct {
	Reader    *corpus.Reader
	files     []corpus.File
	Reference bool
}

// Sources are the files that are read.
type sources struct {
	Options           Options
	refInputs, inputs []string
	Passes            []pass
	Files             []corpus.File
	Refs              int               // of the files, those that come first and are a reference, which stays as it is
	Indexes           []*index.Snapshot // the last files of the reference
	names             []string          // of the outputs of the others, below the directory of what is kept
	readBefore        map[string]bool   // files that are not read, since an earlier run has read them
}

// find finds all files.
func (c *sources) find() error {
	refs, indexes := splitIndexes(c.refInputs)
	if len(refs) > 0 {
		if err := c.findIn(refs, c.Options.reading(true), true); err != nil {
			return err
		}
	}
	if err := c.openIndexes(indexes); err != nil {
		return err
	}
	c.Refs = len(c.Files)
	of := c.Options.Corpus
	if c.Options.Keep.Way.hasField() {
		of.Field = c.Options.Keep.Field
	}
	return c.findIn(c.inputs, of, false)
}

// findIn finds the files of inputs.
func (c *sources) findIn(inputs []string, o corpus.Options, reference bool) error {
	o.ByPath = c.Options.Keep.Way != First // so that the same is kept in any order of the inputs
	if c.Options.Settings.Image == 0 {     // pictures are hashed ahead of Opening
		o.Opening = func(f corpus.File) (bool, error) { return !c.isKnown(f.Path), nil }
	}
	r, err := corpus.Open(inputs, o)
	if err != nil {
		return err
	}
	files := r.Files()
	c.Passes = append(c.Passes, pass{r, files, reference})
	c.Files = append(c.Files, files...)
	name, once := r.Once()
	_, seeks := o.Stdin.(io.Seeker)
	if twice := seeks && name == corpus.Stdin.Path && len(inputs) == 1; once && !twice {
		return fmt.Errorf("%s can be read only once, but is read twice: save it to a file", name)
	}
	if reference {
		return nil
	}
	if !once {
		c.names, err = run.Names(c.Options.Corpus.Base, r.Dirs(), files)
	}
	return err
}

// isKnown reports whether a file is not read, since an earlier run has read it.
func (c *sources) isKnown(path string) bool { return c.readBefore[path] }

// checkRead returns an error unless the file of a document has a format that can be written as the options ask for.
func (c *sources) checkRead(p pass, doc *document.Document) error {
	if p.Reference {
		return nil
	}
	layout, format := p.Reader.Layout(), p.Reader.Format()
	switch {
	case c.Options.Annotate && !layout.HasFields():
		return fmt.Errorf("%w: %s is read as %s", rewrite.ErrFields, doc.Source, format)
	case c.Options.By != Documents && !rewrite.ReplacesText(layout):
		return fmt.Errorf("%w: %s is read as %s", ErrText, doc.Source, format)
	case c.Options.Keep.Way.hasField():
		return checkFields(doc.Source, format)
	}
	return nil
}

// checkFields returns an error if documents of a format have no fields. A file without documents has no format.
func checkFields(path string, format corpus.Format) error {
	if format.HasFields() {
		return nil
	}
	return fmt.Errorf("%w: %s is read as %s", corpus.ErrFields, path, format)
}

// Reader opens a file to read it again.
func (c *sources) Reader(ctx context.Context, file int) (*corpus.Reader, error) {
	o := c.Options.reading(file < c.Refs)
	o.Context, o.Decided, o.FilesFrom = ctx, nil, nil
	return corpus.OpenFile(c.Files[file], o)
}

// reading returns the options by which files are read, which may be of the reference.
func (o *Options) reading(reference bool) corpus.Options {
	of := o.Corpus
	if reference {
		of.FilesFrom = nil
		if o.AgainstField != "" {
			of.TextField, of.FieldsOptional = o.AgainstField, false
		}
	}
	return of
}

// isReference reports whether a path is one of a file of the reference.
func (c *sources) isReference(path string) bool {
	return slices.ContainsFunc(c.Files[:min(c.Refs, len(c.Files))], func(f corpus.File) bool { return f.Path == path })
}

// paths returns the paths of all files.
func (c *sources) paths() (paths []string) {
	for _, f := range c.Files {
		paths = append(paths, f.Path)
	}
	return paths
}

func (c *sources) tell(what string) {
	if c.Options.Tell != nil {
		c.Options.Tell(what)
	}
}
