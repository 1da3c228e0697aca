package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

const lockName = "lock"

// A writeLock lets one process at a time write an index.
type writeLock struct{ f *flock.Flock }

// lockDir takes the lock of dir or reports ErrLocked with the process that has it.
func lockDir(dir string) (*writeLock, error) {
	path := filepath.Join(dir, lockName)
	f := flock.New(path)
	ok, err := f.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		holder, _ := os.ReadFile(path) // what it says is a courtesy
		who := strings.TrimSpace(string(holder))
		if who == "" {
			who = "another process"
		}
		return nil, fmt.Errorf("%w: %s holds the lock of %s; try again when it has ended", ErrLocked, who, dir)
	}
	l := &writeLock{f}
	if err := l.check(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// Best effort as well: without it the next writer is told of "another process".
	_ = os.WriteFile(path, fmt.Appendf(nil, "process %d\n", os.Getpid()), 0o666)
	return l, nil
}

// check reports an error if the file locked is no longer the one called path: its
// last holder may have removed it between our opening and our locking.
func (l *writeLock) check(path string) error {
	held, err := l.f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(path)
	if err != nil || !os.SameFile(held, named) {
		return fmt.Errorf("%w: %s has just been removed by its last writer; try again", ErrLocked, path)
	}
	return nil
}

// unlock gives the lock back. The file stays, or two writers could hold two locks
// of one name; only where no index came to be is it removed, while still locked.
func (l *writeLock) unlock(remove bool) error {
	var err error
	if remove {
		err = os.Remove(l.f.Path())
	}
	return errors.Join(err, l.f.Close())
}
