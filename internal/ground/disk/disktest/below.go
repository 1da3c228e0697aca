package disktest

import (
	"io/fs"
	"path/filepath"

	"simsearch/internal/ground/disk"
)

// Below returns the part of a file system below dir as a disk.Root that joins paths. It does not look for links. A path
// that leaves dir is fs.ErrInvalid.
func Below(fsys disk.FS, dir string) disk.Root { return below{fsys, dir} }

type below struct {
	fsys disk.FS
	dir  string
}

func (b below) at(op, path string) (string, error) {
	if !filepath.IsLocal(path) {
		return "", &fs.PathError{Op: op, Path: path, Err: fs.ErrInvalid}
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

func (b below) Create(path string) (disk.File, error) { return with(b, "create", path, b.fsys.Create) }
func (b below) Map(path string) (*disk.Mapped, error) { return with(b, "map", path, b.fsys.Map) }
func (b below) ReadFile(path string, most int64) ([]byte, error) {
	return with(b, "read", path, func(path string) ([]byte, error) { return b.fsys.ReadFile(path, most) })
}
func (b below) ReadDir(dir string) ([]string, error) { return with(b, "readdir", dir, b.fsys.ReadDir) }
func (b below) Stat(path string) (fs.FileInfo, error) {
	return with(b, "stat", path, b.fsys.Stat)
}

func (b below) CreateTemp(dir string) (disk.File, error) {
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
func (b below) Root(dir string, _ fs.FileMode) (disk.Root, error) {
	return with(b, "open", dir, func(dir string) (disk.Root, error) { return Below(b.fsys, dir), nil })
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

func (b below) Lock(path, note string) (disk.Lock, error) {
	return with(b, "lock", path, func(path string) (disk.Lock, error) { return b.fsys.Lock(path, note) })
}
