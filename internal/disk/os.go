package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"simsearch/internal/mmap"
)

// OS is the file system of the operating system.
var OS FS = osFS{}

// OSAsDirectory is OS, except that a file that is created gets no permission that its directory does not have: what is in a
// directory that is private is so itself, and its copies are.
var OSAsDirectory FS = osFS{asDirectory: true}

type osFS struct{ asDirectory bool }

func parentOf(path string) string { return filepath.Dir(path) }

// An osFile is a file. It has a name if it is to be removed when it is closed.
type osFile struct {
	*os.File
	remove bool
}

func (f osFile) Close() error {
	err := f.File.Close()
	if f.remove {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

func (f osFile) Map() (*mmap.File, error) { return mmap.OpenFile(f.File) }

func (o osFS) Create(path string) (File, error) {
	mode := anyone
	if o.asDirectory {
		if info, err := os.Stat(filepath.Dir(path)); err == nil {
			mode &= info.Mode()
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return osFile{File: f}, nil
}

func (osFS) CreateTemp(dir string) (File, error) {
	pattern := TempPattern
	if dir == "" {
		pattern = "simsearch-*"
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return osFile{f, !unlink(f.Name())}, nil
}

func (osFS) ReadFile(path string) ([]byte, error)  { return os.ReadFile(path) }
func (osFS) Map(path string) (*mmap.File, error)   { return mmap.Open(path) }
func (osFS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (osFS) Mkdir(dir string) error                { return os.Mkdir(dir, 0o777) }
func (osFS) Rename(from, to string) error          { return os.Rename(from, to) }
func (osFS) Remove(path string) error              { return os.Remove(path) }

func (osFS) ReadDir(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return namesIn(f)
}

// namesIn returns the names in an open directory in ascending order.
func namesIn(dir *os.File) ([]string, error) {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

func (osFS) SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows does not sync what is open for reading
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (osFS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncOpen(d), d.Close())
}

// syncOpen makes the names in an open directory durable, if the system can.
func syncOpen(d *os.File) error {
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !os.IsPermission(err) {
		return err
	}
	return nil
}

// MakePrivate takes all permissions for a directory and the files in it from everybody but their owners. It reports whether
// others could read the directory before.
func MakePrivate(dir string) (changed bool, err error) {
	const others = 0o077
	info, err := os.Stat(dir)
	if err != nil || info.Mode()&others == 0 {
		return false, err
	}
	if err := os.Chmod(dir, info.Mode()&^others); err != nil { // first, so that no file can be opened any more
		return false, err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, failed := e.Info(); failed == nil && info.Mode().IsRegular() {
			err = errors.Join(err, os.Chmod(filepath.Join(dir, e.Name()), info.Mode()&^others))
		}
	}
	return true, err
}

// lockAttempts is how often Lock tries again if the last holder removes the file between its opening and
// its locking.
const lockAttempts = 100

func (osFS) Lock(path, note string) (Lock, error) {
	for range lockAttempts {
		// A symbolic link is not followed, so that no other file is locked and written.
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(anyone))
		ok, err := l.TryLock()
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			var named *fs.PathError
			if !errors.As(err, &named) {
				err = &fs.PathError{Op: "lock", Path: path, Err: err}
			}
			return nil, errors.Join(err, l.Close())
		}
		if !ok {
			return nil, errors.Join(&LockedError{path, holderOf(path)}, l.Close())
		}
		held, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if named, err := os.Lstat(path); err != nil || !os.SameFile(held, named) {
			_ = l.Close() // the error does not matter: the locked file has been removed
			continue
		}
		// The note is optional: without it a LockedError says "another process".
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|noFollow, 0); err == nil {
			_, _ = f.WriteString(note + "\n")
			_ = f.Close()
		}
		return osLock{l, path}, nil
	}
	return nil, &fs.PathError{Op: "lock", Path: path, Err: errors.New("it is removed, or locking it interrupted, again and again")}
}

// holderOf returns the note of the holder of a lock, or "" if there is none. A holder that has just taken the lock is about
// to write it.
func holderOf(path string) string {
	const attempts = 10
	for range attempts {
		if note, _ := os.ReadFile(path); len(strings.TrimSpace(string(note))) > 0 {
			return strings.TrimSpace(string(note))
		}
		time.Sleep(time.Millisecond)
	}
	return ""
}

// An osLock is a lock of a file.
type osLock struct {
	*flock.Flock
	path string
}

// Close gives the lock up, also if a signal interrupts that.
func (l osLock) Close() (err error) {
	for range lockAttempts {
		if err = l.Flock.Close(); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	return err
}

func (l osLock) Held() error {
	held, err := l.Stat()
	if err != nil {
		return nil // nothing is known
	}
	named, err := os.Lstat(l.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, named) {
		return &fs.PathError{Op: "lock", Path: l.path, Err: ErrLockLost}
	}
	return nil
}
