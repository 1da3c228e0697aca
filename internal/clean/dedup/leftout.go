package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

// NoText reports whether a file, also of the reference, is no text, and so not told of as bad.
func (f *Files) NoText() bool {
	return slices.ContainsFunc(slices.Concat(f.AllLeftOut, f.Unread), func(l corpus.LeftOut) bool { return !l.Reported })
}

// findLeftOut finds the files that are left out, in the order of their paths. hasNothing reports whether no document
// and nothing bad has been found in a file; such files are opened again.
func (c *Collection) findLeftOut(ctx context.Context, hasNothing func(file int) bool) error {
	var all []corpus.LeftOut
	isFile := make(map[string]bool, len(c.Files))
	for _, f := range c.Files {
		isFile[f.Path] = true
	}
	for _, p := range c.Passes {
		if p.Reference {
			continue
		}
		for _, l := range p.Reader.LeftOut() {
			if !isFile[l.Path] { // what a directory has that is no file
				all = append(all, l)
			}
		}
	}
	var copied, refs []corpus.LeftOut
	for file := range c.Files {
		if c.Files[file].Once() || c.isIndex(file) || !hasNothing(file) {
			continue
		}
		l, err := c.whyUnread(ctx, file)
		if l.Why != nil {
			c.files.Lost += c.Bad[file]
		}
		switch {
		case err != nil:
			return err
		case l.Why == nil: // it has no document
		case file < c.Refs:
			refs = append(refs, l)
		case !l.Reported || errors.Is(l.Why, fs.ErrPermission):
			all = append(all, l)
		default:
			l.Why = fmt.Errorf("%w: %w", run.ErrCopied, l.Why)
			copied = append(copied, l)
		}
	}
	for _, some := range [][]corpus.LeftOut{all, copied, refs} {
		slices.SortFunc(some, func(a, b corpus.LeftOut) int { return strings.Compare(a.Path, b.Path) })
	}
	c.files.AllLeftOut, c.files.Unread, c.files.Copied = all, slices.Concat(copied, refs), len(copied)
	return nil
}

// whyUnread opens a file of which nothing has been read, and returns why. There is no reason for a file without
// documents.
func (c *Collection) whyUnread(ctx context.Context, file int) (l corpus.LeftOut, err error) {
	r, err := c.Reader(ctx, file)
	if err != nil {
		return l, err
	}
	next, stop := iter.Pull2(r.Documents())
	_, bad, _ := next() // the first tells
	stop()
	if left := r.LeftOut(); len(left) > 0 {
		l = left[0]
	} else if why, is := errors.AsType[*corpus.BadError](bad); is {
		l = corpus.LeftOut{Path: c.Files[file].Path, Why: why.Err, Reported: true}
		if n := c.Bad[file]; n > 1 {
			l.Why = fmt.Errorf("none of its %d records can be read; of the first: %w", n, why.Err)
		}
	}
	return l, r.Close()
}

// filesOf counts files. nothingStays reports whether a file has documents, and all of them are removed.
func (c *Collection) filesOf(nothingStays func(file int) bool) Files {
	f := c.files
	f.Input = len(c.Files) - c.Refs
	for file := c.Refs; file < len(c.Files); file++ {
		if nothingStays(file) {
			f.Removed++
		}
	}
	for _, l := range f.AllLeftOut {
		if errors.Is(l.Why, corpus.ErrIrregular) || errors.Is(l.Why, corpus.ErrLink) {
			f.Input++ // it is none of the files that are read
		}
	}
	f.LeftOut, f.Damaged, f.Reference = len(f.AllLeftOut), len(f.AllDamaged), len(f.Unread)-f.Copied
	f.Kept = f.Input - f.Removed - f.LeftOut
	all := f.all()
	for _, l := range all[:min(len(all), mostLeftOut)] {
		f.Named = append(f.Named, run.LeftOut{Source: terminal.Harmless(l.Path), Reason: terminal.Harmless(l.Why.Error())})
	}
	return f
}

// damaged tells of a file of which something is lost, or that is copied as it is.
func (c *Collection) damaged(path string, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files.AllDamaged = append(c.files.AllDamaged, corpus.LeftOut{Path: path, Why: why, Reported: true})
	slices.SortFunc(c.files.AllDamaged, func(a, b corpus.LeftOut) int { return strings.Compare(a.Path, b.Path) })
}

// writeLeftOut writes the list of files that are left out, if there are any.
func (c *Collection) writeLeftOut(ctx context.Context) error {
	f := &c.files
	all := f.all()
	if len(all) == 0 {
		return nil
	}
	return c.writeRows(ctx, run.LeftOutName, len(all), func(_ context.Context, i int, row func(any) error) error {
		is := run.NewLeftOut(all[i])
		switch damaged, unread := i-len(f.AllLeftOut), i-len(f.AllLeftOut)-len(f.AllDamaged); {
		case unread >= f.Copied:
			is.Reference = true
		case damaged >= 0 && unread < 0:
			is.InPart = true
		}
		return row(is)
	})
}

// mostLeftOut is how many files that are left out a report names.
const mostLeftOut = 100

// all returns all files that are not as they should be.
func (f *Files) all() []corpus.LeftOut { return slices.Concat(f.AllLeftOut, f.AllDamaged, f.Unread) }

// noDocuments is the warning for inputs without documents.
const noDocuments = "The input has no documents."
