package inputs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
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
	case ".xz":
		z, err := xz.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	case ".lz4":
		w = lz4.NewWriter(&b)
	case ".br":
		w = brotli.NewWriter(&b)
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
	for _, name := range []string{"a", "a.gz", "a.zst", "a.xz", "a.lz4", "a.br"} {
		path := filepath.Join(t.TempDir(), name)
		data := compressed(t, name, text)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var done atomic.Int64
		s, err := Open(path, false, StreamOptions{Context: t.Context(), Window: 8 << 20, Done: &done})
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

// bzipped is "some text\n" as bzip2 compresses it, in hexadecimal digits.
const bzipped = "425a6839314159265359106962f500000351800010400002028c40200022031a84302272d7181e2ee48a70a12020d2c5ea"

// There is no writer of bzip2 to test with.
func TestBzip2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bz2")
	data, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, false, StreamOptions{Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(s); err != nil || string(got) != "some text\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What is compressed is known by its first bytes, and all else stays as it is.
func TestNewUnpacked(t *testing.T) {
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"some text\n": bz, "gzip": compressed(t, "a.gz", "gzip"), "zstd": compressed(t, "a.zst", "zstd"), "xz": compressed(t, "a.xz", "xz"),
		"lz4lz4": append(compressed(t, "a.lz4", "lz4"), compressed(t, "a.lz4", "lz4")...),
		"":       nil, "B": []byte("B"), "BZhou is a name": []byte("BZhou is a name"), "\x1f": []byte("\x1f"),
	} {
		s, err := NewUnpacked(iotest.OneByteReader(bytes.NewReader(data)), StreamOptions{Context: t.Context(), Window: 8 << 20})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		got, err := io.ReadAll(s)
		if err = errors.Join(err, s.Close()); err != nil || string(got) != name {
			t.Errorf("%q, %v, want %q", got, err, name)
		}
	}
	cut := compressed(t, "a.gz", strings.Repeat("some text\n", 1000))[:30]
	s, err := NewUnpacked(bytes.NewReader(cut), StreamOptions{Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := io.ReadAll(s); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// What cannot be compressed is not waited for.
func TestNewUnpackedIsPrompt(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, "hi\n") }()
	s, err := NewUnpacked(r, StreamOptions{Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if line, err := s.ReadString('\n'); line != "hi\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}

// What is wrong with a file is an error of opening or of reading it.
func TestOpenAndReadErrors(t *testing.T) {
	text := strings.Repeat("some text\n", 1000)
	for _, tt := range []struct {
		name string
		data []byte
		o    StreamOptions
		want error
		says string
	}{
		{"absent", nil, StreamOptions{}, fs.ErrNotExist, ""},
		{"a.gz", []byte("\x01 this is no gzip"), StreamOptions{}, nil, "gzip"},
		{"a.GZ", []byte("\xff no gzip, whatever the case"), StreamOptions{}, nil, "gzip"},
		{"a.bz2", []byte("\x01 no bzip2"), StreamOptions{}, nil, "bzip2"},
		{"a.zst", []byte("\x01 no zstd"), StreamOptions{}, nil, "magic"},
		{"a.zst", compressed(t, "a.zst", text), StreamOptions{Window: 1}, nil, "WindowSize"},
		{"a.gz", compressed(t, "a.gz", text)[:30], StreamOptions{}, io.ErrUnexpectedEOF, ""},
		{"a.zst", compressed(t, "a.zst", text)[:20], StreamOptions{}, io.ErrUnexpectedEOF, ""},
	} {
		path := filepath.Join(t.TempDir(), tt.name)
		if tt.data != nil {
			if err := os.WriteFile(path, tt.data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		tt.o.Context, tt.o.Window = t.Context(), cmp.Or(tt.o.Window, 8<<20)
		s, err := Open(path, false, tt.o)
		if err == nil {
			_, err = io.ReadAll(s)
			_ = s.Close() // the first error is the one that tells
		}
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s, %.10q: %v, want %v and %q", tt.name, tt.data, err, tt.want, tt.says)
		}
	}
}

// A file ends with its context, though what has been read of it would decompress to more.
func TestReadEndsWithItsContext(t *testing.T) {
	text := strings.Repeat("some text\n", 1<<20)
	stop := errors.New("stop")
	for _, name := range []string{"a", "a.gz", "a.zst"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, compressed(t, name, text), 0o666); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		s, err := Open(path, false, StreamOptions{Context: ctx, Window: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadByte(); err != nil {
			t.Fatal(err)
		}
		cancel(stop)
		if n, err := io.Copy(io.Discard, s); !errors.Is(err, stop) || n > 4*BufferSize {
			t.Errorf("%s: %d bytes, then %v", name, n, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// First bytes say how a file is compressed, whatever it is called, and its name does where they do not.
func TestPacking(t *testing.T) {
	text := strings.Repeat("some text\n", 100)
	for _, packing := range []string{".gz", ".zst", ".xz", ".lz4", ".br", ""} {
		for _, name := range []string{"a", "a.jsonl", "a.GZ", "a.zst", "a.xz", "a.lz4", "a.br", "a.bz2"} {
			if packing == ".br" != (extension(name) == ".br") {
				continue // no first bytes tell brotli
			}
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, compressed(t, packing, text), 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := Open(path, false, StreamOptions{Context: t.Context(), Window: 8 << 20})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(s)
			if err = errors.Join(err, s.Close()); err != nil || string(got) != text || s.Packing != packing {
				t.Errorf("%s in %q: %.20q, %v; packing %q", name, packing, got, err, s.Packing)
			}
		}
	}
}

// Names say which extension comes behind another, whatever their case.
func TestIsCompressed(t *testing.T) {
	for name, want := range map[string]bool{"a.gz": true, "d.x/b.Zst": true, "a.bz2": true, "a.lz4": true, "a.br": true, "a.txt": false, "gz": false, "a.gz/b": false, "": false} {
		if got := IsCompressed(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// What decompresses to far more than its size is refused, after what any file may have.
func TestExpansionIsBounded(t *testing.T) {
	for _, tt := range []struct {
		raw, plain int64
		good       bool
	}{{1, freeExpansion, true}, {1, freeExpansion + 1, false}, {freeExpansion/maxExpansion + 1, freeExpansion + maxExpansion, true}} {
		e := &expansionReader{from: io.LimitReader(zeros{}, tt.plain), raw: &rawReader{o: StreamOptions{Context: t.Context()}, n: tt.raw}}
		n, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{e}, make([]byte, 1<<20))
		if (err == nil) != tt.good || tt.good && n != tt.plain || err != nil && !strings.Contains(err.Error(), "1000 times") {
			t.Errorf("%d bytes that decompress to %d: %d bytes, %v", tt.raw, tt.plain, n, err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// A file of xz that wants a larger window than is allowed is not decompressed.
func TestWindowOfXZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.xz")
	if err := os.WriteFile(path, compressed(t, path, "text"), 0o666); err != nil { // with a window of 8 MiB
		t.Fatal(err)
	}
	if _, err := Open(path, false, StreamOptions{Context: t.Context(), Window: 4 << 20}); !errors.Is(err, ErrWindow) {
		t.Errorf("got %v", err)
	}
}

// What has a wrong checksum is not yielded behind the error.
func TestErrorStays(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll([]byte("some text of many words"), nil)
	packed[len(packed)-1] ^= 1 // of the checksum
	path := filepath.Join(t.TempDir(), "a.zst")
	if err := os.WriteFile(path, packed, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, false, StreamOptions{Context: t.Context(), Window: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it was read only
	for range 3 {
		if n, err := s.Read(make([]byte, 10)); n > 0 || !errors.Is(err, zstd.ErrCRCMismatch) {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}
