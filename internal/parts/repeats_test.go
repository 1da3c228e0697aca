package parts

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"

	"simsearch/internal/disk"
	"simsearch/internal/disk/disktest"
	"simsearch/internal/spill"
)

// findRepeats returns the numbers of repeats with those of their first occurrences.
func findRepeats(ctx context.Context, r *Repeats, threads int, memory int64) (map[uint32]uint32, error) {
	var mu sync.Mutex
	got := map[uint32]uint32{}
	err := r.Find(ctx, threads, memory, func(n, first uint32) error {
		mu.Lock()
		defer mu.Unlock()
		if was, ok := got[n]; ok && was != first {
			return errors.New("two firsts")
		}
		got[n] = first
		return nil
	})
	return got, err
}

// The repeats are those that a map finds, in memory of any size.
func TestRepeats(t *testing.T) {
	for _, distinct := range []uint64{1, 3, 100_000, 1 << 60} {
		rng := rand.New(rand.NewPCG(distinct, 1))
		r := NewRepeats(disk.OS, t.TempDir())
		known, want := map[uint64]uint32{}, map[uint32]uint32{}
		for n := range uint32(200_000) {
			if n%7 == 3 {
				if err := r.Add(0); err != nil {
					t.Fatal(err)
				}
				continue
			}
			key := (1 + rng.Uint64N(distinct)) * 0x9e3779b97f4a7c15
			if first, ok := known[key]; ok {
				want[n] = first
			} else {
				known[key] = n
			}
			if err := r.Add(key); err != nil {
				t.Fatal(err)
			}
		}
		for _, memory := range []int64{0, 500_000, 5_000_000, 1 << 30} {
			if got, err := findRepeats(t.Context(), r, 2, memory); err != nil || !maps.Equal(got, want) {
				t.Errorf("%d keys, memory %d: %d repeats, want %d; %v", distinct, memory, len(got), len(want), err)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// After any operation of the disk has failed, somebody is told.
func TestRepeatsOfAFailingDisk(t *testing.T) {
	const keys = 4 * keyBytes / keySize
	reached := map[string]bool{}
	for at := 0; ; at++ {
		n, hit := 0, ""
		fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
			if n++; n-1 != at {
				return 0, nil
			}
			hit, reached[op.Kind] = op.Kind, true
			return 0, syscall.EIO
		}}
		r := NewRepeats(fsys, "")
		r.keys = spill.NewBytes(fsys, t.TempDir(), keyBytes)
		var err error
		for i := 0; i < keys && err == nil; i++ {
			err = r.Add(uint64(1 + i%(keys/2)))
		}
		if err == nil {
			var got map[uint32]uint32
			if got, err = findRepeats(t.Context(), r, 1, 0); err == nil && len(got) != keys/2 {
				t.Fatalf("%d repeats", len(got))
			}
		}
		err = errors.Join(err, r.Close())
		if hit == "" {
			break
		}
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("operation %d, %s, fails: %v", at, hit, err)
		}
	}
	for _, kind := range []string{"createtemp", "write", "readat", "close"} {
		if !reached[kind] {
			t.Errorf("no %s has failed", kind)
		}
	}
}
