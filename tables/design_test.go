package tables

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/hamming"
)

var shapes = [][3]int{
	{64, 4, 1}, {64, 5, 2}, {64, 6, 3}, {64, 7, 2}, {64, 64, 1}, {64, 1, 1},
	{32, 4, 1}, {32, 6, 3}, {16, 5, 2}, {17, 5, 4}, {10, 10, 3}, {9, 4, 2}, {7, 3, 3}, {1, 1, 1},
}

// The headers of a design are as NewDesign describes them.
func TestDesignHeaders(t *testing.T) {
	for _, s := range shapes {
		d, err := NewDesign(s[0], s[1], s[2])
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := choose(s[1], s[2]); len(d.Permutations()) != want || d.Exact() != s[1]-s[2] {
			t.Errorf("%v: %d tables, exact to %d, want %d and %d", s, len(d.Permutations()), d.Exact(), want, s[1]-s[2])
		}
		checkHeaders(t, d)
	}
}

// checkHeaders tests what holds for the headers of every design, and that FromHeaders makes the same
// design of them.
func checkHeaders(t *testing.T, d Design) {
	t.Helper()
	seen := map[uint64]bool{}
	narrowest := hamming.MaxBits
	for _, p := range d.Permutations() {
		seen[p.Header()] = true
		narrowest = min(narrowest, p.HeaderBits())
	}
	if len(seen) != len(d.Permutations()) || d.HeaderBits() != narrowest {
		t.Errorf("%v: %d of %d headers are distinct, the narrowest has %d bits", d, len(seen), len(d.Permutations()), narrowest)
	}
	x := 0x0123456789abcdef & lowBits(d.Width())
	if d.Permutations()[0].Apply(x) != x {
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

// Every difference of at most k bits is within Radii(k) of some table. All differences of small widths
// are tried.
func TestRadiiAreSufficient(t *testing.T) {
	var designs []Design
	for _, s := range [][3]int{{10, 10, 3}, {10, 5, 2}, {10, 4, 1}, {10, 3, 2}, {9, 4, 2}, {9, 3, 3}, {9, 9, 1}} {
		d, err := NewDesign(s[0], s[1], s[2])
		if err != nil {
			t.Fatal(err)
		}
		designs = append(designs, d)
	}
	for k := 2; k <= 6; k++ {
		for _, c := range coveringsOf(k) {
			if c.Blocks <= 12 {
				designs = append(designs, coveringDesign(c, 12))
			}
		}
	}
	for _, d := range designs {
		for k := range d.Width() + 1 {
			radii := d.radii(nil, k)
			for diff := range uint64(1) << d.Width() {
				if bits.OnesCount64(diff) > k {
					continue
				}
				if !slices.ContainsFunc(d.Permutations(), func(p Permutation) bool { return within(p, diff, radii, d) }) {
					t.Fatalf("%v: with radii %v for k = %d no table shows difference %b", d, radii, k, diff)
				}
			}
			if k <= d.Exact() && slices.Max(radii) > 0 {
				t.Errorf("%v: radii %v for k = %d, which equal headers find", d, radii, k)
			}
		}
	}
}

// within reports whether a difference is within the radius of the table that has the permutation p.
func within(p Permutation, diff uint64, radii []int, d Design) bool {
	i := slices.IndexFunc(d.Permutations(), func(q Permutation) bool { return q.Header() == p.Header() })
	return bits.OnesCount64(diff&p.Header()) <= radii[i]
}

// Radii are the cost of searching beyond a design: a change of them needs a reason.
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
		if got := four.radii(nil, tt.k); !slices.Equal(got, tt.want) {
			t.Errorf("Radii(%d) of %v = %v, want %v", tt.k, four, got, tt.want)
		}
	}
}

