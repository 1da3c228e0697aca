package disk

import (
	"errors"

	"golang.org/x/sys/windows"
)

// fullHere reports whether err is one of the errors of Windows of a full disk.
func fullHere(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
