package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/rewrite"
)

// Undo writes to dir the files of which a run with Options.KeepRemoved and Options.State has made from: what was removed
// stands where it was. A file is the same as it was, byte for byte, but for its compression. It returns the number of
// files. Of o it uses Threads, Command, FS, and what is told. The error is rewrite.ErrMerge for a file that was divided
// and is an array of JSON or Parquet.
func Undo(ctx context.Context, from, dir string, o Options) (files int, err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	c, d, s, err := takeUp(ctx, from, o)
	if err != nil {
		return 0, err
	}
	var made []string // directories
	defer func() {
		if err = errors.Join(err, c.Close()); err == nil {
			return
		}
		if names, failed := o.FS.ReadDir(dir); len(made) > 0 && failed == nil && slices.Equal(names, []string{unfinishedName}) {
			_ = o.FS.Remove(filepath.Join(dir, unfinishedName))
		}
		for i := len(made) - 1; i >= 0; i-- {
			_ = o.FS.Remove(made[i]) // unless something is in it
		}
	}()
	if err := Prepare(dir, "", []string{from}); err != nil {
		return 0, err
	}
	if made, err = disk.MkdirAll(o.FS, dir); err != nil {
		return 0, err
	}
	if c.mark, err = begin(o.FS, dir); err != nil {
		return 0, err
	}
	c.phase(Writing)
	undo := func(_ context.Context, i int) (bool, error) {
		return c.undoFile(d, from, filepath.Join(dir, filepath.FromSlash(s.Names[i])), i)
	}
	done := 0
	err = parallel.Ordered(ctx, max(1, o.Threads), len(s.Names), undo, func(written bool) error {
		if written {
			files++
		}
		if done++; o.Progress != nil {
			o.Progress(int64(done), int64(len(s.Names)))
		}
		return nil
	})
	if err != nil {
		return files, err
	}
	return files, errors.Join(eachDirectory(o.FS, dir, func(dir string, _ []string) error { return o.FS.SyncDir(dir) }), c.finish(dir))
}

// takeUp returns what the state of a run with Options.KeepRemoved says, whose files need not be there any more.
func takeUp(ctx context.Context, from string, o Options) (*Collection, *Decisions, *savedState, error) {
	f, s, err := readState(o.FS, from)
	if err != nil {
		return nil, nil, nil, err
	}
	if !s.Run.KeepRemoved {
		return nil, nil, nil, fmt.Errorf("%s has not what was removed: only what was made with --keep-removed can be undone", from)
	}
	if _, err := o.FS.Stat(filepath.Join(from, unfinishedName)); err == nil {
		return nil, nil, nil, fmt.Errorf("%s is unfinished: give the command that makes it again", from)
	}
	s.Run.Corpus.options(&o.Corpus)
	o.Corpus.Context, o.Corpus.FilesFrom = ctx, nil
	c := &Collection{o: o, names: s.Names}
	for _, file := range s.Run.Files {
		c.files = append(c.files, corpus.File{Path: file.Path})
		if file.Ref {
			c.refs++
		}
	}
	d, err := c.restore(f, &s)
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", ErrState, filepath.Join(from, StateName), err)
	}
	if err == nil && len(s.Names) != len(c.files)-c.refs {
		err = fmt.Errorf("%s: %d names of %d files", from, len(s.Names), len(c.files)-c.refs)
	}
	return c, d, &s, err
}

// undoFile writes file i as it was. It returns false if it was passed over.
func (c *Collection) undoFile(d *Decisions, from, to string, i int) (bool, error) {
	first := c.starts[c.refs+i]
	pieces, parts := c.pieces(d, c.refs+i), [2]int{}
	for _, p := range pieces {
		if p == rewrite.Dropped {
			parts[1]++
		} else {
			parts[0]++
		}
	}
	paths := []string{c.outputPath(from, KeptName, i), c.outputPath(from, AsideName, i)}
	var there []string
	for part, path := range paths {
		ok, err := c.exists(path)
		if err != nil {
			return false, err
		}
		if ok {
			there = append(there, path)
		} else if parts[part] > 0 {
			return false, fmt.Errorf("%s is gone, with %d records", path, parts[part])
		}
	}
	switch len(there) {
	case 0:
		return false, nil
	case 1:
		return true, copyFile(c.o.FS, there[0], to)
	}
	var files []corpus.File
	for _, path := range paths {
		r, err := corpus.Open([]string{path}, c.o.Corpus)
		if err != nil {
			return false, err
		}
		files = append(files, r.Files()...)
		if err := r.Close(); err != nil {
			return false, err
		}
	}
	check := func(n int, doc *document.Document) error {
		if digestOf(doc) != c.digests[first+uint32(n)] {
			return fmt.Errorf("%s: %w", doc.Source, document.ErrChanged)
		}
		return nil
	}
	return true, rewrite.Merge(files[0], files[1], to, rewrite.Options{Corpus: c.o.Corpus, FS: c.o.FS}, pieces, check)
}

// pieces returns what file i had, in its order.
func (c *Collection) pieces(d *Decisions, i int) (pieces []rewrite.Piece) {
	bad := c.badAt[i]
	first, end := c.starts[i], c.starts[i+1]
	for doc := first; ; doc++ {
		for ; len(bad) > 0 && (bad[0] <= doc-first || doc == end); bad = bad[1:] {
			pieces = append(pieces, rewrite.Bad)
		}
		switch {
		case doc == end:
			return pieces
		case d.kept[doc] != doc:
			pieces = append(pieces, rewrite.Dropped)
		default:
			pieces = append(pieces, rewrite.Stays)
		}
	}
}

// copyFile copies a file, byte for byte.
func copyFile(fsys disk.FS, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if _, err := disk.MkdirAll(fsys, filepath.Dir(to)); err != nil {
		return err
	}
	out, err := disk.CreateAtomic(fsys, to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Abort()
		return err
	}
	return out.Commit()
}
