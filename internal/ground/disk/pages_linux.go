package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size of a large page.
const largePage = 2 << 20

// LargePages asks for large pages for xs, which nobody has written to yet, and returns xs. It is an advice, and may
// do nothing.
func LargePages[T any](xs []T) []T {
	var x T
	if len(xs) < 4*largePage/int(unsafe.Sizeof(x)) {
		return xs
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&xs[0])), len(xs)*int(unsafe.Sizeof(x)))
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (largePage - 1))
	b = b[skip : skip+(len(b)-skip)&^(largePage-1)]
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	return xs
}
