// Package mmap maps files into memory for reading.
package mmap

import (
	"errors"
	"fmt"
	"os"
)

// A File is the contents of a file. On systems without memory maps it is a copy.
type File struct {
	data  []byte
	unmap func([]byte) error
}

// Open maps the regular file called path. The file may be renamed or removed
// while it is mapped, but must not be written to or truncated.
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
		return &File{}, nil
	}
	if int64(int(info.Size())) != info.Size() {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: fmt.Errorf("%d bytes do not fit this machine's addresses", info.Size())}
	}
	return open(f, int(info.Size()))
}

// Data returns the contents, valid until Close. Writing to it is a fault.
func (f *File) Data() []byte { return f.data }

// Close unmaps the file. All slices of Data become invalid. A second Close does
// nothing.
func (f *File) Close() error {
	data := f.data
	f.data = nil
	if data == nil || f.unmap == nil {
		return nil
	}
	return f.unmap(data)
}
