//go:build unix

package disktest

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Planted makes what somebody may have put in the place of a file of ours, by what it is. The victim is a file
// elsewhere.
var Planted = map[string]func(path, victim string) error{
	"a pipe": func(path, _ string) error { return unix.Mkfifo(path, 0o666) },
	"a link": func(path, victim string) error { return os.Symlink(victim, path) },
	"a link to a pipe": func(path, victim string) error {
		return errors.Join(unix.Mkfifo(path+".p", 0o666), os.Symlink(path+".p", path))
	},
	"a link to zeros": func(path, _ string) error { return os.Symlink("/dev/zero", path) },
	"a hard link":     func(path, victim string) error { return os.Link(victim, path) },
	"a directory":     func(path, _ string) error { return os.Mkdir(path, 0o777) },
	"a socket": func(path, _ string) error {
		l, err := net.Listen("unix", path)
		if err == nil {
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
}

// Soon fails the test if do has not returned within ten seconds.
func Soon(t testing.TB, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s has not ended", what)
	}
}
