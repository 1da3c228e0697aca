package spill

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSorterSortsInAndOutOfMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 99, 100, 101, 5000} {
		for _, limit := range []int{0, 100, 1 << 20} {
			dir := t.TempDir()
			s := New(dir, limit)
			var want []uint64
			for len(want) < n {
				part := make([]uint64, min(1+rng.IntN(40), n-len(want)))
				for i := range part {
					part[i] = rng.Uint64N(1 << 40)
				}
				want = append(want, part...)
				if err := s.Add(part); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			var got []uint64
			for x, err := range s.Sorted() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, x)
			}
			if !slices.Equal(got, want) {
				t.Errorf("n = %d, limit = %d: %d keys, want %d sorted ones", n, limit, len(got), len(want))
			}
			if spilled := s.Spilled() > 0; spilled != (limit == 100 && n >= 100) {
				t.Errorf("n = %d, limit = %d: %d files", n, limit, s.Spilled())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("files left: %v", left)
			}
		}
	}
}

func TestSorterReportsWhatTheFileSystemSays(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "missing"), 2)
	if err := s.Add([]uint64{1, 2, 3}); err == nil {
		t.Error("a directory that is missing: no error")
	}
	s = New(t.TempDir(), 2)
	if err := s.Add([]uint64{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.runs[0].Name(), 20); err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range s.Sorted() {
		last = err
	}
	if last == nil {
		t.Error("a file cut short: no error")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
