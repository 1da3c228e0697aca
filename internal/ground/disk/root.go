package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Root is the part of a file system that lies below one directory. Its paths are relative to that directory, and
// local as filepath.IsLocal says; any other path is refused with errOutside. "." is the directory itself. The
// directories are those that were there when the Root was opened, whatever becomes of their names.
//
// A Root of OS follows no symbolic link: an operation on a path that leads through a link, or that would read or write
// through a link at its end, is refused with ErrLink. Stat describes a link itself.
type Root interface {
	FS
	io.Closer
}

var (
	// errOutside is the class of errors of a path that does not stay in the directory of a Root.
	errOutside = errors.New("the path leaves the directory")
	// ErrLink is the class of errors of a path that leads through a symbolic link.
	ErrLink = errors.New("it is a symbolic link, which is not followed")
)

// Below returns the part of a file system below dir as a Root that joins paths. It does not look for links. It is the
// Root of file systems without them.
func Below(fsys FS, dir string) Root { return below{fsys, dir} }

type below struct {
	fsys FS
	dir  string
}

func (b below) at(op, path string) (string, error) {
	if !filepath.IsLocal(path) {
		return "", &fs.PathError{Op: op, Path: path, Err: errOutside}
	}
	return filepath.Join(b.dir, path), nil
}

// with calls do with a path of the whole file system.
func with[T any](b below, op, path string, do func(path string) (T, error)) (T, error) {
	at, err := b.at(op, path)
	if err != nil {
		var none T
		return none, err
	}
	return do(at)
}

// try is with for operations that return an error alone.
func (b below) try(op, path string, do func(path string) error) error {
	_, err := with(b, op, path, func(path string) (struct{}, error) { return struct{}{}, do(path) })
	return err
}

func (b below) Create(path string) (File, error) { return with(b, "create", path, b.fsys.Create) }
func (b below) Map(path string) (*Mapped, error) { return with(b, "map", path, b.fsys.Map) }
func (b below) ReadFile(path string, most int64) ([]byte, error) {
	return with(b, "read", path, func(path string) ([]byte, error) { return b.fsys.ReadFile(path, most) })
}
func (b below) ReadDir(dir string) ([]string, error) { return with(b, "readdir", dir, b.fsys.ReadDir) }
func (b below) Stat(path string) (fs.FileInfo, error) {
	return with(b, "stat", path, b.fsys.Stat)
}

func (b below) CreateTemp(dir string) (File, error) {
	if dir == "" {
		return b.fsys.CreateTemp("")
	}
	return with(b, "create", dir, b.fsys.CreateTemp)
}

func (b below) Mkdir(dir string) error     { return b.try("mkdir", dir, b.fsys.Mkdir) }
func (b below) Remove(path string) error   { return b.try("remove", path, b.fsys.Remove) }
func (b below) SyncFile(path string) error { return b.try("sync", path, b.fsys.SyncFile) }
func (b below) SyncDir(dir string) error   { return b.try("sync", dir, b.fsys.SyncDir) }
func (b below) Close() error               { return nil }
func (b below) Root(dir string, _ fs.FileMode) (Root, error) {
	return with(b, "open", dir, func(dir string) (Root, error) { return Below(b.fsys, dir), nil })
}

func (b below) Rename(from, to string) error {
	return b.try("rename", from, func(from string) error {
		return b.try("rename", to, func(to string) error { return b.fsys.Rename(from, to) })
	})
}

func (b below) Link(from, to string) error {
	return b.try("link", from, func(from string) error {
		return b.try("link", to, func(to string) error { return b.fsys.Link(from, to) })
	})
}

func (b below) Lock(path, note string) (Lock, error) {
	return with(b, "lock", path, func(path string) (Lock, error) { return b.fsys.Lock(path, note) })
}

// Root opens a directory of the operating system.
func (*osFS) Root(dir string, perm fs.FileMode) (Root, error) { return newRoot(perm)(os.OpenRoot(dir)) }

