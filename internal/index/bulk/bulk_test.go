package bulk

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
)

// prints returns some fingerprints of width bits, many of them equal, and which documents have none.
func prints(rng *rand.Rand, n, width, kinds int) (all []uint64, skip []bool) {
	skip = make([]bool, n)
	for i := range n {
		x := rng.Uint64() >> (64 - width)
		if i > 0 && rng.IntN(kinds) == 0 {
			x = all[rng.IntN(i)]
		}
		if skip[i] = rng.IntN(20) == 0; skip[i] || rng.IntN(50) == 0 { // 0 is a fingerprint, too
			x = 0
		}
		all = append(all, x)
	}
	return all, skip
}

// Sort and Places agree with sorting all at once, however little memory there is.
func TestSortAndPlaces(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{0, 1, 2, 1000, 70_000} {
		for _, width := range []int{64, 32, 5} {
			for _, memory := range []int64{100, 100_000, 1 << 30} {
				if n > 1000 && memory == 100 {
					continue // 4,096 parts
				}
				all, skip := prints(rng, n, width, 3)
				is := func(doc int) bool { return skip[doc] }
				var want []uint32
				for doc := range all {
					if !skip[doc] {
						want = append(want, uint32(doc))
					}
				}
				slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(all[a], all[b]) })
				var got []uint32
				var distinct []uint64
				err := Sort(t.Context(), all, width, is, Options{Threads: 2, Memory: memory}, func(values []uint64, docs []uint32) error {
					got = append(got, docs...)
					for i, x := range values {
						if x != all[docs[i]] {
							t.Fatalf("document %d has %#x, want %#x", docs[i], x, all[docs[i]])
						}
					}
					distinct = append(distinct, slices.Compact(slices.Clone(values))...)
					return nil
				})
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d of %d bits in %d bytes: other documents; %v", n, width, memory, err)
				}
				if !slices.IsSorted(distinct) || len(slices.Compact(slices.Clone(distinct))) != len(distinct) {
					t.Fatalf("%d of %d bits in %d bytes: equal ones came apart", n, width, memory)
				}
				shift := 0
				for len(distinct)>>shift > 60_000/(1+rng.IntN(1000)) {
					shift++
				}
				var places []uint16
				err = Places(t.Context(), all, distinct, width, shift, is, 65535, 2, func(some []uint16) error {
					places = append(places, some...)
					return nil
				})
				if err != nil || len(places) != n {
					t.Fatalf("%d places of %d; %v", len(places), n, err)
				}
				for doc, x := range all {
					at, _ := slices.BinarySearch(distinct, x)
					if want := uint16(at >> shift); !skip[doc] && places[doc] != want || skip[doc] && places[doc] != 65535 {
						t.Fatalf("%d of %d bits: document %d is at %d, want %d", n, width, doc, places[doc], want)
					}
				}
			}
		}
	}
}

func TestSortStops(t *testing.T) {
	t.Parallel()
	all, _ := prints(rand.New(rand.NewPCG(1, 1)), 1000, 64, 3)
	no := func(int) bool { return false }
	stop := errors.New("stop")
	if err := Sort(t.Context(), all, 64, no, Options{Threads: 2, Memory: 1 << 12}, func([]uint64, []uint32) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want the error of emit", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := Sort(ctx, all, 64, no, Options{Threads: 1, Memory: 1 << 20}, func([]uint64, []uint32) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("%v, want the cause of the context", err)
	}
}

// A list is the same in memory and in a file, and goes on after All.
func TestList(t *testing.T) {
	t.Parallel()
	for _, hold := range []int{1, 7, 1 << 20} {
		l := NewList(disk.OS, t.TempDir(), hold)
		var want []uint64
		for i := range uint64(100) {
			l.Append(i*i, i)
			want = append(want, i*i, i)
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			if i%10 != 0 {
				continue
			}
			got, err := l.All()
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%d numbers, want %d; %v", len(got), len(want), err)
			}
		}
		if l.InFile() != (hold < 1<<20) {
			t.Error("the list is not where it should be")
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
