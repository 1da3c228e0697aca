//go:build unix

package parallel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/ground/disk"
)

// Reading a map of a truncated file gives an error on every goroutine.
func TestFaultsOfAllGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 8<<12), 0o666); err != nil {
		t.Fatal(err)
	}
	opened, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close() //nolint:errcheck // it was read only
	f, err := disk.MapFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	read := func(i int) byte { return f.Data()[i<<12] }

	work := func(_ context.Context, i int) (byte, error) { return read(i), nil }
	emitted := 0
	if err := Ordered(t.Context(), 3, 8, work, func(byte) error { emitted++; return nil }); !errors.Is(err, disk.ErrFault) || emitted != 1 {
		t.Errorf("work: %v after %d results", err, emitted)
	}
	items := func(yield func(byte, error) bool) {
		for i := range 8 {
			if !yield(read(i), nil) {
				return
			}
		}
	}
	emitted = 0
	same := func(_ context.Context, b byte) (byte, error) { return b, nil }
	if err := Stream(t.Context(), 3, items, same, func(byte) error { emitted++; return nil }); !errors.Is(err, disk.ErrFault) || emitted != 1 {
		t.Errorf("items: %v after %d results", err, emitted)
	}
}
