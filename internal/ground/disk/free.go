package disk

import (
	"math"
	"path/filepath"
)

// Free returns how many bytes can be written to the disk that has path, or that will have it. ok is false if that is
// not known.
func Free(path string) (bytes int64, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, false
	}
	for {
		if free, size, err := space(path); err == nil {
			return int64(min(free, math.MaxInt64)), size > 0
		}
		if filepath.Dir(path) == path {
			return 0, false
		}
		path = filepath.Dir(path)
	}
}
