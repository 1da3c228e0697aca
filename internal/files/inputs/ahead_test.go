package inputs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/iotest"
	"time"
)

// What is read ahead is what there is, and the error comes behind it, however often it is asked for.
func TestAheadReadsAll(t *testing.T) {
	text := make([]byte, 5*BufferSize+77)
	rng := rand.New(rand.NewPCG(5, 1))
	for i := range text {
		text[i] = byte(rng.Uint32())
	}
	broken := errors.New("broken")
	for _, n := range []int{0, 1, BufferSize - 1, BufferSize, BufferSize + 1, 3 * BufferSize, 4*BufferSize + 1, len(text)} {
		for name, tt := range map[string]struct {
			from io.Reader
			want error
		}{
			"whole":    {bytes.NewReader(text[:n]), nil},
			"halves":   {iotest.HalfReader(bytes.NewReader(text[:n])), nil},
			"with end": {iotest.DataErrReader(bytes.NewReader(text[:n])), nil},
			"broken":   {io.MultiReader(bytes.NewReader(text[:n]), iotest.ErrReader(broken)), broken},
		} {
			a, end := newAhead(tt.from)
			got, err := io.ReadAll(a)
			if !bytes.Equal(got, text[:n]) || !errors.Is(err, tt.want) {
				t.Errorf("%s, %d bytes: %d bytes, %v, want %v", name, n, len(got), err, tt.want)
			}
			if m, err := a.Read(make([]byte, 1)); m != 0 || err == nil {
				t.Errorf("%s, %d bytes: %d more bytes, %v", name, n, m, err)
			}
			if err := end(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A stream that is closed early leaves no goroutine. The memory of streams is used again, by streams of other content.
func TestStreamsAreClosedEarly(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 2))
	texts := map[string][]byte{}
	for i, size := range []int{10, 300 << 10, 5 << 20} {
		for _, ext := range []string{".gz", ".zst", ".txt"} {
			text := make([]byte, size)
			for j := range text {
				text[j] = "abcdefgh"[rng.IntN(8)]
			}
			name := filepath.Join(dir, string(rune('a'+i))+ext)
			if err := os.WriteFile(name, compressed(t, name, string(text)), 0o666); err != nil {
				t.Fatal(err)
			}
			texts[name] = text
		}
	}
	before := runtime.NumGoroutine()
	for round := range 8 {
		for name, text := range texts {
			s, err := Open(name, false, StreamOptions{Context: t.Context(), Window: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			n := len(text)
			if round%2 == 1 {
				n = rng.IntN(n + 1)
			}
			got := make([]byte, n)
			if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, text[:n]) || s.Offset() != int64(n) {
				t.Fatalf("%s: the first %d bytes differ, at %d: %v", name, n, s.Offset(), err)
			}
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// A goroutine says that it has ended just before it is gone.
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > 4*time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(wait)
	}
}
