package tables

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/section"
)

// combinationShapes are bits, G and g: published ones, odd G that do not divide the bits, and one table.
var combinationShapes = [][3]int{
	{64, 4, 1}, {64, 5, 2}, {64, 6, 3}, {64, 3, 2}, {64, 7, 4}, {64, 9, 8}, {64, 11, 10}, {64, 5, 5}, {64, 2, 1},
	{32, 4, 1}, {32, 5, 3}, {32, 7, 5}, {32, 3, 1}, {20, 7, 3}, {9, 4, 2},
}

func newCombinations(t testing.TB, s [3]int) Design {
	t.Helper()
	d, err := Combinations(s[0], s[1], s[2])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Tables of all choices of blocks answer as the scan does, for every k that equal headers find and beyond it. Within that, they
// look up the header of a query in each table, and compare the entries that have it.
func TestCombinationsEqualTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, s := range combinationShapes {
		d := newCombinations(t, s)
		for name, values := range collections(rng, d.Width(), 700) {
			built := Build(values, d)
			loaded, _ := reload(t, values, d, 2)
			if fmt.Sprint(loaded.Design()) != fmt.Sprint(d) {
				t.Fatalf("the design is %v when it is loaded, and was %v", loaded.Design(), d)
			}
			if err := loaded.Check(); err != nil {
				t.Fatalf("%v, %s: %v", d, name, err)
			}
			for _, tb := range []*Tables{built, loaded} {
				qs := queries(rng, values, d.Width(), 36)
				for k := 0; k <= d.Exact()+4; k++ {
					checkAnswers(t, tb, qs, k, name)
					checkByHand(t, tb, qs, k, name)
				}
				checkAnswers(t, tb, qs, d.Width(), name)
			}
		}
	}
}

// checkByHand compares the work of queries with the definition: the entries that have the whole header of a query are
// compared, in each table. A query scans if k is beyond the exact distance, or if it has compared as many entries as
// there are values, and thousands.
func checkByHand(t *testing.T, tb *Tables, qs []uint64, k int, what string) {
	t.Helper()
	if len(tb.values) == 0 {
		return
	}
	var batch, all Stats
	for _, q := range qs {
		var got Stats
		if _, err := tb.NearStats(nil, q, k, &got); err != nil {
			t.Fatal(err)
		}
		all.Add(got)
		n := int64(len(tb.values))
		most := max(n, heavyFrom)
		want := Stats{Queries: 1}
		if k <= tb.design.exact {
			for _, header := range tb.design.Headers() {
				want.LookUps++
				for _, x := range tb.values {
					if (x^q)&header == 0 {
						want.Compared++
					}
				}
				if want.Compared > most {
					break
				}
			}
		}
		if k > tb.design.exact || want.Compared > most {
			want.Scans, want.Compared = 1, min(most, want.Compared)+n
		}
		if got != want {
			t.Fatalf("%v, %s, q = %#x, k = %d: %+v, want %+v", tb.design, what, q, k, got, want)
		}
	}
	if err := tb.NearBatchStats(qs, k, &batch, func(int, []hamming.Match) error { return nil }); err != nil || batch != all {
		t.Fatalf("%v, %s, k = %d: %+v in a batch, %v, want %+v", tb.design, what, k, batch, err, all)
	}
}

// As many entries are compared as EntriesAProbe and Explain say of uniform fingerprints, by hand and as planned.
func TestComparedAsExpected(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := make([]uint64, 1<<16)
	for i := range values {
		values[i] = rng.Uint64()
	}
	values = distinct(values)
	for _, d := range []Design{
		newCombinations(t, [3]int{64, 4, 1}), newCombinations(t, [3]int{64, 5, 2}), newCombinations(t, [3]int{64, 6, 3}),
		Choose(64, len(values), 3, 0).Design, newDesign(t, [3]int{64, 6, 3}),
	} {
		tb := Build(values, d)
		var stats Stats
		const n = 3000
		for range n {
			if _, err := tb.NearStats(nil, rng.Uint64(), 3, &stats); err != nil {
				t.Fatal(err)
			}
		}
		explained := tb.Explain(3)
		probes := float64(stats.LookUps)
		if stats.Scans > 0 || probes != n*explained.LookUps || explained.LookUps != float64(len(d.Permutations())) {
			t.Errorf("%v: %+v, explained as %+v", d, stats, explained)
		}
		for _, promised := range []float64{d.EntriesAProbe(len(values)) * probes, explained.Compare * n} {
			if got := float64(stats.Compared); math.Abs(got-promised) > 5*math.Sqrt(promised+1) {
				t.Errorf("%v: %v entries compared by %v look-ups, %v promised", d, got, probes, promised)
			}
		}
	}
}

