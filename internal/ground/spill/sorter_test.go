package spill

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
)

// addRandom adds n random keys, a few at a time. It returns the sorted keys.
func addRandom(t *testing.T, s *Sorter, rng *rand.Rand, n int) []uint64 {
	t.Helper()
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
	return want
}

// sorted returns the keys that s yields. It calls look, if it is not nil, after each key.
func sorted(t *testing.T, s *Sorter, look func()) []uint64 {
	t.Helper()
	var got []uint64
	for x, err := range s.Sorted(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, x); look != nil {
			look()
		}
	}
	return got
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSorterSortsInAndOutOfMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 99, 100, 101, 199, 200, 5000} {
		for _, limit := range []int{0, 1, 2, 100, 1 << 20} {
			dir := t.TempDir()
			s := NewSorter(disk.OS, dir, limit)
			want := addRandom(t, s, rng, n)
			// A run has limit keys, no more and no less.
			runs := 0
			if limit > 0 {
				runs = n / limit
			}
			if len(s.ends) != runs {
				t.Errorf("n = %d, limit = %d: %d runs, want %d", n, limit, len(s.ends), runs)
			}
			if limit > 0 && cap(s.keys) > limit {
				t.Errorf("n = %d, limit = %d: room for %d keys", n, limit, cap(s.keys))
			}
			if got := sorted(t, s, nil); !slices.Equal(got, want) {
				t.Errorf("n = %d, limit = %d: %d keys, want %d sorted ones", n, limit, len(got), len(want))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("files left: %v", left)
			}
		}
	}
}

// Add with more keys than a run has makes several runs.
func TestAddOfManyKeysAtOnce(t *testing.T) {
	s := NewSorter(disk.OS, t.TempDir(), 10)
	keys := []uint64{25: 0}
	for i := range keys {
		keys[i] = uint64(len(keys) - i)
	}
	given := slices.Clone(keys)
	if err := s.Add(keys); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(keys, given) {
		t.Error("Add changed the keys it was given")
	}
	if got := sorted(t, s, nil); len(got) != 26 || !slices.IsSorted(got) || got[0] != 1 || got[25] != 26 {
		t.Errorf("got %v", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// openFiles returns the number of open files of the process, or -1 if the system does not tell.
func openFiles() int {
	found, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(found)
}

// Thousands of runs are merged. One file is open, which has no name if the system can remove open files.
func TestThousandsOfRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	dir := t.TempDir()
	const limit = 16
	s := NewSorter(disk.OS, dir, limit)
	before := openFiles()
	want := addRandom(t, s, rng, 5000*limit+3)
	most, seen := 0, 0
	look := func() {
		if seen++; seen%1000 == 1 {
			most = max(most, openFiles()-before)
			if left := files(t, dir); len(left) > 0 && runtime.GOOS != "windows" {
				t.Errorf("a kill would leave %v", left)
			}
		}
	}
	look()
	if len(s.ends) != 5000 {
		t.Fatalf("%d runs", len(s.ends))
	}
	if got := sorted(t, s, look); !slices.Equal(got, want) {
		t.Errorf("%d keys, want %d sorted ones", len(got), len(want))
	}
	if most > 1 {
		t.Errorf("%d files open at a time", most)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after := openFiles(); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

// The buffers of a merge fit the memory of the keys, 16 bytes each.
func TestBuffersFitTheMemory(t *testing.T) {
	for limit := 1; limit < 1<<28; limit += 1 + limit/3 {
		for runs := 1; runs < 1<<20; runs += 1 + runs/3 {
			buffer := bufferOf(limit, runs)
			if buffer < keySize || buffer%keySize != 0 || buffer > maxBuffer {
				t.Errorf("limit %d, %d runs: buffers of %d bytes", limit, runs, buffer)
			}
			if need := runs * buffer; need > max(held*limit, runs*keySize) {
				t.Errorf("limit %d, %d runs: buffers of %d bytes in all, more than %d", limit, runs, need, held*limit)
			}
		}
	}
}

func TestSorterReportsWhatTheFileSystemSays(t *testing.T) {
	s := NewSorter(disk.OS, filepath.Join(t.TempDir(), "missing"), 2)
	if err := s.Add([]uint64{1, 2, 3}); err == nil {
		t.Error("a directory that is missing: no error")
	}
	// The file may end within a key, between two keys, before the first key of a run, or before the last
	// run. Missing keys are always an error.
	for _, size := range []int64{28, 24, 16, 0} {
		s := NewSorter(disk.OS, t.TempDir(), 2)
		if err := s.Add([]uint64{1, 2, 3, 4}); err != nil {
			t.Fatal(err)
		}
		if err := s.file.(interface{ Truncate(int64) error }).Truncate(size); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range s.Sorted(t.Context()) {
			last = err
		}
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("a file cut to %d bytes of 32: error %v", size, last)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A merge ends when its context does, before it begins and while it yields.
func TestSortedStopsWithItsContext(t *testing.T) {
	for _, limit := range []int{16, 1 << 14, 0} {
		s := NewSorter(disk.OS, t.TempDir(), limit)
		if err := s.Add(make([]uint64, 3*lookEvery)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if limit == 16 { // before it begins
			cancel()
		}
		n := 0
		var last error
		for _, err := range s.Sorted(ctx) {
			n++
			last = err
			cancel()
		}
		if !errors.Is(last, context.Canceled) || n > lookEvery+1 {
			t.Errorf("limit %d: %d keys, then %v", limit, n, last)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

// A sorter that would fill the disk says so, and removes its files.
func TestSpace(t *testing.T) {
	defer func(of func(string) (int64, bool)) { freeIn = of }(freeIn)
	free := int64(3 * keySize * 1000)
	freeIn = func(string) (int64, bool) { return free, true }
	sort := func() error {
		s := NewSorter(disk.OS, t.TempDir(), 100)
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		for i := range uint64(1000) {
			if err := s.Add([]uint64{i}); err != nil {
				return err
			}
		}
		n := 0
		for _, err := range s.Sorted(t.Context()) {
			if err != nil {
				return err
			}
			n++
		}
		if n != 1000 {
			t.Errorf("%d keys", n)
		}
		return nil
	}
	if err := sort(); err != nil {
		t.Error(err)
	}
	if free--; !errors.Is(sort(), ErrSpace) {
		t.Error("more than a third of the space is taken")
	}
}
