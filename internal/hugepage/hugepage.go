// Package hugepage makes large slices that the system may back by huge pages, so
// that looking at random places of them misses the TLB less often.
//
// The slices lie on Go's heap, and their memory is used again when they are gone. So the system is
// asked by MADV_COLLAPSE (Linux 6.1), which acts at once and leaves no mark. MADV_HUGEPAGE marks the
// addresses, for whatever lies there later, and no advice takes the mark away: MADV_NOHUGEPAGE is
// another. Memory of our own, from mmap, would have to be kept alive beside each slice of it.
package hugepage

import "unsafe"

const (
	size = 2 << 20 // of a huge page, in bytes
	// worthwhile is the length in bytes from which asking pays.
	worthwhile = 2 * size
)

// Make returns a zeroed slice of n integers, as make does. Where the system can, it
// is asked to back the inner part by huge pages, which are there when Make returns; nothing
// else changes if it does not.
func Make[T uint16 | uint32 | uint64](n int) []T {
	s := make([]T, n)
	bytes := uintptr(n) * unsafe.Sizeof(T(0))
	if bytes < worthwhile {
		return s
	}
	start := uintptr(unsafe.Pointer(&s[0]))
	skip := -start & (size - 1) // to the first boundary
	whole := (bytes - skip) &^ (size - 1)
	advise(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&s[0]), skip)), whole))
	return s
}
