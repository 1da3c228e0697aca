package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ownerName is the file in a directory of TempDir that its process holds locked.
const ownerName = "owner"

// TempDir makes a directory in that of the system for temporary files, whose name begins with prefix. Nobody else may
// read it. remove removes it. TempDir first removes those directories of the same prefix and the same user that
// processes have left which were killed: nobody holds the lock in them.
func TempDir(prefix string) (dir string, remove func() error, err error) {
	base := os.TempDir()
	entries, _ := os.ReadDir(base) // what cannot be listed stays
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			removeLeft(filepath.Join(base, e.Name()))
		}
	}
	for range lockAttempts {
		if dir, err = os.MkdirTemp(base, prefix); err != nil {
			return "", nil, err
		}
		lock, err := OS.Lock(filepath.Join(dir, ownerName), fmt.Sprintf("process %d", os.Getpid()))
		if err == nil && lock.Held() == nil {
			return dir, func() error { return errors.Join(lock.Close(), removeOwned(dir)) }, nil
		}
		if err == nil {
			_ = lock.Close() // another process has taken the directory for one that was left
		} else if !errors.As(err, new(*LockedError)) && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return "", nil, &fs.PathError{Op: "lock", Path: dir, Err: errors.New("other processes remove it again and again")}
}

// removeOwned removes a directory whose lock was given up. A process that clears up may put the file of the lock
// there once more.
func removeOwned(dir string) (err error) {
	for range lockAttempts {
		if err = os.RemoveAll(dir); err == nil {
			break
		}
	}
	return err
}

// removeLeft removes a directory of TempDir that no process holds. It follows no link. What it cannot remove stays.
func removeLeft(path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeDir|0o700 || !isOwn(info) {
		return
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // it was opened for reading
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		return
	}
	if owner, err := root.Lstat(ownerName); err != nil || !owner.Mode().IsRegular() {
		return // its process has not locked it yet
	}
	lock, err := OS.Lock(filepath.Join(path, ownerName), "a process that clears up")
	if err != nil {
		return
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if e.Name() != ownerName {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	if err == nil {
		err = root.Remove(ownerName) // last, so that the next process goes on if this one is killed
	}
	_ = lock.Close() // nobody needs it
	if err == nil {
		_ = os.Remove(path) // what has come meanwhile keeps it
	}
}
