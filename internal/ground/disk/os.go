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
)

// OS is the file system of the operating system.
var OS FS = newOS(func(string) fs.FileMode { return anyone })

// OSAsDirectory is OS, except that a file that is created gets no permission that its directory does not have: what
// is in a directory that is private is so itself, and its copies are.
var OSAsDirectory FS = newOS(func(path string) fs.FileMode {
	if info, err := os.Stat(filepath.Dir(path)); err == nil {
		return anyone & info.Mode()
	}
	return anyone
})

// An osFile is a file. Where the system cannot remove an open file, a temporary one is removed when it is closed.
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

func (f osFile) Map() (*Mapped, error) { return MapFile(f.File) }

// files are the operations of OS, and of a Root of it, on files and directories that they open.
type files struct {
	open   func(op, path string, flag int) (*os.File, error) // does not wait, whatever is there
	remove func(path string) error
}

func (o files) Create(path string) (File, error) {
	f, err := o.open("create", path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	return osFile{File: f}, nil
}

func (o files) CreateTemp(dir string) (File, error) {
	if dir == "" {
		f, err := os.CreateTemp("", "simsearch-*")
		if err != nil {
			return nil, err
		}
		return osFile{f, os.Remove(f.Name()) != nil}, nil
	}
	path := filepath.Join(dir, temporaryName())
	f, err := o.open("create", path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	return osFile{f, o.remove(path) != nil}, nil
}

func (o files) ReadFile(path string, most int64) (text []byte, err error) {
	err = o.with("read", path, os.O_RDONLY, oneName, func(f *os.File) error {
		text, err = readAtMost(f, most)
		return err
	})
	return text, err
}

func (o files) Map(path string) (m *Mapped, err error) {
	err = o.with("map", path, os.O_RDONLY, nil, func(f *os.File) error {
		m, err = MapFile(f) // the map outlives its descriptor
		return err
	})
	return m, err
}

func (o files) ReadDir(dir string) (names []string, err error) {
	d, err := o.open("readdir", dir, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	names, err = d.Readdirnames(-1)
	slices.Sort(names)
	return names, errors.Join(err, d.Close())
}

func (o files) SyncFile(path string) error {
	return o.with("sync", path, os.O_RDWR, nil, (*os.File).Sync) // Windows does not sync what is open for reading
}

func (o files) SyncDir(dir string) error {
	d, err := o.open("sync", dir, os.O_RDONLY)
	if err != nil {
		return err
	}
	if err = d.Sync(); errors.Is(err, errors.ErrUnsupported) || os.IsPermission(err) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// with opens a regular file that passes check, which may be nil, calls do and closes the file.
func (o files) with(op, path string, flag int, check func(fs.FileInfo) error, do func(f *os.File) error) error {
	f, err := o.open(op, path, flag|noFollow)
	if err == nil {
		f, err = regular(f, f.Name(), check)
	}
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

type osFS struct{ files }

// newOS returns the file system of the operating system. mode returns the permissions of a file that is created.
func newOS(mode func(path string) fs.FileMode) *osFS {
	open := func(_, path string, flag int) (*os.File, error) {
		if flag&os.O_CREATE == 0 {
			f, err := os.OpenFile(path, flag|nonBlocking, 0)
			return f, notFollowed(err)
		}
		return os.OpenFile(path, flag, mode(path))
	}
	return &osFS{files{open, os.Remove}}
}

func (*osFS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (*osFS) Mkdir(dir string) error                { return os.Mkdir(dir, 0o777) }
func (*osFS) Rename(from, to string) error          { return os.Rename(from, to) }
func (*osFS) Link(from, to string) error            { return os.Link(from, to) }
func (*osFS) Remove(path string) error              { return os.Remove(path) }

// MakePrivate takes all permissions for a directory and the files in it from everybody but their owners. It reports
// whether others could read the directory before.
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

func (*osFS) Lock(path, note string) (Lock, error) {
	for range lockAttempts {
		// A symbolic link is not followed, and a file with a second name is refused, so that no other file is locked
		// and written.
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow|nonBlocking), flock.SetPermissions(anyone))
		ok, err := l.TryLock()
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil && ok {
			err = lockable(l)
		}
		if err != nil {
			var named *fs.PathError
			if !errors.As(err, &named) {
				err = &fs.PathError{Op: "lock", Path: path, Err: err}
			}
			return nil, errors.Join(notFollowed(err), l.Close())
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
		writeNote(path, note+"\n", held)
		return osLock{l, path}, nil
	}
	return nil, &fs.PathError{Op: "lock", Path: path, Err: errors.New("it is removed, or locking it interrupted, again and again")}
}

// lockable returns an error if a file must not be a lock, since it is not ours alone to write to.
func lockable(l *flock.Flock) error {
	info, err := l.Stat()
	if err != nil {
		return err
	}
	return errors.Join(isRegular(info), oneName(info))
}

// writeNote writes a note to the file of a lock, held. The note is optional: without it a LockedError says "another
// process".
func writeNote(path, note string, held fs.FileInfo) {
	f, err := os.OpenFile(path, os.O_WRONLY|noFollow|nonBlocking, 0)
	if err != nil {
		return
	}
	if is, err := f.Stat(); err == nil && os.SameFile(held, is) && f.Truncate(0) == nil {
		_, _ = f.WriteString(note)
	}
	_ = f.Close()
}

// maxNote is the most bytes of a note that are read.
const maxNote = 4096

// holderOf returns the note of the holder of a lock, or "" if there is none. A holder that has just taken the lock is
// about to write it.
func holderOf(path string) string {
	const attempts = 10
	for range attempts {
		if note, _ := OS.ReadFile(path, maxNote); len(strings.TrimSpace(string(note))) > 0 {
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
