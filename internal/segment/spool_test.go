package segment

import (
	"errors"
	"slices"
	"testing"

	"simsearch/internal/disk"
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
