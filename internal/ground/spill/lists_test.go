package spill

import (
	"errors"
	"io"
	"slices"
	"syscall"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
)

// What was added comes back in order, from the file and from memory. Scanning does not change the place
// at which later lists are appended.
func TestSpoolIsScannedAndAddedTo(t *testing.T) {
	s := Lists{Bytes{fs: disk.OS, dir: t.TempDir(), hold: 64}}
	defer func() {
		if err := s.Close(); err != nil {
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
		s.Add(xs)
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if i%100 == 50 {
			err := s.Scan(length, func(at int, _ []uint64) error {
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
	err := s.Scan(length, func(i int, xs []uint64) error {
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
	if err := s.Scan(length, func(int, []uint64) error { return nil }); !errors.Is(err, ErrCut) {
		t.Errorf("lengths of fewer lists: %v, want %v", err, ErrCut)
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
		s := Lists{Bytes{fs: fsys, dir: t.TempDir(), hold: 1}}
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
			s.Add([]uint64{i, i * i, ^i})
			if i%2 == 0 {
				again(s.Flush)
			}
		}
		again(func() error {
			var got []uint64
			err := s.Scan(length, func(_ int, xs []uint64) error { got = append(got, xs...); return nil })
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
		if err := s.Close(); err != nil && hit != "close" {
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

// A temporary file that has lost its end is an error, and no shorter list.
func TestListsThatAreCut(t *testing.T) {
	fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
		if op.Kind == "readat" {
			return 0, io.EOF
		}
		return 0, nil
	}}
	s := Lists{NewBytes(fsys, t.TempDir(), 1)}
	s.Add([]uint64{1, 2, 3})
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	s.Add([]uint64{4, 5, 6}) // which is in memory
	if err := s.Scan(func(i int) (int, bool) { return 3, i < 2 }, func(int, []uint64) error { return nil }); !errors.Is(err, ErrCut) {
		t.Errorf("%v, want %v", err, ErrCut)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What was added is mapped whole, from the file or from memory.
func TestMap(t *testing.T) {
	for _, hold := range []int{10, 1 << 20} {
		s := NewBytes(disk.OS, t.TempDir(), hold)
		var want []byte
		for i := range byte(100) {
			b := []byte{i, i + 1, i + 2}
			want = append(want, b...)
			s.Add(b)
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Map()
		if err != nil || !slices.Equal(got, want) || (s.file != nil) != (hold == 10) {
			t.Errorf("held %d: %d bytes, want %d; %v", hold, len(got), len(want), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
