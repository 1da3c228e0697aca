package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
)

// AsideName is the directory within an index that holds files unknown to the manifest.
const AsideName = "aside"

// Tidy removes from the directory of an index the files that an interrupted writer left behind. It moves
// aside the files that nothing explains, and calls aside, if that is not nil, with the name of each. It
// returns the manifest with the next number above that of every existing file. The lock must be held.
func (m *Manifest) Tidy(fsys disk.FS, dir string, aside func(name string)) (*Manifest, error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	moved, err := fsys.ReadDir(filepath.Join(dir, AsideName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if slices.Contains(names, ManifestName) {
		// A process that was killed may have renamed the manifest and no more. Files of the one before are removed.
		if err := fsys.SyncDir(dir); err != nil {
			return nil, err
		}
	}
	for _, l := range m.Leftovers(names) {
		if l.Reserved {
			err = fsys.Remove(filepath.Join(dir, l.Name))
		} else if err = MoveAside(fsys, dir, l.Name); err == nil && aside != nil && !l.Damaged {
			aside(l.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	raised := *m
	raised.Aside = nil
	for _, name := range slices.Concat(names, moved) {
		if n, ok := NumberOf(name); ok && n >= raised.Next {
			raised.Next = n + 1
		}
	}
	return &raised, nil
}

// MoveAside moves a file of the index in from to AsideName, under a name that is free there. It follows no link.
func MoveAside(fsys disk.FS, from, name string) (err error) {
	root, err := fsys.Root(from, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Mkdir(AsideName); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	to := filepath.Join(AsideName, name)
	for i := 2; ; i++ {
		if _, err := root.Stat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		to = filepath.Join(AsideName, fmt.Sprintf("%s.%d", name, i))
	}
	if err := root.Rename(name, to); err != nil {
		return err
	}
	// A moved file must not be lost between the two directories.
	return errors.Join(root.SyncDir(AsideName), root.SyncDir("."))
}
