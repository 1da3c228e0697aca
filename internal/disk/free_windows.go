package disk

import (
	"math"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Free returns how many bytes can be written to the disk that has path, or that will have it. ok is false if that is not
// known.
func Free(path string) (bytes int64, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, false
	}
	for {
		name, err := windows.UTF16PtrFromString(path)
		if err != nil {
			return 0, false
		}
		var free uint64
		if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err == nil {
			return int64(min(free, math.MaxInt64)), true
		}
		if filepath.Dir(path) == path {
			return 0, false
		}
		path = filepath.Dir(path)
	}
}
