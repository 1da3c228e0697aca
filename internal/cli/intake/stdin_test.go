package intake

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A spool gives what standard input has, while it comes, and again from the beginning, however much of it has been
// read before.
func TestSpool(t *testing.T) {
	t.Parallel()
	want := strings.Repeat("a line of text\n", 10_000)
	for _, before := range []int{0, 1, 70_000, len(want)} {
		s, err := NewSpool(t.Context(), iotest.HalfReader(strings.NewReader(want)))
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, before)
		if _, err := io.ReadFull(s, first); err != nil || string(first) != want[:before] {
			t.Fatalf("the first %d bytes differ: %v", before, err)
		}
		for range 2 {
			if at, err := s.Seek(0, io.SeekStart); at != 0 || err != nil {
				t.Fatalf("Seek() = %d, %v", at, err)
			}
			if got, err := io.ReadAll(iotest.OneByteReader(s)); err != nil || string(got) != want {
				t.Fatalf("after %d bytes: %d bytes, %v; want all %d", before, len(got), err, len(want))
			}
		}
		if _, err := s.Seek(1, io.SeekStart); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Seek(1): %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An error of standard input, and an interruption while nothing comes, end a read, and a Seek before the end.
func TestSpoolFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	ctx, cancel := context.WithCancelCause(t.Context())
	silent, writer := io.Pipe()
	defer writer.Close() //nolint:errcheck // of a pipe in memory
	cancel(broken)
	for name, test := range map[string]struct {
		ctx context.Context
		in  io.Reader
	}{
		"error":        {t.Context(), io.MultiReader(strings.NewReader("text"), iotest.ErrReader(broken))},
		"interruption": {ctx, silent},
	} {
		s, err := NewSpool(test.ctx, test.in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(s); !errors.Is(err, broken) || !strings.Contains(err.Error(), "standard input") {
			t.Errorf("%s: reading: %v", name, err)
		}
		if _, err := s.Seek(0, io.SeekStart); !errors.Is(err, broken) {
			t.Errorf("%s: going back: %v", name, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
