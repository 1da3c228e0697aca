//go:build unix

package mmap

import (
	"os"

	"golang.org/x/sys/unix"
)

func open(f *os.File, size int) (*File, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return &File{data: data, unmap: unix.Munmap}, nil
}
