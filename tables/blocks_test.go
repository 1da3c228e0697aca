package tables

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"testing"

	"simsearch/hamming"
)

// blockShapes are bits, G and g: published ones, odd G that do not divide the bits, and one table.
var blockShapes = [][3]int{
	{64, 4, 1}, {64, 5, 2}, {64, 6, 3}, {64, 3, 2}, {64, 7, 4}, {64, 9, 8}, {64, 11, 10}, {64, 5, 5}, {64, 2, 1},
	{32, 4, 1}, {32, 5, 3}, {32, 7, 5}, {32, 3, 1}, {20, 7, 3}, {9, 4, 2},
}

// A sortedList is a table as the paper has it: permuted fingerprints in ascending order, and nothing else.
type sortedList struct {
	perm    Permutation
	entries []uint64
}

// sortedLists returns the tables of a design.
func sortedLists(values []uint64, d Design) (lists []sortedList) {
	for _, p := range d.Permutations() {
		l := sortedList{p, make([]uint64, len(values))}
		p.ApplyAll(l.entries, values)
		slices.Sort(l.entries)
		lists = append(lists, l)
	}
	return lists
}

// near returns the values within distance k of q that have its header, and how many have it. A binary search finds
// the first, and a walk the others.
func (l sortedList) near(q uint64, k int) (found []uint64, compared int) {
	permuted, tail := l.perm.Apply(q), l.perm.Width()-l.perm.HeaderBits()
	first := sort.Search(len(l.entries), func(i int) bool { return l.entries[i]>>tail >= permuted>>tail })
	for _, x := range l.entries[first:] {
		if x>>tail != permuted>>tail {
			break
		}
		if compared++; hamming.Distance(x, permuted) <= k {
			found = append(found, l.perm.invert(x))
		}
	}
	return found, compared
}

