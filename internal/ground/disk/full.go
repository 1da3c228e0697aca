package disk

import (
	"syscall"
)

// Full reports whether err says that a write was refused for want of space: the disk is full, a quota is used
// up, or the file may not become larger. The same write can succeed later.
func Full(err error) bool {
	return isOne(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG) || fullHere(err)
}
