//go:build linux || darwin || freebsd

package disk

import "golang.org/x/sys/unix"

// space returns how many bytes can be written to the disk that has path, and how many it has in all.
func space(path string) (free, size uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), nil //nolint:unconvert // other types on other systems
}
