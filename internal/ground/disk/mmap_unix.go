//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

func open(f *os.File, at int64, size int) (*Mapped, error) {
	before := int(at % int64(unix.Getpagesize())) // maps begin with a page
	pages, err := unix.Mmap(int(f.Fd()), at-int64(before), before+size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return &Mapped{data: pages[before:], unmap: func([]byte) error { return unix.Munmap(pages) }}, nil
}
