package dedup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/disk"
)

// Prepare reports whether Write can write to a directory: there is none, or it is empty, has what Write has begun and not
// finished, or has the result of the same command, which is then made anew. It must not be one of inputs, nor in one or
// around one: they would be read and written at the same time.
func Prepare(dir, command string, inputs []string) error {
	for _, input := range inputs {
		if isBelow(resolved(dir), resolved(input)) || isBelow(resolved(input), resolved(dir)) {
			return fmt.Errorf("%s would be read and written: name a directory apart from %s", dir, input)
		}
	}
	if err := isNoFile(dir); err != nil {
		return err
	}
	names, err := disk.OS.ReadDir(dir)
	if err != nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(names) > 0 && !isUnfinished(dir, names) && (command == "" || madeBy(dir) != escaped([]byte(command))) {
		err = fmt.Errorf("%s is not empty: name another directory, or remove it", dir)
	}
	return err
}

// lockNote is what the mark of a run that has not finished begins with. It may be lost in a crash.
const lockNote = "simsearch dedup"

// isUnfinished reports whether a directory with such names is one that Write has begun. A file that has the name of the mark by
// chance is not ours if it has other contents, nor if it is empty and stands beside files that are not ours.
func isUnfinished(dir string, names []string) bool {
	if !slices.Contains(names, unfinishedName) {
		return false
	}
	info, err := disk.OS.Stat(filepath.Join(dir, unfinishedName))
	if err != nil || info.IsDir() {
		return false
	}
	if info.Size() == 0 {
		return !slices.ContainsFunc(names, func(name string) bool { return name != unfinishedName && !isOurs(name) })
	}
	if info.Size() > 1<<10 {
		return false
	}
	note, err := disk.OS.ReadFile(filepath.Join(dir, unfinishedName))
	return err == nil && strings.HasPrefix(string(note), lockNote)
}

// isOurs reports whether Write writes files or directories of a name.
func isOurs(name string) bool {
	ours := slices.Contains([]string{KeptName, AsideName, RemovedName, ClustersName, CutName, ReportName, PageName, StateName, readingName}, name)
	temporary, _ := filepath.Match(disk.TempPattern, name)
	part, _ := filepath.Match(partPattern, name)
	return ours || temporary || part
}

// isNoFile returns an error if a file is where a directory is to be, or around it.
func isNoFile(dir string) error {
	for path := dir; ; path = filepath.Dir(path) {
		info, err := disk.OS.Stat(path)
		switch {
		case err == nil && info.IsDir(), path == filepath.Dir(path):
			return nil
		case err == nil && path == dir:
			return fmt.Errorf("%s is a file: name a directory", dir)
		case err == nil:
			return fmt.Errorf("%s is a file, so that %s cannot be a directory: name another one", path, dir)
		}
	}
}

// ErrBusy is returned if another run writes to the directory.
var ErrBusy = errors.New("another run writes to it")

// lock takes the lock of dir.
func lock(fsys disk.FS, dir string) (disk.Lock, error) {
	mark, err := fsys.Lock(filepath.Join(dir, unfinishedName), lockNote)
	if errors.As(err, new(*disk.LockedError)) {
		return nil, fmt.Errorf("%s: %w: wait until that has ended, or name another directory (%w)", dir, ErrBusy, err)
	}
	return mark, err
}

// absolute returns an absolute path, or the path as it is if there is no working directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// resolved returns an absolute path without symbolic links, as far as it exists.
func resolved(path string) string {
	path = absolute(path)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}

// madeBy returns the command that has made what is in a directory, or "".
func madeBy(dir string) string {
	data, err := disk.OS.ReadFile(filepath.Join(dir, ReportName))
	var report struct{ Command string }
	if err != nil || json.Unmarshal(data, &report) != nil {
		return ""
	}
	return report.Command
}

// begin marks dir as unfinished, and removes what an earlier run has written, which may have had other options. The mark
// is locked until the caller closes it.
func begin(fsys disk.FS, dir string) (mark disk.Lock, err error) {
	if mark, err = lock(fsys, dir); err != nil {
		return nil, err
	}
	if err := clearResult(fsys, dir); err != nil {
		return nil, errors.Join(err, mark.Close())
	}
	return mark, nil
}

// clearResult removes what an earlier run has written, for good: nothing of it comes back after a crash.
func clearResult(fsys disk.FS, dir string) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isOurs(name) {
			if err := removeAll(fsys, filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return fsys.SyncDir(dir)
}

// removeAll removes a file, or a directory with all that is in it.
func removeAll(fsys disk.FS, path string) error {
	info, err := fsys.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		names, err := fsys.ReadDir(path)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := removeAll(fsys, filepath.Join(path, name)); err != nil {
				return err
			}
		}
		if err := fsys.SyncDir(path); err != nil {
			return err
		}
	}
	return fsys.Remove(path)
}
