package hamming

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/match/kernels"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b uint64
		want int
	}{
		{0, 0, 0},
		{0, ^uint64(0), 64},
		{1, 1 << 63, 2},
		{37586, 40957, 8}, // by hand: 1001001011010010 and 1001111111111101
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%#x, %#x) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// The sixteen-bit example of the course report (Biswas 2017).
func TestScanGoldenPairs(t *testing.T) {
	fps := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	var got []string
	for i, x := range fps {
		for _, m := range Scan(nil, fps[i+1:], x, 3) {
			got = append(got, fmt.Sprintf("(%d,%d) at %d", i+1, i+2+int(m.Index), m.Distance))
		}
	}
	want := []string{"(2,4) at 2", "(3,6) at 1", "(5,8) at 2"}
	if !slices.Equal(got, want) {
		t.Errorf("pairs within 3: got %v, want %v", got, want)
	}
}

func TestScanLimits(t *testing.T) {
	xs := []uint64{0, 1, 3, ^uint64(0)}
	for _, tt := range []struct {
		k    int
		want []Match
	}{
		{-1, nil},
		{0, []Match{{0, 0}}},
		{1, []Match{{0, 0}, {1, 1}}},
		{63, []Match{{0, 0}, {1, 1}, {2, 2}}},
		{64, []Match{{0, 0}, {1, 1}, {2, 2}, {3, 64}}},
	} {
		if got := Scan(nil, xs, 0, tt.k); !slices.Equal(got, tt.want) {
			t.Errorf("k = %d: got %v, want %v", tt.k, got, tt.want)
		}
	}
	if got := Scan([]Match{{9, 9}}, xs, 0, 0); len(got) != 2 || got[0].Index != 9 {
		t.Errorf("Scan does not append: %v", got)
	}
}

// Scan finds what scanEach finds, on every backend.
func TestScanOnEveryBackend(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	kernels.EachBackend(func(backend string) {
		for n := range 150 {
			xs := make([]uint64, n)
			for i := range xs {
				xs[i] = rng.Uint64() & rng.Uint64() & rng.Uint64() // about eight bits
			}
			for _, k := range []int{-1, 0, 3, 6, 8, 12, 63, 64, 99} {
				if got, want := Scan(nil, xs, 0, k), scanEach(nil, xs, 0, 0, k); !slices.Equal(got, want) {
					t.Fatalf("%s: n = %d, k = %d: got %v, want %v", backend, n, k, got, want)
				}
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{1 << 12, 1 << 18, 1 << 24} { // L1 and L2, L2 and L3, memory
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			xs := make([]uint64, n)
			for i := range xs {
				xs[i] = rng.Uint64()
			}
			var dst []Match
			b.SetBytes(int64(n) * 8)
			b.ReportAllocs()
			for b.Loop() {
				dst = Scan(dst[:0], xs, 0x9e3779b97f4a7c15, 3)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
		})
	}
}

func ExampleScan() {
	fingerprints := []uint64{0b0000, 0b0001, 0b0111, 0b1111}
	for _, m := range Scan(nil, fingerprints, 0b0011, 1) {
		fmt.Printf("%04b at distance %d\n", fingerprints[m.Index], m.Distance)
	}
	// Output:
	// 0001 at distance 1
	// 0111 at distance 1
}
