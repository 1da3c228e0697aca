package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// AsideName is the directory within an index that holds files unknown to the manifest.
const AsideName = "aside"

// Tidy brings the directory in order. It removes the files that an interrupted writer has left behind, or moves them
// aside if nothing is to be removed. It moves aside the files that nothing explains, and calls aside with what has
// been moved. The next number of the manifest is then above that of every existing file. The lock must be held.
func (d *Dir) Tidy(remove bool, aside func(Leftover)) error {
	names, err := d.FS.ReadDir(d.Path)
	if err != nil {
		return err
	}
	moved, err := d.Aside()
	if err != nil {
		return err
	}
	if slices.Contains(names, ManifestName) {
		// A process that was killed may have renamed the manifest and no more. Files of the one before are removed.
		if err := d.FS.SyncDir(d.Path); err != nil {
			return err
		}
	}
	for _, l := range d.Manifest.Leftovers(names) {
		if l.Reserved && remove {
			err = d.FS.Remove(filepath.Join(d.Path, l.Name))
		} else if err = d.moveAside(l.Name); err == nil {
			aside(l)
		}
		if err != nil {
			return err
		}
	}
	raised := *d.Manifest
	raised.Aside = nil
	for _, name := range slices.Concat(names, moved) {
		if n, ok := numberOf(name); ok && n >= raised.Next {
			raised.Next = n + 1
		}
	}
	d.Manifest = &raised
	return nil
}

// Aside returns the names of the files that have been moved aside.
func (d *Dir) Aside() ([]string, error) {
	moved, err := d.FS.ReadDir(filepath.Join(d.Path, AsideName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return moved, err
}

// moveAside moves a file of the index to AsideName, under a name that is free there. It follows no link.
func (d *Dir) moveAside(name string) (err error) {
	root, err := d.FS.Root(d.Path, 0o666)
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
