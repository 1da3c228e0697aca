//go:build unix

package corpus

import (
	"path/filepath"
	"syscall"
	"testing"
)

// namedPipe makes a pipe in a directory of its own and returns its path.
func namedPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
