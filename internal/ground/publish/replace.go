package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// replace puts what is in WorkName, which is complete and has a list, in the place of the earlier result. It goes on
// where a process has stopped: a name that is not in WorkName any more is in its place.
func (d *Dir) replace() error {
	is, err := readLines(d.work, filepath.Join(d.path, WorkName), ListName)
	if err != nil {
		return err
	}
	was, err := readLines(d.root, d.path, ListName)
	if was == nil && err == nil {
		was, err = readLines(d.work, filepath.Join(d.path, WorkName), filepath.Join(oldName, ListName))
	}
	if err != nil {
		return err
	}
	if err := checkAll(d.path, d.root, d.o, false); err != nil {
		return err
	}
	if was != nil {
		if err := d.moveOld(was, is); err != nil {
			return err
		}
	}
	for _, name := range is.tops() {
		if err := unless(fs.ErrNotExist, d.root.Rename(filepath.Join(WorkName, name), name)); err != nil {
			return err
		}
	}
	return inOrder(d.sync, func() error { return d.root.Rename(filepath.Join(WorkName, ListName), ListName) }, d.sync)
}

// sync makes durable which files are in the directory, and in WorkName.
func (d *Dir) sync() error { return errors.Join(d.root.SyncDir("."), d.work.SyncDir(".")) }

// inOrder takes steps until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// unless returns err, or nil if that is what is expected.
func unless(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// moveOld moves the earlier result out of the way.
func (d *Dir) moveOld(was, is *list) error {
	if err := unless(fs.ErrExist, d.work.Mkdir(oldName)); err != nil {
		return err
	}
	if err := d.work.SyncDir("."); err != nil {
		return err
	}
	sync := func() error { return errors.Join(d.work.SyncDir(oldName), d.root.SyncDir(".")) }
	next := is.tops()
	for _, name := range append([]string{ListName}, was.tops()...) {
		there, err1 := exists(d.root, name)
		moved, err2 := exists(d.work, filepath.Join(oldName, name))
		waits, err3 := exists(d.work, name)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		isOld := waits || !slices.Contains(next, name) // else the new one is there
		if there && isOld && !moved {
			if err := d.root.Rename(name, filepath.Join(WorkName, oldName, name)); err != nil {
				return err
			}
		}
		if name == ListName { // the first, so that what is moved can be told from what is not
			if err := sync(); err != nil {
				return err
			}
		}
	}
	return sync()
}

// removeOld removes an earlier result that has been replaced: the files that its list names, as they are there, and
// nothing else.
func (d *Dir) removeOld() error {
	was, err := readLines(d.work, filepath.Join(d.path, WorkName), filepath.Join(oldName, ListName))
	if err != nil {
		return err
	}
	if was == nil { // oldName is empty, or does not exist
		return unless(fs.ErrNotExist, d.work.Remove(oldName))
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
		return fmt.Errorf("%w: the earlier result, which has been replaced, cannot be removed; make its directories writable, and run the "+
			"same command again", err)
	}
	return inOrder(
		func() error { return err },
		func() error { return d.work.SyncDir(oldName) },
		func() error { return d.work.Remove(filepath.Join(oldName, ListName)) },
		func() error { return d.work.Remove(oldName) },
		func() error { return d.work.SyncDir(".") },
	)
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
	maps.Copy(directories, d.left.dirs())
	for _, top := range slices.DeleteFunc(names, func(name string) bool { return !wanted(name) }) {
		err := d.remove(top, func(name string, info fs.FileInfo) (bool, error) {
			file := info.Mode().IsRegular() && (d.plan.has(name) || d.left.has(name) || isTemporary(path.Base(name)) || d.o.isWork(name))
			if file || info.IsDir() && directories[name] {
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
