package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

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
	for _, name := range is.tops() {
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
	next := is.tops()
	for _, name := range append([]string{ListName}, slices.DeleteFunc(was.tops(), d.o.isEdited)...) {
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
	directories := was.dirs()
	c := &checker{path: d.path, root: d.root, lists: []*list{was}, contents: true}
	err = d.remove(oldName, func(name string, info fs.FileInfo) (bool, error) {
		in := strings.TrimPrefix(name, oldName+"/")
		switch {
		case name == oldName || in == ListName:
			return false, nil
		case info.IsDir() && directories[in]:
			return true, nil
		case !info.Mode().IsRegular():
			return false, d.foreign(name)
		}
		return true, c.listed(path.Join(WorkName, name), in, info) // somebody may have changed it since it was looked at
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

// remove removes what is at name in WorkName, and below it, as far as ours says so.
func (d *Dir) remove(name string, ours func(name string, info fs.FileInfo) (bool, error)) error {
	return walk(d.work, name, func(name string, info fs.FileInfo) error {
		if is, err := ours(name, info); !is || err != nil {
			return err
		}
		return d.work.Remove(filepath.FromSlash(name))
	})
}

func (d *Dir) foreign(name string) error {
	return &ForeignError{filepath.Join(d.path, WorkName, filepath.FromSlash(name)), whyForeign}
}

// removeIn removes the files in WorkName, and the directories, whose first name is one that is wanted. Something that
// is not ours is an error.
func (d *Dir) removeIn(wanted func(top string) bool) error {
	names, err := d.work.ReadDir(".")
	if err != nil {
		return err
	}
	directories := d.plan.dirs()
	for _, top := range names {
		if !wanted(top) {
			continue
		}
		err := d.remove(top, func(name string, info fs.FileInfo) (bool, error) {
			if info.IsDir() && directories[name] || info.Mode().IsRegular() && (d.plan.has(name) || isTemporary(path.Base(name)) || d.o.isWork(name)) {
				return true, nil
			}
			return false, d.foreign(name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
