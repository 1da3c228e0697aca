package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// TempPattern matches the names of unfinished files. The holder of the lock of a directory may remove
// them.
const TempPattern = ".tmp-*"

// temporaryName returns a new name that TempPattern matches.
func temporaryName() string {
	return strings.Replace(TempPattern, "*", strconv.FormatUint(rand.Uint64(), 36), 1)
}

// An Atomic is a file that appears complete or not at all. It is written under a temporary name, synced
// and renamed. Then its directory is synced, since that makes the new name durable. An Atomic is a
// buffered io.Writer.
type Atomic struct {
	fsys FS
	f    File
	temp string
	buf  *bufio.Writer // nil after Commit or Abort
	path string
}

// CreateAtomic begins a file that Commit puts at path. The directory of path must exist.
func CreateAtomic(fsys FS, path string) (*Atomic, error) {
	temp := filepath.Join(filepath.Dir(path), temporaryName())
	f, err := fsys.Create(temp)
	if err != nil {
		return nil, err
	}
	buf := buffers.Get().(*bufio.Writer)
	buf.Reset(f)
	return &Atomic{fsys: fsys, f: f, temp: temp, buf: buf, path: path}, nil
}

// buffers are the buffers of files that are done. Many small files would otherwise take more time for the memory of
// buffers than for what is written.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 1<<20) }}

// end notes that the file is done, and gives its buffer away.
func (a *Atomic) end() {
	a.buf.Reset(nil)
	buffers.Put(a.buf)
	a.buf = nil
}

// Write buffers p.
func (a *Atomic) Write(p []byte) (int, error) {
	if a.buf == nil {
		return 0, fs.ErrClosed
	}
	return a.buf.Write(p)
}

// Commit makes the file durable and visible under its name, and replaces a file of that name. After an
// error the temporary file is removed, and the old file is as it was. After ErrUncertain, however, the new
// file may be in its place, now or after a crash.
func (a *Atomic) Commit() error {
	if a.buf == nil {
		return fs.ErrClosed
	}
	if err := a.buf.Flush(); err != nil {
		a.Abort()
		return err
	}
	if err := a.f.Sync(); err != nil {
		a.Abort()
		return Uncertain(err)
	}
	a.end()
	if err := a.f.Close(); err != nil {
		return errors.Join(err, a.fsys.Remove(a.temp))
	}
	if err := a.fsys.Rename(a.temp, a.path); err != nil {
		_ = a.fsys.Remove(a.temp) // it may not exist any more
		if refused(err) {
			return err
		}
		return Uncertain(err)
	}
	return Uncertain(a.fsys.SyncDir(filepath.Dir(a.path)))
}

// refused reports whether err means that the operation has certainly not been done.
func refused(err error) bool {
	return isOne(err, fs.ErrExist, fs.ErrNotExist, fs.ErrPermission, syscall.ENOSPC, syscall.EISDIR, syscall.EROFS)
}

// isOne reports whether err is one of several errors.
func isOne(err error, of ...error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}

// Uncertain returns err, unless it is nil, as an ErrUncertain.
func Uncertain(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}

// Abort removes the temporary file. It does nothing after Commit or Abort, so that it can be deferred.
func (a *Atomic) Abort() {
	if a.buf == nil {
		return
	}
	a.end()
	_ = a.f.Close() // the file is removed, so that the error does not matter
	_ = a.fsys.Remove(a.temp)
}

// WriteAtomic writes data to path, as CreateAtomic, Write and Commit do.
func WriteAtomic(fsys FS, path string, data []byte) error {
	return WriteAtomicBy(fsys, path, func(w *bufio.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteAtomicBy writes to path what write writes. If write returns an error, the file is as it was before.
func WriteAtomicBy(fsys FS, path string, write func(w *bufio.Writer) error) error {
	a, err := CreateAtomic(fsys, path)
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := write(a.buf); err != nil {
		return err
	}
	return a.Commit()
}
