package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
)

// readPlan returns the names of the plan in WorkName. It has none if there is no plan.
func readPlan(work disk.Root) (map[string]bool, error) {
	l, err := readLines(work, planName)
	names := map[string]bool{}
	if l != nil {
		for name := range l.files {
			names[name] = true
		}
	}
	return names, err
}

func writePlan(work disk.FS, by string, names []string) error {
	entries := make([]entry, len(names))
	for i, name := range names {
		entries[i].Name = name
	}
	return writeLines(work, planName, head{By: by}, entries)
}

// replace puts what is in WorkName, which is complete and has a list, in the place of the earlier result. It goes on where
// a process has stopped: a name that is not in WorkName any more is in its place.
func (d *Dir) replace() error {
	is, err := readLines(d.work, ListName)
	if err != nil {
		return err
	}
	was, err := d.earlier()
	if err != nil {
		return err
	}
	if err := d.checkOld(was); err != nil {
		return err
	}
	if was != nil {
		if err := d.moveOld(was, is); err != nil {
			return err
		}
	}
	for _, name := range tops(is.files) {
		err := d.root.Rename(filepath.Join(WorkName, name), name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := errors.Join(d.root.SyncDir("."), d.work.SyncDir(".")); err != nil {
		return err
	}
	if err := d.root.Rename(filepath.Join(WorkName, ListName), ListName); err != nil {
		return err
	}
	return errors.Join(d.root.SyncDir("."), d.work.SyncDir("."))
}

// earlier returns the list of the result that is to be replaced, wherever that is, or nil.
func (d *Dir) earlier() (*list, error) {
	l, err := readLines(d.root, ListName)
	if l == nil && err == nil {
		l, err = readLines(d.work, filepath.Join(oldName, ListName))
	}
	return l, err
}

// moveOld moves the earlier result out of the way.
func (d *Dir) moveOld(was, is *list) error {
	if err := d.work.Mkdir(oldName); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := d.work.SyncDir("."); err != nil {
		return err
	}
	next := tops(is.files)
	for _, name := range append([]string{ListName}, slices.DeleteFunc(tops(was.files), d.o.isEdited)...) {
		there, err := exists(d.root, name)
		if err != nil {
			return err
		}
		moved, err := exists(d.work, filepath.Join(oldName, name))
		if err != nil {
			return err
		}
		if slices.Contains(next, name) {
			waits, err := exists(d.work, name)
			if err != nil {
				return err
			}
			there = there && waits // else it is the new one
		}
		if there && !moved {
			if err := d.root.Rename(name, filepath.Join(WorkName, oldName, name)); err != nil {
				return err
			}
		}
		if name == ListName { // the first, so that what is moved can be told from what is not
			if err := errors.Join(d.work.SyncDir(oldName), d.root.SyncDir(".")); err != nil {
				return err
			}
		}
	}
	return errors.Join(d.work.SyncDir(oldName), d.root.SyncDir("."))
}

// errEdited is returned for a file that a user has edited since its contents were taken over.
var errEdited = errors.New("was changed while this command ran: give the command again")

// checkOld returns an error if something in the place of the earlier result, of which the list is nil if there is none, is not
// ours, or has been edited since its contents were taken over.
func (d *Dir) checkOld(was *list) error {
	if err := checkAll(d.path, d.root, d.o, false); err != nil {
		return err
	}
	for _, name := range d.o.Edited {
		if waits, err := exists(d.work, name); err != nil {
			return err
		} else if !waits {
			continue
		}
		digest, err := digestIn(d.root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if digest != d.took[name] && (was == nil || digest != was.files[name].Digest) {
			return fmt.Errorf("%s %w", filepath.Join(d.path, name), errEdited)
		}
	}
	return nil
}

// removeOld removes an earlier result that has been replaced: the files that its list names, as they are there, and
// nothing else.
func (d *Dir) removeOld() error {
	was, err := readLines(d.work, filepath.Join(oldName, ListName))
	if was == nil || err != nil {
		if errors.Is(err, fs.ErrNotExist) || err == nil {
			err = d.work.Remove(oldName) // it is empty, or does not exist
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	directories := dirs(was.files)
	err = walk(d.work, oldName, func(name string, info fs.FileInfo) error {
		in, err := filepath.Rel(oldName, filepath.FromSlash(name))
		if err != nil {
			return err
		}
		in = filepath.ToSlash(in)
		e, listed := was.files[in]
		switch {
		case name == oldName || in == ListName:
			return nil
		case info.IsDir() && directories[in]:
		case info.Mode().IsRegular() && listed && info.Size() == e.Bytes:
			digest, err := digestIn(d.work, name)
			if err != nil {
				return err
			}
			if digest != e.Digest { // somebody has changed it since it was looked at
				return &ForeignError{filepath.Join(d.path, WorkName, filepath.FromSlash(name)), whyChanged}
			}
		default:
			return d.foreign(path.Join(WorkName, name))
		}
		return d.work.Remove(filepath.FromSlash(name))
	})
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: the earlier result, which has been replaced, cannot be removed; make its directories writable, and run the same command again", err)
	}
	if err != nil {
		return err
	}
	if err := d.work.SyncDir(oldName); err != nil {
		return err
	}
	if err := d.work.Remove(filepath.Join(oldName, ListName)); err != nil {
		return err
	}
	return errors.Join(d.work.Remove(oldName), d.work.SyncDir("."))
}

// removeIn removes the files in WorkName, and the directories, whose first name is one that is wanted. Something that
// is not ours is an error.
func (d *Dir) removeIn(name string, wanted func(top string) bool) error {
	names, err := d.work.ReadDir(name)
	if err != nil {
		return err
	}
	directories := dirs(d.planned)
	for _, top := range names {
		if !wanted(top) {
			continue
		}
		err := d.walk(top, func(name string, info fs.FileInfo) error {
			switch {
			case info.IsDir() && directories[name]:
			case info.Mode().IsRegular() && (d.planned[name] || isTemporary(path.Base(name)) || d.o.isWork(name)):
			default:
				return d.foreign(path.Join(WorkName, name))
			}
			return d.work.Remove(filepath.FromSlash(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeTemporary removes the files that a process has not finished.
func (d *Dir) removeTemporary(dir string) error {
	return d.walk(dir, func(name string, info fs.FileInfo) error {
		if !info.Mode().IsRegular() || !isTemporary(path.Base(name)) {
			return nil
		}
		return d.work.Remove(filepath.FromSlash(name))
	})
}
