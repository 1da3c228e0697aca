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
		if want, _ := choose(s[1], s[2]); len(d.Tables()) != want || d.Exact() != s[1]-s[2] {
			t.Errorf("%v: %d tables, exact to %d, want %d and %d", s, len(d.Tables()), d.Exact(), want, s[1]-s[2])
		}
		checkHeaders(t, d)
	}
}

// checkHeaders tests what holds for the headers of every design, and that a design
// made of them again is the same.
func checkHeaders(t *testing.T, d Design) {
	t.Helper()
	seen := map[uint64]bool{}
	narrowest := MaxBits
	for _, p := range d.Tables() {
		seen[p.Header()] = true
		narrowest = min(narrowest, p.HeaderBits())
	}
	if len(seen) != len(d.Tables()) || d.HeaderBits() != narrowest {
		t.Errorf("%v: %d of %d headers are distinct, the narrowest has %d bits", d, len(seen), len(d.Tables()), narrowest)
	}
	x := 0x0123456789abcdef & Mask(d.Width())
	if d.Tables()[0].Apply(x) != x {
		t.Errorf("%v: the first permutation is not the identity", d)
	}
	again, err := FromHeaders(d.Width(), d.Exact(), d.Headers())
	if err != nil || !slices.Equal(again.Headers(), d.Headers()) || again.load != d.load {
		t.Errorf("%v: made again of its headers it is %v, %v", d, again, err)
	}
}