type osRoot struct {
	files
	root *os.Root
	perm fs.FileMode
}

// newRoot returns what makes a Root of an open directory.
func newRoot(perm fs.FileMode) func(root *os.Root, err error) (Root, error) {
	return func(root *os.Root, err error) (Root, error) {
		if err != nil {
			return nil, err
		}
		r := &osRoot{root: root, perm: perm}
		r.remove = root.Remove
		r.open = func(op, path string, flag int) (*os.File, error) {
			if err := r.check(op, path, true); err != nil {
				return nil, err
			}
			if flag&os.O_CREATE == 0 {
				flag |= nonBlocking
			}
			f, err := root.OpenFile(path, flag, perm)
			return f, r.whole(err)
		}
		return r, nil
	}
}

// check returns an error if a path is not local, or leads through a link. With whole, the last name must not be a link
// either. Even if a link comes into being after the check, os.Root does not leave the directory.
func (r *osRoot) check(op, path string, whole bool) error {
	if !filepath.IsLocal(path) {
		return &fs.PathError{Op: op, Path: path, Err: errOutside}
	}
	path = filepath.Clean(path)
	for end := 0; end < len(path); end++ {
		next := strings.IndexByte(path[end:], filepath.Separator)
		if next < 0 {
			if !whole {
				return nil
			}
			next = len(path) - end
		}
		end += next
		info, err := r.root.Lstat(path[:end])
		if err != nil {
			return nil // the operation itself says what is wrong
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &fs.PathError{Op: op, Path: filepath.Join(r.root.Name(), path[:end]), Err: ErrLink}
		}
	}
	return nil
}

// whole makes the paths in an error of r.root those that its user knows.
func (r *osRoot) whole(err error) error {
	dir := r.root.Name()
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return &fs.PathError{Op: strings.TrimSuffix(e.Op, "at"), Path: filepath.Join(dir, e.Path), Err: e.Err}
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return &os.LinkError{Op: strings.TrimSuffix(e.Op, "at"), Old: filepath.Join(dir, e.Old), New: filepath.Join(dir, e.New), Err: e.Err}
	}
	return err
}

func (r *osRoot) Stat(path string) (fs.FileInfo, error) {
	if err := r.check("stat", path, false); err != nil {
		return nil, err
	}
	info, err := r.root.Lstat(path)
	return info, r.whole(err)
}

func (r *osRoot) Mkdir(dir string) error {
	if err := r.check("mkdir", dir, false); err != nil {
		return err
	}
	return r.whole(r.root.Mkdir(dir, r.perm|(r.perm&0o444)>>2))
}

func (r *osRoot) Rename(from, to string) error {
	if err := errors.Join(r.check("rename", from, false), r.check("rename", to, false)); err != nil {
		return err
	}
	return r.whole(r.root.Rename(from, to))
}

// Link refuses a symbolic link at the end of from, too.
func (r *osRoot) Link(from, to string) error {
	if err := errors.Join(r.check("link", from, true), r.check("link", to, false)); err != nil {
		return err
	}
	return r.whole(r.root.Link(from, to))
}

func (r *osRoot) Remove(path string) error {
	if err := r.check("remove", path, false); err != nil {
		return err
	}
	return r.whole(r.root.Remove(path))
}

// Lock goes by the path of the directory, since files are locked by their paths.
func (r *osRoot) Lock(path, note string) (Lock, error) {
	if err := r.check("lock", path, true); err != nil {
		return nil, err
	}
	return OS.Lock(filepath.Join(r.root.Name(), path), note)
}

func (r *osRoot) Root(dir string, perm fs.FileMode) (Root, error) {
	if err := r.check("open", dir, true); err != nil {
		return nil, err
	}
	return newRoot(perm)(r.root.OpenRoot(dir))
}

func (r *osRoot) Close() error { return r.root.Close() }
