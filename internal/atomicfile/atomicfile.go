// Package atomicfile writes files that appear complete or not at all: under a
// temporary name, synced, renamed, and their directory synced, since a rename is
// durable only when the directory is.
package atomicfile

import (
	"bufio"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// TempPattern matches the names of unfinished files; whoever holds the lock of a
// directory may remove what matches there.
const TempPattern = ".tmp-*"

// A File is written under a temporary name until Commit. It is an io.Writer with
// a buffer of its own.
type File struct {
	f    *os.File
	buf  *bufio.Writer
	path string
	done bool
}

// Create begins a file that Commit will put at path. Its directory must exist.
func Create(path string) (*File, error) {
	// Not os.CreateTemp, which keeps files private whatever the user's mask says.
	name := strings.Replace(TempPattern, "*", strconv.FormatUint(rand.Uint64(), 36), 1)
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{f: f, buf: bufio.NewWriterSize(f, 1<<20), path: path}, nil
}

// Write buffers p.
func (f *File) Write(p []byte) (int, error) { return f.buf.Write(p) }

// Commit makes the file durable and visible under its name, replacing any file
// there. After an error the temporary file is gone and the old one, if any, is
// as it was, unless the last step, syncing the directory, failed.
func (f *File) Commit() error {
	if f.done {
		return os.ErrClosed
	}
	err := f.buf.Flush()
	if err == nil {
		err = f.f.Sync()
	}
	if err != nil {
		f.Abort()
		return err
	}
	f.done = true
	if err := f.f.Close(); err != nil {
		return errors.Join(err, os.Remove(f.f.Name()))
	}
	if err := os.Rename(f.f.Name(), f.path); err != nil {
		return errors.Join(err, os.Remove(f.f.Name()))
	}
	return SyncDir(filepath.Dir(f.path))
}

// Abort removes the temporary file. After Commit or Abort it does nothing, so that
// it can be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.f.Close() // the file is dropped; nothing is left to report
	_ = os.Remove(f.f.Name())
}

// SyncDir makes the names in a directory durable. On systems that cannot sync
// directories it does nothing.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !os.IsPermission(err) {
		return err
	}
	return nil
}

// WriteFile writes data to path as Create, Write and Commit do.
func WriteFile(path string, data []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
