//go:build unix

package inputs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Opening a pipe that nobody writes to ends with the context. A writer that comes later finds no reader.
func TestOpenIrregularEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
	if s, err := Open(path, true, StreamOptions{Context: ctx}); !errors.Is(err, stop) {
		t.Fatalf("%v, %v, want the cause of the context", s, err)
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0) // the goroutine that was left opens the pipe, too, and closes it
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := w.Write([]byte("x")); errors.Is(err, syscall.EPIPE) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if time.Now().After(end) {
			t.Fatal("the pipe is still open for reading")
		}
	}
}

// What is written to a pipe is read, to its end.
func TestOpenIrregular(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error)
	go func() { wrote <- os.WriteFile(path, []byte("some text"), 0) }()
	s, err := Open(path, true, StreamOptions{Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := s.ReadString('.'); text != "some text" || s.Size != -1 {
		t.Errorf("%q, %v, size %d", text, err, s.Size)
	}
	if err := errors.Join(<-wrote, s.Close()); err != nil {
		t.Error(err)
	}
}

// Reading what is no regular file ends with its context, even if it was not expected to be none.
func TestOpenIsInterruptible(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0) // so that opening it does not wait
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	s, err := Open(path, false, StreamOptions{Context: ctx})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	stop := errors.New("stop")
	time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
	if _, err := s.ReadByte(); !errors.Is(err, stop) {
		t.Errorf("%v, want the cause of the context", err)
	}
}

// A call that blocks is stuck until it ends.
func TestStuck(t *testing.T) {
	ended := Blocks()
	if !Stuck(20 * time.Millisecond) {
		t.Error("it is not stuck")
	}
	time.AfterFunc(10*time.Millisecond, ended)
	if Stuck(10 * time.Second) {
		t.Error("it is stuck")
	}
}