// Tables of all choices of blocks answer as the scan does, for every k that equal headers find and beyond it. Within
// that, they look up the header of a query in each table, as binary search in sorted lists does.
func TestBlocksEqualTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, s := range blockShapes {
		d := newDesign(t, s)
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

// checkByHand compares answers within the exact distance, and their work, with those of sorted lists. Of an entry
// that is compared in vain the header differs behind the bits of the directory.
func checkByHand(t *testing.T, tb *Tables, qs []uint64, k int, what string) {
	t.Helper()
	if len(tb.values) == 0 || k > tb.design.exact {
		return
	}
	lists := sortedLists(tb.values, tb.design)
	for _, q := range qs {
		var got Stats
		ms, err := tb.NearStats(nil, q, k, &got)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		with, most := 0, 0
		for i, l := range lists {
			if tb.way(k).radii[i] < 0 {
				continue
			}
			found, compared := l.near(q, k)
			want, with = append(want, found...), with+compared
			for _, x := range l.entries {
				if (x^l.perm.Apply(q))>>tb.tables[i].dir.Shift == 0 {
					most++
				}
			}
		}
		slices.Sort(want)
		var found []uint64
		for _, m := range ms {
			found = append(found, tb.values[m.Index])
		}
		slices.Sort(found)
		if want = slices.Compact(want); !slices.Equal(found, want) {
			t.Fatalf("%v, %s, q = %#x, k = %d: found %x, want %x", tb.design, what, q, k, found, want)
		}
		if got.Scans == 0 && (got.Compared < int64(with) || got.Compared > int64(most)) {
			t.Fatalf("%v, %s, q = %#x, k = %d: %+v, of %d entries with the header, %d with its first bits", tb.design, what, q, k, got, with, most)
		}
	}
}

// Where the bits of the directory lead to many entries, the binary search goes on: the entries with the whole header
// are compared, alone and in batches.
func TestBinarySearchBehindTheDirectory(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := make([]uint64, 1<<14)
	for i := range values { // the highest 16 bits of four blocks are nearly constant
		values[i] = rng.Uint64() & 0x0003_ffff_0003_ffff
	}
	values = distinct(values)
	d := newDesign(t, [3]int{64, 4, 2})
	built := Build(values, d)
	loaded, _ := reload(t, values, d, 2)
	for _, tb := range []*Tables{built, loaded} {
		forceTables(tb, 2)
		qs := queries(rng, values, 64, 200)
		var one, batch Stats
		for _, q := range qs {
			want := 0
			for _, l := range sortedLists(values, d) {
				_, compared := l.near(q, 2)
				want += compared
			}
			var stats Stats
			if _, err := tb.NearStats(nil, q, 2, &stats); err != nil {
				t.Fatal(err)
			}
			if stats.Scans == 0 && stats.Compared > int64(want)+int64(len(d.Permutations())*longRun) {
				t.Errorf("%+v, want at most %d entries and those of short runs", stats, want)
			}
			one.Add(stats)
		}
		checkAnswers(t, tb, qs, 2, "nearly constant blocks")
		if err := tb.NearBatchStats(qs, 2, &batch, func(int, []hamming.Match) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if one.Steps == 0 || batch.Steps == 0 || one.Scans+batch.Scans > int64(len(qs)) {
			t.Errorf("%+v, %+v in a batch: the test does not reach what it means to", one, batch)
		}
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
		newDesign(t, [3]int{64, 4, 1}), newDesign(t, [3]int{64, 5, 2}), newDesign(t, [3]int{64, 6, 3}),
		Choose(64, len(values), 3, 0).Design,
	} {
		tb := Build(values, d)
		var stats Stats
		const n = 3000
		for range n {
			if _, err := tb.NearStats(nil, rng.Uint64(), 3, &stats); err != nil {
				t.Fatal(err)
			}
		}
		lookUps, compared := workOf(len(values), tb.way(3).radii, func(i int) int { return tb.tables[i].dir.Bits })
		probes, explained := float64(stats.LookUps), tb.Explain(3)
		if stats.Scans > 0 || probes != n*lookUps || lookUps != float64(len(d.Permutations())) ||
			!strings.Contains(explained, fmt.Sprintf("%.0f headers,", lookUps)) || !strings.HasSuffix(explained, fmt.Sprintf(" %.3g fingerprints", compared)) {
			t.Errorf("%v: %+v, explained as %s", d, stats, explained)
		}
		for _, promised := range []float64{d.EntriesAProbe(len(values)) * probes, compared * n} {
			if got := float64(stats.Compared); math.Abs(got-promised) > 5*math.Sqrt(promised+1) {
				t.Errorf("%v: %v entries compared by %v look-ups, %v promised", d, got, probes, promised)
			}
		}
	}
}

// The fast tables answer as the plain ones do, which are those of the paper, for every k that these find by equal
// headers.
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
			plain := Build(values, newDesign(t, s))
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

func TestBlocksRefused(t *testing.T) {
	for _, s := range [][3]int{{0, 1, 1}, {65, 4, 1}, {64, 0, 1}, {64, 65, 1}, {64, 4, 0}, {64, 4, 5}, {32, 33, 1}} {
		if d, err := NewDesign(s[0], s[1], s[2]); err == nil {
			t.Errorf("NewDesign%v gave %v, want an error", s, d)
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
		_, err := NewDesign(tt.s[0], tt.s[1], tt.s[2])
		if many := (*tooManyTables)(nil); !errors.As(err, &many) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NewDesign%v: %v, want %q", tt.s, err, tt.want)
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
					found = found || bits.OnesCount64(diff&tb.way(k).masks[i]) <= int(r)
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
	}{{[3]int{64, 4, 1}, 1 << 20, 16}, {[3]int{64, 4, 2}, 1 << 20, 1}, {[3]int{32, 3, 1}, 1 << 11, (1 + 1 + 2) / 3.0}} {
		if got := newDesign(t, tt.s).EntriesAProbe(tt.n); got != tt.want {
			t.Errorf("%v: %v entries a probe among %d, want %v", tt.s, got, tt.n, tt.want)
		}
	}
}

func ExampleNewDesign() {
	d, _ := NewDesign(64, 6, 3)
	fmt.Println(d)
	// Output:
	// all choices of g = 3 of G = 6 blocks: 20 tables, headers of 31 to 33 bits, exact to distance 3
}

// A design that has other headers than all choices of blocks does not say that it has them.
func TestBlocksOfADesign(t *testing.T) {
	for _, s := range blockShapes {
		d := newDesign(t, s)
		again, err := FromHeaders(d.Width(), d.Exact(), d.Headers())
		if blocks, g, ok := again.Blocks(); err != nil || !ok || len(again.Permutations()) != len(d.Permutations()) || blocks-g != s[1]-s[2] {
			t.Errorf("%v: %d of %d blocks, %v, %v", s, g, blocks, ok, err)
		}
	}
	covering := Choose(64, 10_000_000, 3, 0).Design
	if blocks, g, ok := covering.Blocks(); ok {
		t.Errorf("%v has all choices of %d of %d blocks", covering, g, blocks)
	}
}

// FuzzBlocks compares any choice of blocks with the scan.
func FuzzBlocks(f *testing.F) {
	f.Add(uint8(64), uint8(6), uint8(3), uint8(3), uint64(5), []byte("some fingerprints of eight bytes each, and so on"))
	f.Add(uint8(32), uint8(5), uint8(2), uint8(6), uint64(1<<31), []byte("aaaaaaaaaaaaaaabaaaaaaacaaaaaaad"))
	f.Add(uint8(7), uint8(7), uint8(7), uint8(0), uint64(0), []byte{})
	f.Fuzz(func(t *testing.T, width, blocks, chosen, k uint8, q uint64, data []byte) {
		d, err := NewDesign(int(width), int(blocks), int(chosen))
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
