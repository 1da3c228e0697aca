//go:build unix

package disk

import "golang.org/x/sys/unix"

const noFollow = unix.O_NOFOLLOW
