package lsh

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

func all(uint32, uint32) bool { return true }

// pairs returns the sorted pairs that Pairs finds. The test fails if a pair comes twice.
func pairs(t *testing.T, s *Signatures, b Bands, threshold float64, o PairOptions, accept func(x, y uint32) bool) []uint64 {
	t.Helper()
	var got []uint64
	err := Pairs(context.Background(), s, b, threshold, o, accept, func(ps []uint64) error {
		got = append(got, ps...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if n := len(got); len(slices.Compact(got)) != n {
		t.Fatal("a pair comes twice")
	}
	return got
}

func TestPairsEqualScan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n, positions int
		b            Bands
	}{{0, 8, Bands{1, 8}}, {1, 8, Bands{8, 1}}, {500, 128, Bands{13, 7}}, {400, 24, Bands{2, 12}}, {500, 40, Bands{5, 8}}, {300, 60, Bands{20, 3}}} {
		s := random(uint64(tt.n+1), tt.n, tt.positions)
		var want []uint64
		for x := range uint32(tt.n) {
			for y := x + 1; y < uint32(tt.n); y++ {
				if agree(s.Of(x), s.Of(y), tt.b, tt.b.Rows) && (x+y)%5 > 0 {
					want = append(want, uint64(x)<<32|uint64(y))
				}
			}
		}
		some := func(x, y uint32) bool { return (x+y)%5 > 0 }
		for _, o := range []PairOptions{{Threads: 1}, {Threads: 4}, {Threads: 3, SetsInMemory: 77}} {
			if got := pairs(t, s, tt.b, 0.8, o, some); !slices.Equal(got, want) {
				t.Errorf("%d sets, %v, %+v: %d pairs, want %d", tt.n, tt.b, o, len(got), len(want))
			}
		}
	}
}

// The similar pairs of a large bucket are found without comparing all of its pairs. Its sets agree on
// whole bands and hardly in other positions.
func TestLargeBucket(t *testing.T) {
	t.Parallel()
	const n, positions, threshold = 20_000, 128, 0.8
	r := rand.New(rand.NewPCG(8, 8))
	b := Bands{13, 7}
	all := make([]byte, n*positions)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	var similar []uint64
	for i := range n {
		if i%10 == 0 && i > 0 { // a copy of the one before, with similarity threshold
			for p := range positions {
				if r.Float64() < threshold {
					all[i*positions+p] = all[(i-1)*positions+p]
				}
			}
			similar = append(similar, uint64(i-1)<<32|uint64(i))
		}
		copy(all[i*positions+3*7:], "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e") // bands 3 and 4
	}
	s := NewSignatures(positions, n)
	s.Add(all)
	var asked atomic.Int64
	got := pairs(t, s, b, threshold, PairOptions{Threads: 2}, func(x, y uint32) bool {
		asked.Add(1)
		return y == x+1
	})
	missed := 0
	for _, p := range similar {
		if _, ok := slices.BinarySearch(got, p); !ok {
			missed++
		}
	}
	if missed > len(similar)/100 {
		t.Errorf("%d of %d similar pairs are missed", missed, len(similar))
	}
	if asked.Load() > n*n/2/100 {
		t.Errorf("%d comparisons of %d sets", asked.Load(), n)
	}
}

func TestPairsStop(t *testing.T) {
	t.Parallel()
	s := random(1, 2000, 64)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Pairs(ctx, s, Bands{8, 8}, 0.8, PairOptions{Threads: 2}, all, func([]uint64) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	boom := errors.New("boom")
	if err := Pairs(context.Background(), s, Bands{32, 1}, 0.8, PairOptions{Threads: 2}, all, func([]uint64) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("an error of found: %v", err)
	}
}

// In a large bucket, too, the context is looked at after a few pairs.
func TestALargeBucketEndsWithItsContext(t *testing.T) {
	t.Parallel()
	const n, positions = 3000, 16
	s := NewSignatures(positions, n)
	s.Add(make([]byte, n*positions))
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int32
	accept := func(uint32, uint32) bool {
		if calls.Add(1) == 1000 {
			cancel()
		}
		return true
	}
	const threads = 2
	err := Pairs(ctx, s, Bands{2, 8}, 0.8, PairOptions{Threads: threads}, accept, func([]uint64) error { return nil })
	if n := calls.Load(); !errors.Is(err, context.Canceled) || n > 1000+threads*checkEvery {
		t.Errorf("%d pairs were accepted, %v; want an end soon after the 1000th", n, err)
	}
}
