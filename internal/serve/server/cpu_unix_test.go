//go:build unix

package server

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the time of processors that the process has taken.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