// The fast tables answer as the plain ones do, which are those of the paper, for every k that these find by equal headers.
func TestNearEqualsByHand(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range collections(rng, 64, 3000) {
		if len(values) == 0 {
			continue
		}
		fast := []*Tables{}
		for _, d := range designs(t) {
			if d.Width() == 64 {
				fast = append(fast, Build(values, d))
			}
		}
		qs := queries(rng, values, 64, 25)
		for _, s := range [][3]int{{64, 4, 1}, {64, 6, 3}, {64, 6, 1}} {
			plain := Build(values, newCombinations(t, s))
			for k := 0; k <= plain.design.exact; k++ {
				var wants [][]hamming.Match
				for _, q := range qs {
					w, err := plain.Near(nil, q, k)
					if err != nil {
						t.Fatal(err)
					}
					wants = append(wants, w)
				}
				for _, tb := range fast {
					forceTables(tb, k)
					err := tb.NearBatch(qs, k, func(i int, got []hamming.Match) error {
						one, err := tb.Near(nil, qs[i], k)
						if !slices.Equal(one, wants[i]) || !slices.Equal(got, wants[i]) {
							t.Fatalf("%v, %s, q = %#x, k = %d: %v, and %v in a batch, %v by hand", tb.design, name, qs[i], k, one, got, wants[i])
						}
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// checkAnswers compares the answers of Near and of NearBatch with those of the scan.
func checkAnswers(t *testing.T, tb *Tables, qs []uint64, k int, what string) {
	t.Helper()
	err := tb.NearBatch(qs, k, func(i int, got []hamming.Match) error {
		w := want(tb.Values(), qs[i], k)
		if !slices.Equal(got, w) {
			t.Fatalf("%v, %s, a batch, q = %#x, k = %d:\n got %v\nwant %v", tb.Design(), what, qs[i], k, got, w)
		}
		one, err := tb.Near(nil, qs[i], k)
		if !slices.Equal(one, w) {
			t.Fatalf("%v, %s, q = %#x, k = %d:\n got %v, %v\nwant %v", tb.Design(), what, qs[i], k, one, err, w)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Where a header has most of the values, a query gives up when it has compared as many entries as there are values.
func TestByHandGivesUp(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := make([]uint64, heavyFrom+500)
	for i := range values {
		values[i] = rng.Uint64()&0x0000_0300_0000_ffff | 0x1234_5000_0000_0000
	}
	values = distinct(values)
	scans := int64(0)
	for _, s := range [][3]int{{64, 6, 3}, {64, 4, 1}, {64, 4, 3}} {
		tb := Build(values, newCombinations(t, s))
		qs := queries(rng, values, 64, 12)
		for k := range tb.Design().Exact() + 2 {
			checkAnswers(t, tb, qs, k, "shared headers")
			checkByHand(t, tb, qs, k, "shared headers")
		}
		var stats Stats
		if _, err := tb.NearStats(nil, values[0], 0, &stats); err != nil {
			t.Fatal(err)
		}
		scans += stats.Scans
	}
	if scans == 0 {
		t.Error("no search gave up: the test does not reach what it means to")
	}
}

func TestCombinationsRefuse(t *testing.T) {
	for _, s := range [][3]int{{0, 1, 1}, {65, 4, 1}, {64, 0, 1}, {64, 65, 1}, {64, 4, 0}, {64, 4, 5}, {32, 33, 1}} {
		if d, err := Combinations(s[0], s[1], s[2]); err == nil {
			t.Errorf("Combinations%v gave %v, want an error", s, d)
		}
	}
	for _, tt := range []struct {
		s    [3]int
		want string
	}{
		{[3]int{64, 18, 9}, "9 header blocks of 18 make 48620 tables, more than 16384: choose at most 7 header blocks of 16, which leave out as many and make 11440"},
		{[3]int{64, 40, 20}, "make 137846528820 tables, more than 16384: choose at most 4 header blocks of 24, which leave out as many and make 10626"},
		{[3]int{64, 64, 32}, "32 header blocks of 64 make more than 16384 tables: choose at most 3 header blocks of 35"},
	} {
		_, err := Combinations(tt.s[0], tt.s[1], tt.s[2])
		if many := (*tooManyTables)(nil); !errors.As(err, &many) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Combinations%v: %v, want %q", tt.s, err, tt.want)
		}
	}
}

// Files whose blocks contradict the headers are corrupt.
func TestBlocksThatContradict(t *testing.T) {
	d := newDesign(t, [3]int{64, 4, 1})
	for name, tt := range map[string]struct {
		exact  int
		blocks []uint32
	}{
		"other blocks": {3, []uint32{5, 2}}, "many blocks": {3, []uint32{1 << 31, 1}}, "no header": {3, []uint32{4, 0}},
		"too many tables": {32, []uint32{64, 32}}, "another distance": {2, []uint32{4, 1}}, "cut": {3, []uint32{4}},
	} {
		var out bytes.Buffer
		w := section.NewWriter(&out)
		w.Begin(sectionDesign)
		w.Uint64s([]uint64{0})
		w.Uint32s([]uint32{64, uint32(tt.exact)})
		w.Uint64s(d.Headers())
		w.Begin(sectionBlocks)
		w.Uint32s(tt.blocks)
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := section.Parse(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(f); !errors.Is(err, section.ErrCorrupt) || !strings.Contains(err.Error(), sectionBlocks) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where a value differs from a query in k bits, the search header of some table differs in its radius at
// most, whatever radii were chosen for k. All differences of few bits are tried.
func TestWaysAreSufficient(t *testing.T) {
	t.Parallel()
	values := make([]uint64, 1<<11)
	for i := range values {
		values[i] = uint64(i)
	}
	for _, s := range [][3]int{{12, 6, 3}, {12, 4, 1}, {12, 5, 2}, {11, 7, 4}, {12, 12, 9}, {12, 3, 3}} {
		tb := Build(values, newDesign(t, s))
		for k := range s[0] + 1 {
			radii := tb.way(k).radii
			for diff := range uint64(1) << s[0] {
				if bits.OnesCount64(diff) > k {
					continue
				}
				found := false
				for i, r := range radii {
					found = found || bits.OnesCount64(diff&tb.tables[i].mask) <= int(r)
				}
				if !found {
					t.Fatalf("%v: with radii %v for k = %d no table shows difference %b", tb.design, radii, k, diff)
				}
			}
		}
	}
}

func TestEntriesAProbe(t *testing.T) {
	for _, tt := range []struct {
		s    [3]int
		n    int
		want float64
	}{{[3]int{64, 4, 1}, 1 << 20, 16}, {[3]int{64, 4, 2}, 1 << 20, 1.0 / 4096}, {[3]int{32, 3, 1}, 1 << 11, (1 + 1 + 2) / 3.0}} {
		if got := newCombinations(t, tt.s).EntriesAProbe(tt.n); got != tt.want {
			t.Errorf("%v: %v entries a probe among %d, want %v", tt.s, got, tt.n, tt.want)
		}
	}
}

func ExampleCombinations() {
	d, _ := Combinations(64, 6, 3)
	fmt.Println(d)
	fmt.Printf("%.4f entries a probe\n", d.EntriesAProbe(1_000_000))
	// Output:
	// all choices of g = 3 of G = 6 blocks: 20 tables, headers of 31 to 33 bits, exact to distance 3
	// 0.0003 entries a probe
}

// FuzzCombinations compares any choice of blocks with the scan.
func FuzzCombinations(f *testing.F) {
	f.Add(uint8(64), uint8(6), uint8(3), uint8(3), uint64(5), []byte("some fingerprints of eight bytes each, and so on"))
	f.Add(uint8(32), uint8(5), uint8(2), uint8(6), uint64(1<<31), []byte("aaaaaaaaaaaaaaabaaaaaaacaaaaaaad"))
	f.Add(uint8(7), uint8(7), uint8(7), uint8(0), uint64(0), []byte{})
	f.Fuzz(func(t *testing.T, width, blocks, chosen, k uint8, q uint64, data []byte) {
		d, err := Combinations(int(width), int(blocks), int(chosen))
		if err != nil || len(d.Permutations()) > 200 {
			return
		}
		var values []uint64
		for ; len(data) >= 8 && len(values) < 1000; data = data[8:] {
			values = append(values, binary.BigEndian.Uint64(data)&lowBits(d.Width()))
		}
		values = distinct(values)
		tb := Build(values, d)
		q &= lowBits(d.Width())
		checkAnswers(t, tb, []uint64{q}, int(k), "fuzzed")
	})
}