func TestFromHeadersRefuses(t *testing.T) {
	for name, bad := range map[string]func() (Design, error){
		"no headers":          func() (Design, error) { return FromHeaders(64, 3, nil) },
		"an empty header":     func() (Design, error) { return FromHeaders(64, 3, []uint64{1 << 63, 0}) },
		"bits above":          func() (Design, error) { return FromHeaders(16, 3, []uint64{1 << 15, 1 << 16}) },
		"first is not on top": func() (Design, error) { return FromHeaders(64, 3, []uint64{1}) },
		"no width":            func() (Design, error) { return FromHeaders(0, 0, []uint64{1}) },
		"distance too large":  func() (Design, error) { return FromHeaders(64, 64, []uint64{1 << 63}) },
		"too many":            func() (Design, error) { return FromHeaders(64, 3, make([]uint64, maxTables+1)) },
	} {
		if d, err := bad(); err == nil {
			t.Errorf("%s: gave %v, want an error", name, d)
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
				var all [1]uint64
				if p.ApplyAll(all[:], []uint64{x}); all[0] != y {
					t.Fatalf("%v header %#x: ApplyAll(%#x) = %#x, want %#x", s, p.Header(), x, all[0], y)
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

// Within Radii(k) of some table must lie every difference of up to k bits.
// Exhaustive over all differences of small widths.
func TestRadiiAreSufficient(t *testing.T) {
	var designs []Design
	for _, s := range [][3]int{{10, 10, 3}, {10, 5, 2}, {10, 4, 1}, {10, 3, 2}, {9, 4, 2}, {9, 3, 3}, {9, 9, 1}} {
		d, err := NewDesign(s[0], s[1], s[2])
		if err != nil {
			t.Fatal(err)
		}
		designs = append(designs, d)
	}
	for _, c := range coverings {
		if c.blocks <= 12 && c.k <= 6 {
			designs = append(designs, c.design(12))
		}
	}
	for _, d := range designs {
		for k := range d.Width() + 1 {
			radii := d.Radii(nil, k)
			for diff := range uint64(1) << d.Width() {
				if bits.OnesCount64(diff) > k {
					continue
				}
				if !slices.ContainsFunc(d.Tables(), func(p Permutation) bool { return within(p, diff, radii, d) }) {
					t.Fatalf("%v: with radii %v for k = %d no table shows difference %b", d, radii, k, diff)
				}
			}
			if k <= d.Exact() && slices.Max(radii) > 0 {
				t.Errorf("%v: radii %v for k = %d, which equal headers find", d, radii, k)
			}
		}
	}
}

func within(p Permutation, diff uint64, radii []int, d Design) bool {
	i := slices.IndexFunc(d.Tables(), func(q Permutation) bool { return q.Header() == p.Header() })
	return bits.OnesCount64(diff&p.Header()) <= radii[i]
}

// The prices of looking beyond a design, which a change should have to justify.
func TestRadii(t *testing.T) {
	four, err := NewDesign(64, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		k    int
		want []int
	}{
		{0, []int{0, -1, -1, -1}},
		{2, []int{0, 0, 0, -1}},
		{3, []int{0, 0, 0, 0}},
		{4, []int{1, 0, 0, 0}},
		{7, []int{1, 1, 1, 1}},
		{8, []int{2, 1, 1, 1}},
		{64, []int{16, 15, 15, 15}},
	} {
		if got := four.Radii(nil, tt.k); !slices.Equal(got, tt.want) {
			t.Errorf("Radii(%d) of %v = %v, want %v", tt.k, four, got, tt.want)
		}
	}
}

// Every covering, found or constructed, must have every k blocks together in one of
// its sets: checked for all of them, the spaces up to PG(5, 2) and AG(5, 2).
func TestCoveringsCover(t *testing.T) {
	all := slices.Clone(coverings)
	for k := 2; k <= 5; k++ {
		if k < 5 || !testing.Short() {
			all = append(all, projective(k))
		}
		all = append(all, affine(k))
	}
	for _, c := range all {
		blocks := make([]int, c.k)
		var walk func(from, depth int, chosen uint64)
		walk = func(from, depth int, chosen uint64) {
			if depth == c.k {
				if !slices.ContainsFunc(c.dontCare, func(s uint64) bool { return chosen&^s == 0 }) {
					t.Fatalf("k = %d, %d blocks, %d sets: blocks %v lie in no set", c.k, c.blocks, len(c.dontCare), blocks)
				}
				return
			}
			for b := from; b < c.blocks; b++ {
				blocks[depth] = b
				walk(b+1, depth+1, chosen|1<<b)
			}
		}
		walk(0, 0, 0)
		checkHeaders(t, c.design(64))
	}
}

// AG(6, 2) has 75 million sixes of points: too many for an ordinary run, so a
// hundred thousand random ones must do beside the construction.
func TestLargestAffineSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	c := affine(6)
	if len(c.dontCare) != 126 || c.blocks != 64 || c.design(64).HeaderBits() != 32 {
		t.Fatalf("%d sets of %d blocks, headers of %d bits, want 126 of 64 and 32", len(c.dontCare), c.blocks, c.design(64).HeaderBits())
	}
	for range 100_000 {
		var chosen uint64
		for range 6 {
			chosen |= 1 << rng.IntN(64)
		}
		if !slices.ContainsFunc(c.dontCare, func(s uint64) bool { return chosen&^s == 0 }) {
			t.Fatalf("blocks %b lie in no hyperplane", chosen)
		}
	}
}

// The sizes of the specification's table must be reached or beaten.
func TestCatalogueHasThePublishedDesigns(t *testing.T) {
	for k, sizes := range map[int][][2]int{ // tables, header bits
		2: {{3, 18}, {4, 25}, {6, 32}, {7, 36}},
		3: {{5, 18}, {6, 21}, {8, 24}, {11, 29}, {14, 32}, {15, 34}},
		4: {{6, 14}, {7, 16}, {9, 18}, {10, 19}, {15, 21}, {31, 33}},
		5: {{9, 14}, {12, 16}, {20, 19}, {30, 21}, {63, 32}},
		6: {{16, 14}, {32, 17}, {45, 19}, {66, 21}, {127, 32}},
	} {
		for _, size := range sizes {
			found := false
			Catalogue(64, k, 200, func(s Shape) bool {
				found = s.Tables <= size[0] && s.HeaderBits >= size[1]-1
				return !found
			})
			if !found {
				t.Errorf("k = %d: no design of %d tables with headers of %d bits", k, size[0], size[1])
			}
		}
	}
}

func TestCatalogueShapes(t *testing.T) {
	for _, width := range []int{64, 32, 16, 5} {
		for k := range min(width, 13) {
			Catalogue(width, k, 300, func(s Shape) bool {
				d := s.Build()
				bits := 0
				for _, p := range d.Tables() {
					bits += p.HeaderBits()
				}
				if mean := bits / s.Tables; len(d.Tables()) != s.Tables || d.Exact() != k || d.Width() != width || mean < s.HeaderBits-1 || mean > s.HeaderBits+1 {
					t.Errorf("width %d, k = %d: a shape of %d tables with %d bits builds %v", width, k, s.Tables, s.HeaderBits, d)
				}
				return true
			})
		}
	}
}

func TestPlans(t *testing.T) {
	for _, width := range []int{16, 32, 64} {
		for _, n := range []int{0, 1, 1000, 1e6, 1e8} {
			for k := range min(width, 14) {
				p := Choose(width, n, k, 0)
				if p.Design.Width() != width || len(p.Design.Tables()) > max(maxPlanTables, k+1) || p.Why == "" {
					t.Errorf("Choose(%d, %d, %d) = %+v", width, n, k, p)
				}
				if small := Choose(width, n, k, 8*5*float64(n)); small.Bytes > p.Bytes {
					t.Errorf("Choose(%d, %d, %d) takes %.0f bytes, with a limit %.0f", width, n, k, p.Bytes, small.Bytes)
				}
				if d, ok := PlanJoin(width, n, k, 0); ok && (d.Exact() < k || d.Width() != width) {
					t.Errorf("PlanJoin(%d, %d, %d) = %v", width, n, k, d)
				}
			}
		}
	}
	if _, ok := PlanJoin(64, 10, 3, 0); ok {
		t.Error("PlanJoin of ten values wants tables")
	}
	if _, ok := PlanJoin(64, 1e6, 10, 0); !ok {
		t.Error("PlanJoin of a million values at k = 10 wants half a trillion comparisons")
	}
	// The designs that prototypes found best.
	for n, want := range map[int]int{1e6: 4, 1e7: 5} {
		if p := Choose(64, n, 3, 0); len(p.Design.Tables()) != want {
			t.Errorf("among %d fingerprints: %v, want %d tables", n, p.Design, want)
		}
	}
	if p := Choose(64, 1e7, 3, 32e7); len(p.Design.Tables()) != 4 {
		t.Errorf("in 32 bytes a fingerprint: %v, want 4 tables", p.Design)
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
	fmt.Println(d)
	// Output:
	// 20 tables, headers of 31 to 33 bits, exact to distance 3
}

// A design spread over some bits finds what it did, on values that differ in the others,
// too.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 200 {
		mask := rng.Uint64() | rng.Uint64()
		width := bits.OnesCount64(mask)
		d := Choose(width, 1000, 3, 0).Design.Spread(64, mask)
		if d.Exact() < 3 {
			continue
		}
		x := rng.Uint64()
		y := x
		for range 3 {
			y ^= 1 << rng.IntN(64)
		}
		shown := 0
		for _, p := range d.Tables() {
			if p.Header()&^mask != 0 {
				t.Fatalf("a header %#x outside the bits %#x", p.Header(), mask)
			}
			if (x^y)&p.Header() == 0 {
				shown++
			}
		}
		if shown == 0 {
			t.Fatalf("no table of %v shows %#x and %#x, at distance %d", d, x, y, Distance(x, y))
		}
	}
}
