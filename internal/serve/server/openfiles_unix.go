//go:build unix

package server

import "golang.org/x/sys/unix"

// openFiles returns how many files and connections the process may have open at once.
func openFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(uint64(limit.Cur), 1<<20)) //nolint:unconvert // it is signed on some systems
}
