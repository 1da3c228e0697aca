//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func namedPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A named pipe is an input like any other.
func TestNamedPipe(t *testing.T) {
	pipe := namedPipe(t)
	t.Chdir(t.TempDir())
	written := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			time.Sleep(20 * time.Millisecond)
			_, err = w.WriteString("first line\nsecond line\n")
			err = errors.Join(err, w.Close())
		}
		written <- err
	}()
	status, _, stderr := command(t, t.Context(), nil, "index", "--index", "idx", "--format", "lines", pipe)
	if err := <-written; err != nil || status != 0 || !strings.Contains(stderr, "added 2 documents") {
		t.Errorf("status %d, stderr %q, the writer's error is %v", status, stderr, err)
	}
}

// An interrupt ends the program while it waits for a pipe that nothing writes to.
func TestInterruptWhileAPipeIsWaitedFor(t *testing.T) {
	pipe := namedPipe(t)
	t.Chdir(t.TempDir())
	if status, _, stderr := command(t, t.Context(), strings.NewReader("text"), "index", "--index", "idx", "--quiet", "-"); status != 0 {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{
		{"index", "--index", "new", "--format", "lines", pipe},
		{"near", "--index", "idx", pipe},
		{"compare", pipe, pipe},
		{"eval", pipe},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if status, _, stderr := command(t, ctx, nil, args...); status != statusInterrupted || stderr != "simsearch: interrupted\n" {
			t.Errorf("%s: status %d, stderr %q", args[0], status, stderr)
		}
	}
}

// A command that reads its input several times refuses a pipe and does not wait for it.
func TestPipesAreReadOnce(t *testing.T) {
	pipe := namedPipe(t)
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"index", "--index", "new", "--weights", "tfidf", pipe}} {
		if status, _, stderr := command(t, t.Context(), nil, args...); status != statusError || !strings.Contains(stderr, pipe+" can be read only once: write it to a file first") {
			t.Errorf("%s: status %d, stderr %q", args[0], status, stderr)
		}
	}
}
