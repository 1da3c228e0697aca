package disk

import (
	"golang.org/x/sys/windows"
)

// fullHere reports whether err is one of the errors of Windows of a full disk.
func fullHere(err error) bool {
	return isOne(err, windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
