package stream

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compressed returns text as a file of that name has it.
func compressed(t testing.TB, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return []byte(text)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Offset is that of the decompressed content, however the stream is read, and Done counts the bytes
// of the file.
func TestOffset(t *testing.T) {
	lines := []string{"one\n", "\n", strings.Repeat("long", BufferSize) + "\n", "last"}
	text := strings.Join(lines, "")
	for _, name := range []string{"a", "a.gz", "a.zst"} {
		path := filepath.Join(t.TempDir(), name)
		data := compressed(t, name, text)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var done atomic.Int64
		s, err := Open(path, false, Options{Context: t.Context(), Window: 8 << 20, Done: &done})
		if err != nil {
			t.Fatal(err)
		}
		if name == "a" && s.Size != int64(len(text)) || name != "a" && s.Size != -1 {
			t.Errorf("%s: size %d", name, s.Size)
		}
		s.Fill()
		var at int64
		for i, line := range lines {
			if got := s.Offset(); got != at {
				t.Errorf("%s: line %d begins at %d, want %d", name, i, got, at)
			}
			if got, _ := s.ReadString('\n'); got != line {
				t.Errorf("%s: line %d is %.20q", name, i, got)
			}
			at += int64(len(line))
		}
		if done.Load() != int64(len(data)) {
			t.Errorf("%s: %d bytes are done of %d", name, done.Load(), len(data))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
