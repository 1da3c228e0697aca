// Package disktest makes a file system fail and crash, for tests of programs that write files.
//
// An FS passes operations on to another file system. A test can refuse an operation before it is done, and
// is told of it afterwards. A Shadow follows the operations and knows what a disk may have if the power is
// cut: which contents and which names have been synced.
package disktest

import (
	"io/fs"
	"sync"

	"simsearch/internal/ground/disk"
)

// An Op is an operation of a file system, before or after it is done.
type Op struct {
	Kind string // the name of the method in lower case: create, write, sync, rename, …
	Path string // "" for temporary files, which have no name
	To   string // the new name of a rename or a link
	Data []byte // the bytes of a write; valid during the call
	At   int64  // the offset of a write
}

// Writes reports whether the operation changes the disk, or makes a change durable.
func (o Op) Writes() bool {
	switch o.Kind {
	case "readfile", "map", "readdir", "stat", "readat", "lock", "unlock", "close":
		return false
	}
	return true
}

// An FS passes operations on to Base, except for syncs: they take most of the time, and a simulated crash
// does not need them. It calls Before and After for one operation at a time.
type FS struct {
	Base disk.FS
	// Before, if not nil, is called first. If it returns an error, the operation is not done, except that
	// the first n bytes of a write are written, as on a disk that becomes full.
	Before func(Op) (n int, err error)
	// After, if not nil, is called after an operation that has succeeded.
	After func(Op)

	mu sync.Mutex
}

var _ disk.FS = (*FS)(nil)

// do does an operation, with calls of Before and After.
func (f *FS) do(op Op, do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Before != nil {
		if _, err := f.Before(op); err != nil {
			return &fs.PathError{Op: op.Kind, Path: op.Path, Err: err}
		}
	}
	if err := do(); err != nil {
		return err
	}
	f.after(op)
	return nil
}

func (f *FS) after(op Op) {
	if f.After != nil {
		f.After(op)
	}
}

// write does a write. If Before refuses it, only a part is written.
func (f *FS) write(op Op, write func(p []byte) (int, error)) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var refused error
	p := op.Data
	if f.Before != nil {
		n, err := f.Before(op)
		if refused = err; refused != nil {
			p = p[:min(max(n, 0), len(p))]
		}
	}
	n, err := len(p), error(nil)
	if len(p) > 0 || refused == nil {
		n, err = write(p)
	}
	if op.Data = op.Data[:n]; n > 0 {
		f.after(op)
	}
	if err == nil && refused != nil {
		err = &fs.PathError{Op: op.Kind, Path: op.Path, Err: refused}
	}
	return n, err
}

// Create is a "create".
func (f *FS) Create(path string) (out disk.File, err error) {
	err = f.do(Op{Kind: "create", Path: path}, func() error {
		base, err := f.Base.Create(path)
		out = &file{f, base, path, 0}
		return err
	})
	return out, err
}

// CreateTemp is a "createtemp".
func (f *FS) CreateTemp(dir string) (out disk.File, err error) {
	err = f.do(Op{Kind: "createtemp"}, func() error {
		base, err := f.Base.CreateTemp(dir)
		out = &file{f, base, "", 0}
		return err
	})
	return out, err
}

// ReadFile is a "readfile".
func (f *FS) ReadFile(path string, most int64) (data []byte, err error) {
	err = f.do(Op{Kind: "readfile", Path: path}, func() error { data, err = f.Base.ReadFile(path, most); return err })
	return data, err
}

// Map is a "map".
func (f *FS) Map(path string) (m *disk.Mapped, err error) {
	err = f.do(Op{Kind: "map", Path: path}, func() error { m, err = f.Base.Map(path); return err })
	return m, err
}

// ReadDir is a "readdir".
func (f *FS) ReadDir(dir string) (names []string, err error) {
	err = f.do(Op{Kind: "readdir", Path: dir}, func() error { names, err = f.Base.ReadDir(dir); return err })
	return names, err
}

// Stat is a "stat".
func (f *FS) Stat(path string) (info fs.FileInfo, err error) {
	err = f.do(Op{Kind: "stat", Path: path}, func() error { info, err = f.Base.Stat(path); return err })
	return info, err
}

// Mkdir is a "mkdir".
func (f *FS) Mkdir(dir string) error {
	return f.do(Op{Kind: "mkdir", Path: dir}, func() error { return f.Base.Mkdir(dir) })
}

// Rename is a "rename".
func (f *FS) Rename(from, to string) error {
	return f.do(Op{Kind: "rename", Path: from, To: to}, func() error { return f.Base.Rename(from, to) })
}

// Link is a "link".
func (f *FS) Link(from, to string) error {
	return f.do(Op{Kind: "link", Path: from, To: to}, func() error { return f.Base.Link(from, to) })
}

// Remove is a "remove".
func (f *FS) Remove(path string) error {
	return f.do(Op{Kind: "remove", Path: path}, func() error { return f.Base.Remove(path) })
}

// SyncFile is a "sync".
func (f *FS) SyncFile(path string) error {
	return f.do(Op{Kind: "sync", Path: path}, func() error { return nil })
}

// SyncDir is a "syncdir".
func (f *FS) SyncDir(dir string) error {
	return f.do(Op{Kind: "syncdir", Path: dir}, func() error { return nil })
}

// Lock is a "lock", and closing it an "unlock".
func (f *FS) Lock(path, note string) (l disk.Lock, err error) {
	err = f.do(Op{Kind: "lock", Path: path}, func() error {
		base, err := f.Base.Lock(path, note)
		l = lock{f, base, path}
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Root passes operations on with the paths of the whole file system. Links are not looked for.
func (f *FS) Root(dir string, perm fs.FileMode) (disk.Root, error) {
	root, err := f.Base.Root(dir, perm)
	if err != nil {
		return nil, err
	}
	return Below(f, dir), root.Close()
}

type lock struct {
	fs   *FS
	base disk.Lock
	path string
}

// Close releases the lock even if Before returns an error, as the end of a process would.
func (l lock) Close() error {
	err := l.base.Close()
	if failed := l.fs.do(Op{Kind: "unlock", Path: l.path}, func() error { return nil }); failed != nil {
		return failed
	}
	return err
}

// Held is no operation: it is only asked for what is there.
func (l lock) Held() error { return l.base.Held() }

// A file is a file of an FS.
type file struct {
	fs   *FS
	base disk.File
	path string
	at   int64 // the offset of the next Write
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.fs.write(Op{Kind: "write", Path: f.path, Data: p, At: f.at}, f.base.Write)
	f.at += int64(n)
	return n, err
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	return f.fs.write(Op{Kind: "write", Path: f.path, Data: p, At: at}, func(p []byte) (int, error) { return f.base.WriteAt(p, at) })
}

func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.fs.do(Op{Kind: "readat", Path: f.path}, func() error { n, err = f.base.ReadAt(p, at); return err })
	return n, err
}

func (f *file) Sync() error {
	return f.fs.do(Op{Kind: "sync", Path: f.path}, func() error { return nil })
}

// Close closes the file even if Before returns an error, so that a test leaves no open files.
func (f *file) Close() error {
	err := f.base.Close()
	if failed := f.fs.do(Op{Kind: "close", Path: f.path}, func() error { return nil }); failed != nil {
		return failed
	}
	return err
}

func (f *file) Map() (m *disk.Mapped, err error) {
	err = f.fs.do(Op{Kind: "map", Path: f.path}, func() error { m, err = f.base.Map(); return err })
	return m, err
}
