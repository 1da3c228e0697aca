package segment

import (
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/disk"
	"simsearch/internal/disk/disktest"
)

// What was added comes back in order, from the file and from memory. Scanning does not change the place
// at which later lists are appended.
func TestSpoolIsScannedAndAddedTo(t *testing.T) {
	s := spool{byteSpool{fs: disk.OS, dir: t.TempDir(), hold: 64}}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	var want [][]uint64
	length := func(i int) (int, bool) {
		if i >= len(want) {
			return 0, false
		}
		return len(want[i]), true
	}
	stop := errors.New("stop")
	for i := range uint64(1000) {
		xs := []uint64{i, i << 40, ^i}[:1+i%3]
		want = append(want, xs)
		s.add(xs)
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if i%100 == 50 {
			err := s.scan(length, func(at int, _ []uint64) error {
				if at == int(i/2) {
					return stop
				}
				return nil
			})
			if !errors.Is(err, stop) {
				t.Fatalf("a scan that is stopped: %v", err)
			}
		}
	}
	if s.written == 0 || len(s.held) == 0 {
		t.Fatalf("%d bytes are in the file, %d in memory: the test wants both", s.written, s.bytes)
	}
	next := 0
	err := s.scan(length, func(i int, xs []uint64) error {
		if i != next || !slices.Equal(xs, want[i]) {
			t.Fatalf("list %d: %d, %v, want %v", next, i, xs, want[next])
		}
		next++
		return nil
	})
	if err != nil || next != len(want) {
		t.Errorf("%d lists of %d, %v", next, len(want), err)
	}
	want = want[:len(want)/4]
	if err := s.scan(length, func(int, []uint64) error { return nil }); !errors.Is(err, errCut) {
		t.Errorf("lengths of fewer lists: %v, want %v", err, errCut)
	}
}

// After an operation of the disk has failed, what was added is still there, and is flushed and read again.
func TestSpoolOfAFailingDisk(t *testing.T) {
	const lists = 20
	length := func(i int) (int, bool) { return 3, i < lists }
	reached := map[string]bool{}
	for at := 0; ; at++ {
		n, hit := 0, ""
		fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
			if n++; n-1 != at {
				return 0, nil
			}
			hit, reached[op.Kind] = op.Kind, true
			return 5, syscall.EIO // of a write, five bytes are written
		}}
		s := spool{byteSpool{fs: fsys, dir: t.TempDir(), hold: 1}}
		failed := 0
		again := func(do func() error) {
			err := do()
			if errors.Is(err, syscall.EIO) {
				failed++
				err = do()
			}
			if err != nil {
				t.Fatalf("operation %d, %s, fails: %v", at, hit, err)
			}
		}
		for i := range uint64(lists) {
			s.add([]uint64{i, i * i, ^i})
			if i%2 == 0 {
				again(s.flush)
			}
		}
		again(func() error {
			var got []uint64
			err := s.scan(length, func(_ int, xs []uint64) error { got = append(got, xs...); return nil })
			for i := range got {
				if x := uint64(i / 3); err == nil && got[i] != []uint64{x, x * x, ^x}[i%3] {
					t.Fatalf("operation %d, %s, fails: list %d is another one", at, hit, i/3)
				}
			}
			if err == nil && len(got) != 3*lists {
				t.Fatalf("operation %d, %s, fails: %d integers", at, hit, len(got))
			}
			return err
		})
		if err := s.close(); err != nil && hit != "close" {
			t.Error(err)
		}
		if hit == "" {
			break
		}
		if failed == 0 && hit != "close" {
			t.Errorf("operation %d, %s, fails, and nobody is told", at, hit)
		}
	}
	for _, kind := range []string{"createtemp", "write", "readat"} {
		if !reached[kind] {
			t.Errorf("no %s has failed", kind)
		}
	}
}

// An emptyFile has lost its contents.
type emptyFile struct{ disk.File }

func (emptyFile) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// A temporary file that has lost something is an error, of features as of texts.
func TestSpoolThatIsCut(t *testing.T) {
	layout := Layout{Sets: true, Texts: true}
	for what, of := range map[string]func(b *Builder) *byteSpool{
		"features": func(b *Builder) *byteSpool { return &b.sets.features.byteSpool },
		"texts":    func(b *Builder) *byteSpool { return &b.texts.blocks },
	} {
		dir := t.TempDir()
		b := NewBuilder(disk.OS, dir, layout, 1)
		texts := Pack(1, func(int) ([]byte, bool) { return []byte(strings.Repeat("text ", 100)), true })
		b.AddTexts(texts)
		b.Add(&Document{ID: []byte("a"), Set: []uint64{1, 2, 3}, Digest: Digest{1}, Texts: texts})
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		s := of(b)
		if s.file == nil {
			t.Fatalf("%s: nothing is in a file", what)
		}
		s.file = emptyFile{s.file}
		if _, err := b.Write(t.Context(), disk.OS, dir, "000001.seg", WriteOptions{Threshold: 0.8, Threads: 1}); !errors.Is(err, errCut) {
			t.Errorf("%s: %v, want %v", what, err, errCut)
		}
		if names, err := disk.OS.ReadDir(dir); err != nil || slices.Contains(names, "000001.seg") {
			t.Errorf("%s: %s is left, %v", what, names, err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}
