// Package mmap maps files into memory for reading.
package mmap

import (
	"errors"
	"fmt"
	"os"
)

// A File is the contents of a file. On systems without memory maps it is a copy.
type File struct {
	path  string
	info  os.FileInfo // when it was opened
	data  []byte
	unmap func([]byte) error
}

// Open maps the regular file called path. The file may be renamed or removed
// while it is mapped, but must not be written to or truncated: see Unchanged and
// Guarded for what is noticed of that.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a map outlives its descriptor
	return OpenFile(f)
}

// OpenFile maps all of a regular file, as Open does, wherever it is read or written next. The
// file stays the caller's, who may close it while it is mapped.
func OpenFile(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: errors.New("not a regular file")}
	}
	if info.Size() == 0 {
		return &File{path: f.Name(), info: info}, nil
	}
	if int64(int(info.Size())) != info.Size() {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: fmt.Errorf("%d bytes do not fit this machine's addresses", info.Size())}
	}
	m, err := open(f, int(info.Size()))
	if err != nil {
		return nil, err
	}
	m.path, m.info = f.Name(), info
	maps.add(m)
	return m, nil
}

// Data returns the contents, valid until Close. Writing to it is a fault.
func (f *File) Data() []byte { return f.data }

// Close unmaps the file. All slices of Data become invalid. A second Close does
// nothing.
func (f *File) Close() error {
	if f.data == nil {
		return nil
	}
	maps.remove(f)
	data := f.data
	f.data = nil
	if f.unmap == nil {
		return nil
	}
	return f.unmap(data)
}

// ErrChanged marks a file that was written to or truncated while it was mapped.
var ErrChanged = errors.New("the file was changed while it was open")

// Unchanged reports ErrChanged if the file has another size or another time of its last
// change than when it was opened. A file that is no longer called as it was is not looked
// at: it was renamed, removed or replaced, none of which changes what is mapped.
func (f *File) Unchanged() error {
	now, err := os.Stat(f.path)
	if err != nil || !os.SameFile(now, f.info) {
		return nil
	}
	if now.Size() != f.info.Size() {
		return fmt.Errorf("%s: %w: it has %d bytes, and had %d", f.path, ErrChanged, now.Size(), f.info.Size())
	}
	if !now.ModTime().Equal(f.info.ModTime()) {
		return fmt.Errorf("%s: %w: it was written to at %v", f.path, ErrChanged, now.ModTime())
	}
	return nil
}
