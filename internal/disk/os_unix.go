//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW

// unlink removes the name of an open file, and reports whether that succeeded. The contents stay until the
// file is closed.
func unlink(path string) bool { return os.Remove(path) == nil }
