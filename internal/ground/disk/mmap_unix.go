//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

func open(f *os.File, size int) (*Mapped, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return &Mapped{data: data, unmap: unix.Munmap}, nil
}