// The headers of coverings are those of a design.
func TestCoveringDesigns(t *testing.T) {
	for k := 2; k <= 12; k++ {
		for _, c := range coveringsOf(k) {
			checkHeaders(t, coveringDesign(c, 64))
		}
	}
	for _, c := range coveringsOf(6) {
		if c.Blocks == 64 && coveringDesign(c, 64).HeaderBits() != 32 {
			t.Error("AG(6, 2) has headers of other than 32 bits")
		}
	}
}

// The catalogue has designs of the published sizes, or better ones.
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
			catalogue(64, k, 200, func(s shape) bool {
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
			catalogue(width, k, 300, func(s shape) bool {
				d := s.Build()
				bits := 0
				for _, p := range d.Permutations() {
					bits += p.HeaderBits()
				}
				if mean := bits / s.Tables; len(d.Permutations()) != s.Tables || d.Exact() != k || d.Width() != width || mean < s.HeaderBits-1 || mean > s.HeaderBits+1 {
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
				if p.Design.Width() != width || len(p.Design.Permutations()) > max(maxPlanTables, k+1) || p.Why == "" {
					t.Errorf("Choose(%d, %d, %d) = %+v", width, n, k, p)
				}
				if small := Choose(width, n, k, 8*5*float64(n)); small.Bytes > p.Bytes {
					t.Errorf("Choose(%d, %d, %d) takes %.0f bytes, with a limit %.0f", width, n, k, p.Bytes, small.Bytes)
				}
				if d, ok := planJoin(width, n, k, 0); ok && (d.Exact() < k || d.Width() != width) {
					t.Errorf("planJoin(%d, %d, %d) = %v", width, n, k, d)
				}
			}
		}
	}
	if _, ok := planJoin(64, 10, 3, 0); ok {
		t.Error("planJoin of ten values wants tables")
	}
	if _, ok := planJoin(64, 1e6, 10, 0); !ok {
		t.Error("planJoin of a million values at k = 10 wants half a trillion comparisons")
	}
	for _, n := range []int{1e8, 1e9} {
		for k := range 30 {
			if p := Dense(n, k); !p.Design.IsDense() || p.Bytes > denseBytes*float64(n) || p.Bytes != float64(bytesOf(n, p.Design)) || k <= 3 && p.Design.Exact() < k {
				t.Errorf("within %d among %d fingerprints: %v, %.3g bytes", k, n, p.Design, p.Bytes)
			}
		}
	}
	// The designs that were the fastest in measurements.
	for n, want := range map[int]int{1e6: 4, 1e7: 5} {
		if p := Choose(64, n, 3, 0); len(p.Design.Permutations()) != want {
			t.Errorf("among %d fingerprints: %v, want %d tables", n, p.Design, want)
		}
	}
	for _, k := range []int{6, 10} {
		for _, n := range []int{1e6, 1e7} {
			if p, usual := Choose(64, n, k, 0), Choose(64, n, 3, 0); p.Design.String() != usual.Design.String() {
				t.Errorf("within %d among %d fingerprints: %v, want %v", k, n, p.Design, usual.Design)
			}
		}
	}
	if p := Choose(64, 1e7, 3, 32e7); len(p.Design.Permutations()) != 4 {
		t.Errorf("in 32 bytes a fingerprint: %v, want 4 tables", p.Design)
	}
}

// A design spread over some bits finds the same distance, in values that differ in the other bits, too.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 200 {
		mask := rng.Uint64() | rng.Uint64()
		width := bits.OnesCount64(mask)
		d := Choose(width, 1000, 3, 0).Design.spread(64, mask)
		if d.Exact() < 3 {
			continue
		}
		x := rng.Uint64()
		y := x
		for range 3 {
			y ^= 1 << rng.IntN(64)
		}
		shown := 0
		for _, p := range d.Permutations() {
			if p.Header()&^mask != 0 {
				t.Fatalf("a header %#x outside the bits %#x", p.Header(), mask)
			}
			if (x^y)&p.Header() == 0 {
				shown++
			}
		}
		if shown == 0 {
			t.Fatalf("no table of %v shows %#x and %#x, at distance %d", d, x, y, hamming.Distance(x, y))
		}
	}
}
