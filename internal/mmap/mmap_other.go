//go:build !unix

package mmap

import (
	"io"
	"os"
)

func open(f *os.File, size int) (*File, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return &File{data: data}, nil
}
