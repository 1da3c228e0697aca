//go:build unix

package disk

import (
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const pages = 16 << 12

// truncated returns a map of a file that has been truncated to its first bytes.
func truncated(t *testing.T, left int64) *Mapped {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), pages), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := openPath(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := os.Truncate(path, left); err != nil {
		t.Fatal(err)
	}
	return f
}

// A fault becomes an error that names the file, in Go code, in the assembly of the runtime, and in that of
// the checksum.
func TestFaultIsAnError(t *testing.T) {
	var sink byte
	table := crc32.MakeTable(crc32.Castagnoli)
	for name, read := range map[string]func(p []byte){
		"load":     func(p []byte) { sink += p[len(p)-1] },
		"copy":     func(p []byte) { copy(make([]byte, len(p)), p) },
		"compare":  func(p []byte) { _ = bytes.Equal(p[:pages/2], p[pages/2:]) },
		"checksum": func(p []byte) { crc32.Checksum(p, table) },
		"search":   func(p []byte) { bytes.IndexByte(p, 'y') },
	} {
		f := truncated(t, 1<<12)
		for range 2 {
			err := Guarded(func() error { read(f.Data()); return nil })
			var fault *FaultError
			if !errors.Is(err, ErrFault) || !errors.As(err, &fault) || fault.Path != f.path || fault.Offset < 1<<12 || fault.Offset >= pages {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := Guarded(func() error { read(bytes.Repeat([]byte("x"), pages)); return nil }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = sink
}

func TestGuardedPassesOnWhatIsNotItsOwn(t *testing.T) {
	mine := errors.New("mine")
	if err := Guarded(func() error { return mine }); !errors.Is(err, mine) {
		t.Errorf("an error: %v", err)
	}
	panics := func(do func() error) (p any) {
		defer func() { p = recover() }()
		_ = Guarded(do)
		return nil
	}
	if p := panics(func() error { panic("mine") }); p != "mine" {
		t.Errorf("a panic: %v", p)
	}
	var nothing *Mapped
	if p := panics(func() error { nothing.path = "x"; return nil }); p == nil {
		t.Error("a nil pointer is passed over")
	}
	// Reading a closed map is a bug and no damage of a file.
	f := truncated(t, 1<<12)
	data := f.Data()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if p := panics(func() error { _ = bytes.IndexByte(data, 'y'); return nil }); p == nil {
		t.Error("a closed map is passed over")
	}
}

// Guarded restores the state of the goroutine, and Close that of the list of maps.
func TestNothingStays(t *testing.T) {
	before := openMaps()
	f := truncated(t, 1<<12)
	for _, was := range []bool{false, true} {
		debug.SetPanicOnFault(was)
		_ = Guarded(func() error { _ = f.Data()[pages-1]; return nil })
		if now := debug.SetPanicOnFault(false); now != was {
			t.Errorf("faults panic: %v, before: %v", now, was)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if now := openMaps(); now != before {
		t.Errorf("%d maps are open, want %d", now, before)
	}
}

func openMaps() (n int) {
	mapped.Range(func(_, _ any) bool { n++; return true })
	return n
}

func TestUnchanged(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for name, tt := range map[string]struct {
		do      func(path string) error
		changed bool
	}{
		"nothing": {func(string) error { return nil }, false},
		"read":    {func(p string) error { _, err := os.ReadFile(p); return err }, false},
		"removed": {os.Remove, false},
		"renamed": {func(p string) error { return os.Rename(p, p+"2") }, false},
		"replaced": {func(p string) error {
			return errors.Join(os.WriteFile(p+"2", []byte("12345"), 0o666), os.Rename(p+"2", p))
		}, false},
		"rewritten": {func(p string) error { return os.WriteFile(p, []byte("12345"), 0o666) }, true},
		"truncated": {func(p string) error { return errors.Join(os.Truncate(p, 3), os.Chtimes(p, old, old)) }, true},
		"longer":    {func(p string) error { return errors.Join(os.Truncate(p, 9), os.Chtimes(p, old, old)) }, true},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := errors.Join(os.WriteFile(path, []byte("abcde"), 0o666), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
		f, err := openPath(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := tt.do(path); err != nil {
			t.Fatal(err)
		}
		err = f.Unchanged()
		if changed := errors.Is(err, ErrChanged); changed != tt.changed || changed && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkGuarded(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		_ = Guarded(func() error { n++; return nil })
	}
}
