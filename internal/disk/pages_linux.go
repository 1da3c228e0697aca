package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is the size of a large page.
const largePage = 2 << 20

// LargePages asks for large pages for the memory of b that nobody has written to yet. They are an advice: it may do nothing.
func LargePages(b []byte) {
	if len(b) < 4*largePage {
		return
	}
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (largePage - 1))
	b = b[skip : skip+(len(b)-skip)&^(largePage-1)]
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
}
