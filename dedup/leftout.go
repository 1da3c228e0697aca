package dedup

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/internal/dedupreport"
)

// LeftOutName is the name of the list of files of the input that are in no output. It is written if there are any.
const LeftOutName = "left_out.jsonl"

// Files count the files of the input, without those of the reference: Kept, Removed and LeftOut are all of them.
type Files struct {
	Input   int
	Kept    int // those of which something stays, or that have no document
	Removed int // those of which nothing stays
	// LeftOut are those that are not read, and not written either.
	LeftOut []corpus.LeftOut
}

// Unreadable returns how many files of LeftOut could not be opened, which were told of as bad.
func (f *Files) Unreadable() (n int) {
	for _, l := range f.LeftOut {
		if l.Reported {
			n++
		}
	}
	return n
}

// findLeftOut finds the files that are left out, in the order of their paths. hasNothing reports whether no document and
// nothing bad has been found in a file; such files are opened again.
func (c *Collection) findLeftOut(ctx context.Context, hasNothing func(file int) bool) ([]corpus.LeftOut, error) {
	var all []corpus.LeftOut
	isFile := make(map[string]bool, len(c.files))
	for _, f := range c.files {
		isFile[f.Path] = true
	}
	for _, p := range c.passes {
		if p.reference {
			continue
		}
		for _, l := range p.r.LeftOut() {
			if !isFile[l.Path] { // what a directory has that is no file
				all = append(all, l)
			}
		}
	}
	for file := c.refs; file < len(c.files); file++ {
		if c.files[file].Once || !hasNothing(file) {
			continue
		}
		o := c.rewriteOptions(ctx).Corpus
		o.Decided = nil
		r, err := corpus.OpenFile(c.files[file], o)
		if err != nil {
			return nil, err
		}
		for range r.Documents() {
			break // the first tells
		}
		for _, l := range r.LeftOut() {
			if !l.Reported || errors.Is(l.Why, fs.ErrPermission) {
				all = append(all, l)
			}
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b corpus.LeftOut) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// filesOf counts files. nothingStays reports whether a file has documents, and all of them are removed.
func (c *Collection) filesOf(nothingStays func(file int) bool) Files {
	f := Files{LeftOut: c.leftOut, Input: len(c.files) - c.refs}
	for file := c.refs; file < len(c.files); file++ {
		if nothingStays(file) {
			f.Removed++
		}
	}
	for _, l := range f.LeftOut {
		if errors.Is(l.Why, corpus.ErrIrregular) || errors.Is(l.Why, corpus.ErrLink) {
			f.Input++ // it is none of the files that are read
		}
	}
	f.Kept = f.Input - f.Removed - len(f.LeftOut)
	return f
}

// hasNothing reports whether a file has neither documents nor records that cannot be read. A file that cannot be read at all
// counts as one record.
func (c *Collection) hasNothing(file int) bool {
	return c.starts[file] == c.starts[file+1] && c.bad[file] <= 1
}

// A leftOutRow is a line of the list of files that are left out.
type leftOutRow struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// writeLeftOut writes the list of files that are left out, if there are any.
func (c *Collection) writeLeftOut(ctx context.Context) error {
	if len(c.leftOut) == 0 {
		return nil
	}
	return c.rows(ctx, LeftOutName, func(row func(any) error) error {
		for _, l := range c.leftOut {
			if err := row(leftOutRow{escaped([]byte(l.Path)), escaped([]byte(l.Why.Error()))}); err != nil {
				return err
			}
		}
		return nil
	})
}

// mostLeftOut is how many files that are left out a report names.
const mostLeftOut = 100

// report returns what a report says of files.
func (f *Files) report() dedupreport.Files {
	r := dedupreport.Files{Input: f.Input, Kept: f.Kept, Removed: f.Removed, LeftOut: len(f.LeftOut)}
	for _, l := range f.LeftOut[:min(len(f.LeftOut), mostLeftOut)] {
		r.Named = append(r.Named, dedupreport.LeftOut{Source: l.Path, Reason: l.Why.Error()})
	}
	return r
}
