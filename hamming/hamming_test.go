package hamming

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b uint64
		want int
	}{
		{0, 0, 0},
		{0, ^uint64(0), 64},
		{1, 1 << 63, 2},
		{37586, 40957, 8}, // worked by hand: 1001001011010010 against 1001111111111101
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

func TestScanEqualsScanEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 70 {
		xs := make([]uint64, n)
		for i := range xs {
			xs[i] = rng.Uint64() & rng.Uint64() & rng.Uint64() // about eight bits
		}
		for _, k := range []int{-1, 0, 3, 6, 8, 12, 64} {
			if got, want := Scan(nil, xs, 0, k), scanEach(nil, xs, 0, 0, k); !slices.Equal(got, want) {
				t.Errorf("n = %d, k = %d: got %v, want %v", n, k, got, want)
			}
		}
	}
}

// shapes are the designs that the tests walk through: odd widths, one block,
// all blocks, single-bit blocks.
var shapes = [][3]int{
	{64, 4, 1}, {64, 5, 2}, {64, 6, 3}, {64, 7, 2}, {64, 64, 1}, {64, 1, 1},
	{32, 4, 1}, {32, 6, 3}, {16, 5, 2}, {17, 5, 4}, {10, 10, 3}, {9, 4, 2}, {7, 3, 3}, {1, 1, 1},
}

func TestDesignHeaders(t *testing.T) {
	for _, s := range shapes {
		d, err := NewDesign(s[0], s[1], s[2])
		if err != nil {
			t.Fatal(err)
		}
		want, _ := choose(s[1], s[2])
		seen := map[uint64]bool{}
		narrowest := MaxBits
		for _, p := range d.Tables() {
			seen[p.Header()] = true
			narrowest = min(narrowest, p.HeaderBits())
			if p.Header()&^Mask(s[0]) != 0 {
				t.Errorf("%v: header %#x above the width", s, p.Header())
			}
		}
		if len(seen) != want || len(d.Tables()) != want {
			t.Errorf("%v: %d tables, %d distinct, want %d", s, len(d.Tables()), len(seen), want)
		}
		if d.HeaderBits() != narrowest {
			t.Errorf("%v: HeaderBits %d, narrowest header %d", s, d.HeaderBits(), narrowest)
		}
		if first := d.Tables()[0]; first.Apply(0x0123456789abcdef&Mask(s[0])) != 0x0123456789abcdef&Mask(s[0]) {
			t.Errorf("%v: the first permutation is not the identity", s)
		}
	}
}

func TestNewDesignRefuses(t *testing.T) {
	for _, s := range [][3]int{{0, 1, 1}, {65, 4, 1}, {64, 0, 1}, {64, 65, 1}, {64, 4, 0}, {64, 4, 5}, {64, 40, 20}, {64, 27, 4}, {8, 9, 1}} {
		if d, err := NewDesign(s[0], s[1], s[2]); err == nil {
			t.Errorf("NewDesign%v gave %v, want an error", s, d)
		}
	}
}

func TestPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		d, err := NewDesign(s[0], s[1], s[2])
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Tables() {
			for range 20 {
				x := rng.Uint64() & Mask(s[0])
				y := p.Apply(x)
				if want := slowApply(p, x); y != want {
					t.Fatalf("%v header %#x: Apply(%#x) = %#x, want %#x", s, p.Header(), x, y, want)
				}
				if back := p.Invert(y); back != x {
					t.Fatalf("%v header %#x: Invert(Apply(%#x)) = %#x", s, p.Header(), x, back)
				}
			}
		}
	}
}

// slowApply builds the permuted value bit by bit: the chosen bits, then the others.
func slowApply(p Permutation, x uint64) uint64 {
	var y uint64
	for _, part := range []uint64{p.Header(), Mask(p.Width()) &^ p.Header()} {
		for b := p.Width() - 1; b >= 0; b-- {
			if part>>b&1 == 1 {
				y = y<<1 | x>>b&1
			}
		}
	}
	return y
}

// Every difference of up to k bits must leave some header within Radius(k), and
// some difference must need that radius. Exhaustive over a width of 10 and 9.
func TestRadiusIsExact(t *testing.T) {
	for _, s := range [][3]int{{10, 10, 3}, {10, 5, 2}, {10, 4, 1}, {10, 3, 2}, {9, 4, 2}, {9, 3, 3}, {9, 9, 1}} {
		d, err := NewDesign(s[0], s[1], s[2])
		if err != nil {
			t.Fatal(err)
		}
		worst := make([]int, s[0]+1)
		for diff := range uint64(1) << s[0] {
			best := s[0]
			for _, p := range d.Tables() {
				best = min(best, bits.OnesCount64(diff&p.Header()))
			}
			k := bits.OnesCount64(diff)
			worst[k] = max(worst[k], best)
		}
		for k := range worst {
			need := slices.Max(worst[:k+1])
			// Blocks narrower than the spread of k bits can only need less.
			if got := d.Radius(k); got < need || (k <= s[1] && got != need) {
				t.Errorf("%v: Radius(%d) = %d, exhaustive %d", s, k, got, need)
			}
			if (d.Radius(k) == 0) != (k <= d.MaxExact()) {
				t.Errorf("%v: Radius(%d) = %d but MaxExact = %d", s, k, d.Radius(k), d.MaxExact())
			}
		}
	}
}

func TestPlans(t *testing.T) {
	for _, width := range []int{16, 32, 64} {
		for _, n := range []int{0, 1, 1000, 1e6, 1e8} {
			for k := range min(width, 20) {
				d := Plan(width, n, k)
				if d.MaxExact() < k || d.Width() != width || len(d.Tables()) > max(maxPlanTables, k+1) {
					t.Errorf("Plan(%d, %d, %d) = %v", width, n, k, d)
				}
				if d, ok := PlanJoin(width, n, k); ok && (d.MaxExact() < k || d.Width() != width) {
					t.Errorf("PlanJoin(%d, %d, %d) = %v", width, n, k, d)
				}
			}
		}
	}
	if _, ok := PlanJoin(64, 10, 3); ok {
		t.Error("PlanJoin of ten values wants tables")
	}
	if _, ok := PlanJoin(64, 1e6, 10); !ok {
		t.Error("PlanJoin of a million values at k = 10 wants half a trillion comparisons")
	}
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

func ExampleDesign() {
	d, _ := NewDesign(64, 6, 3)
	fmt.Println(d, "- finds distance", d.MaxExact())
	// Output:
	// C(6,3): 20 tables, 31-bit headers - finds distance 3
}
