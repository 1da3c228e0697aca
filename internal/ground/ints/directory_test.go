package ints

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, width := range []int{1, 7, 32, 64} {
		for _, n := range []int{0, 1, 2, 3, 100, 1000} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = rng.Uint64() >> (64 - width)
			}
			slices.Sort(keys)
			for spare := range 4 {
				d := OutlineDirectory(width, DirectoryBits(n, width, spare))
				d.Build(keys)
				if uint64(len(d.Starts)) != d.Len() {
					t.Fatalf("%d keys of %d bits: %d elements, want %d", n, width, len(d.Starts), d.Len())
				}
				slots := uint64(len(d.Starts)) - 1
				for range 50 {
					first := rng.Uint64N(slots)
					last := first + rng.Uint64N(slots-first)
					lo, hi, ok := d.Entries(first, last, n)
					if !ok {
						t.Fatal(d.Bad(first, last, n))
					}
					for i, key := range keys {
						if in := first <= d.Slot(key) && d.Slot(key) <= last; in != (lo <= i && i < hi) {
							t.Fatalf("%d keys of %d bits: slots %d to %d are entries [%d, %d), and key %d is in slot %d", n, width, first, last, lo, hi, i, d.Slot(key))
						}
					}
				}
			}
		}
	}
}

func TestBits(t *testing.T) {
	for _, tt := range []struct{ n, keyBits, spare, want int }{
		{0, 64, 0, 0}, {1, 64, 0, 0}, {2, 64, 0, 1}, {1023, 64, 0, 9}, {1024, 64, 0, 10}, {1024, 8, 0, 8}, {1024, 64, 2, 8}, {3, 64, 4, 0},
	} {
		if got := DirectoryBits(tt.n, tt.keyBits, tt.spare); got != tt.want {
			t.Errorf("%d entries, keys of %d bits, %d to spare: got %d, want %d", tt.n, tt.keyBits, tt.spare, got, tt.want)
		}
	}
}

var errDamage = errors.New("damage")

// A guard is that of a file with damage in the bytes from damage on.
type guard struct{ damage uint64 }

func (g guard) Check(_, to uint64) {
	if to > g.damage {
		panic(errDamage)
	}
}

func (g guard) Corruptf(at uint64, format string, args ...any) error {
	return fmt.Errorf("at %d: %s", at, fmt.Sprintf(format, args...))
}

func TestDamage(t *testing.T) {
	d := OutlineDirectory(8, 2)
	d.Use([]uint32{0, 3, 2, 5, 4}, guard{20})
	for _, tt := range []struct {
		slot uint64
		want string
	}{
		{0, "<nil>"},
		{1, "at 4: slots 0x1 to 0x1 lead to entries [3, 2) of 4"},
		{2, "at 8: slots 0x2 to 0x2 lead to entries [2, 5) of 4"},
		{3, "at 12: slots 0x3 to 0x3 lead to entries [5, 4) of 4"},
	} {
		d.Check(tt.slot, tt.slot)
		var err error
		if _, _, ok := d.Entries(tt.slot, tt.slot, 4); !ok {
			err = d.Bad(tt.slot, tt.slot, 4)
		}
		if fmt.Sprint(err) != tt.want {
			t.Errorf("slot %d: %v, want %v", tt.slot, err, tt.want)
		}
	}
	d.Use(d.Starts, guard{11})
	d.Check(0, 0)
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, errDamage) {
			t.Errorf("slot 1: %v, want the error of the guard", err)
		}
	}()
	d.Check(1, 1)
}
