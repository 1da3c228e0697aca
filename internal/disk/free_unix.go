//go:build linux || darwin || freebsd

package disk

import (
	"math"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes can be written to the disk that has path, or that will have it. ok is false if that is not
// known.
func Free(path string) (bytes int64, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, false
	}
	for {
		var s unix.Statfs_t
		if err := unix.Statfs(path, &s); err == nil {
			free := uint64(s.Bavail) * uint64(s.Bsize) //nolint:unconvert // other types on other systems
			return int64(min(free, math.MaxInt64)), s.Blocks > 0
		}
		if filepath.Dir(path) == path {
			return 0, false
		}
		path = filepath.Dir(path)
	}
}
