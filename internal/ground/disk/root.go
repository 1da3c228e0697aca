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
