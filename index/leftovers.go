package index

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/manifest"
)

// AsideName is the directory within an index that holds files unknown to the manifest.
const AsideName = "aside"

// A Leftover is a file in the directory of an index that its manifest does not name.
type Leftover struct {
	Name string
	// Reserved is set if the manifest has reserved the name, or if the file is unfinished. The file
	// was left by an interrupted commit and was never a part of the index. The next writer removes
	// it.
	//
	// Otherwise the file belongs to a commit later than the manifest: an older manifest has been
	// put back. The next writer moves the file to AsideName.
	Reserved bool
}

// Leftovers returns the files of commits that the manifest of the index in dir does not name, in
// ascending order. While a writer is at work, these include its unfinished files.
func Leftovers(dir string) ([]Leftover, error) {
	// Read the directory before the manifest: a number is reserved before its file exists.
	names, err := disk.OS.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Read(disk.OS, dir)
	if err != nil {
		return nil, absent(err)
	}
	var out []Leftover
	for _, l := range m.Leftovers(names) {
		out = append(out, Leftover(l))
	}
	return out, nil
}

// tidy removes the files that an interrupted writer left behind. It moves aside the files that
// nothing explains. It raises the next number above that of every existing file. The lock must be
// held.
func (w *Writer) tidy() error {
	names, err := w.fs.ReadDir(w.dir)
	if err != nil {
		return err
	}
	aside, err := w.fs.ReadDir(filepath.Join(w.dir, AsideName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, l := range w.manifest.Leftovers(names) {
		if l.Reserved {
			err = w.fs.Remove(filepath.Join(w.dir, l.Name))
		} else {
			err = w.moveAside(l.Name)
		}
		if err != nil {
			return err
		}
	}
	raised := *w.manifest
	for _, name := range slices.Concat(names, aside) {
		if n, ok := manifest.NumberOf(name); ok && n >= raised.Next {
			raised.Next = n + 1
		}
	}
	w.manifest = &raised
	return nil
}

// moveAside moves a file to AsideName, under a name that is free there.
func (w *Writer) moveAside(name string) error {
	dir := filepath.Join(w.dir, AsideName)
	if err := w.fs.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	to := filepath.Join(dir, name)
	for i := 2; ; i++ {
		if _, err := w.fs.Stat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		to = filepath.Join(dir, fmt.Sprintf("%s.%d", name, i))
	}
	if err := w.fs.Rename(filepath.Join(w.dir, name), to); err != nil {
		return err
	}
	// A moved file must not be lost between the two directories.
	if err := errors.Join(w.fs.SyncDir(dir), w.fs.SyncDir(w.dir)); err != nil {
		return err
	}
	if w.o.Aside != nil {
		w.o.Aside(name)
	}
	return nil
}
