package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise tells the system how p, a part of a map, is going to be read. Errors do not matter: what is read is the same.
//
// Tried and dropped: MADV_POPULATE_READ for what is read whole. It saves an interrupt for each 64 KiB, and takes as
// long itself.
func advise(p []byte, a Access) {
	// The advice is for whole pages: those that p lies in.
	before := uintptr(unsafe.Pointer(unsafe.SliceData(p))) & (uintptr(unix.Getpagesize()) - 1)
	pages := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p)), -int(before))), len(p)+int(before))
	switch a {
	case AtRandom:
		_ = unix.Madvise(pages, unix.MADV_RANDOM)
	case InOrder:
		_ = unix.Madvise(pages, unix.MADV_NORMAL)
	case Whole:
		_ = unix.Madvise(pages, unix.MADV_NORMAL)
		_ = unix.Madvise(pages, unix.MADV_WILLNEED)
	case Done:
		_ = unix.Madvise(pages, unix.MADV_DONTNEED)
	case Soon:
		_ = unix.Madvise(pages, unix.MADV_WILLNEED)
	}
}
