package disk

import (
	"errors"
	"syscall"
)

// Full reports whether err says that a write was refused for want of space: the disk is full, a quota is used
// up, or the file may not become larger. The same write can succeed later.
func Full(err error) bool {
	for _, no := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, no) {
			return true
		}
	}
	return fullHere(err)
}
