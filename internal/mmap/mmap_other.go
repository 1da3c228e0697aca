//go:build !unix

package mmap

import "os"

func open(f *os.File, size int) (*File, error) {
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	return &File{data: data}, nil
}
