package disktest

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"

	"simsearch/internal/ground/disk"
)

// A Quota is a file system with a limited space for the contents of files. A write that needs more writes what there is
// room for, and fails with ENOSPC. Removed and replaced files give their space back, and temporary ones when they are
// closed. Names and locks take no space.
type Quota struct {
	disk.FS

	mu    sync.Mutex // guards all below
	room  int64      // left; below 0 if less was given than is used
	used  int64
	most  int64
	sizes map[string]*int64 // by clean path
}

// NewQuota returns base, which must have no files, with room for the given number of bytes.
func NewQuota(base disk.FS, room int64) *Quota {
	return &Quota{FS: base, room: room, sizes: map[string]*int64{}}
}

// SetRoom gives room for as many bytes as are used, and the given number.
func (q *Quota) SetRoom(room int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.room = room
}

// Most returns the largest number of bytes that were in use at a time.
func (q *Quota) Most() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.most
}

// grow takes up to n bytes, and returns how many it has taken. A negative n gives them back.
func (q *Quota) grow(n int64) int64 {
	n = min(n, max(q.room, 0))
	q.room -= n
	q.used += n
	q.most = max(q.most, q.used)
	return n
}

// Create makes an empty file, for which there is always room.
func (q *Quota) Create(path string) (disk.File, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f, err := q.FS.Create(path)
	if err != nil {
		return nil, err
	}
	size := new(int64)
	q.sizes[filepath.Clean(path)] = size
	return &quotaFile{File: f, q: q, path: path, size: size}, nil
}

// CreateTemp makes a temporary file.
func (q *Quota) CreateTemp(dir string) (disk.File, error) {
	f, err := q.FS.CreateTemp(dir)
	if err != nil {
		return nil, err
	}
	return &quotaFile{File: f, q: q, path: "temporary file", size: new(int64), temporary: true}, nil
}

// Remove gives back the space of a file.
func (q *Quota) Remove(path string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.FS.Remove(path)
	if err == nil {
		q.free(path)
	}
	return err
}

// Root passes operations on with the paths of the whole file system.
func (q *Quota) Root(dir string, perm fs.FileMode) (disk.Root, error) {
	root, err := q.FS.Root(dir, perm)
	if err != nil {
		return nil, err
	}
	return Below(q, dir), root.Close()
}

// Rename is for files.
func (q *Quota) Rename(from, to string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.FS.Rename(from, to)
	if from, to = filepath.Clean(from), filepath.Clean(to); err == nil && from != to {
		q.free(to)
		q.sizes[to] = q.sizes[from]
		delete(q.sizes, from)
	}
	return err
}

// Link is refused, as by file systems that have one name for each file.
func (q *Quota) Link(string, string) error { return errors.ErrUnsupported }

// free gives back the space of a name. The caller holds q.mu.
func (q *Quota) free(path string) {
	if size := q.sizes[filepath.Clean(path)]; size != nil {
		q.grow(-*size)
	}
	delete(q.sizes, filepath.Clean(path))
}

// A quotaFile is a file of a Quota.
type quotaFile struct {
	disk.File
	q         *Quota
	path      string
	size      *int64
	at        int64 // of the next Write
	temporary bool
}

func (f *quotaFile) Write(p []byte) (int, error) {
	n, err := f.write(p, f.at, f.File.Write)
	f.at += int64(n)
	return n, err
}

func (f *quotaFile) WriteAt(p []byte, at int64) (int, error) {
	return f.write(p, at, func(p []byte) (int, error) { return f.File.WriteAt(p, at) })
}

func (f *quotaFile) write(p []byte, at int64, write func(p []byte) (int, error)) (int, error) {
	f.q.mu.Lock()
	defer f.q.mu.Unlock()
	end := at + int64(len(p))
	grows := max(end-*f.size, 0)
	taken := f.q.grow(grows)
	*f.size += taken
	if taken == grows {
		return write(p)
	}
	n, err := 0, error(nil)
	if fits := *f.size - at; fits > 0 {
		n, err = write(p[:fits])
	}
	if err == nil {
		err = &fs.PathError{Op: "write", Path: f.path, Err: syscall.ENOSPC}
	}
	return n, err
}

func (f *quotaFile) Close() error {
	err := f.File.Close()
	if f.temporary && err == nil {
		f.q.mu.Lock()
		defer f.q.mu.Unlock()
		f.q.grow(-*f.size)
		*f.size = 0
	}
	return err
}
