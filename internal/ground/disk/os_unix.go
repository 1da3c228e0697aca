//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	noFollow    = unix.O_NOFOLLOW
	nonBlocking = unix.O_NONBLOCK | unix.O_NOCTTY
)

// namesOf returns how many names a file has, or 1 if that is not known.
func namesOf(info fs.FileInfo) uint64 {
	if is, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(is.Nlink) //nolint:unconvert // it is narrower on other systems
	}
	return 1
}

// isOwn reports whether a file belongs to the user of this process.
func isOwn(info fs.FileInfo) bool {
	is, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(is.Uid) == os.Geteuid()
}
