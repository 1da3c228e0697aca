package tables

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/section"
)

// designs are those the tests search with, from one table to thirty-five.
var designs = [][3]int{
	{64, 4, 1}, {64, 5, 2}, {64, 6, 3}, {64, 7, 4}, {64, 1, 1}, {64, 3, 3},
	{32, 4, 1}, {32, 6, 3}, {20, 5, 2}, {9, 4, 2},
}

func newDesign(t testing.TB, s [3]int) hamming.Design {
	t.Helper()
	d, err := hamming.NewDesign(s[0], s[1], s[2])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// want is the answer of the linear scan in the order that Near promises.
func want(values []uint64, q uint64, k int) []hamming.Match {
	ms := hamming.Scan(nil, values, q, k)
	slices.SortStableFunc(ms, func(a, b hamming.Match) int { return int(a.Distance) - int(b.Distance) })
	return ms
}

func TestNearEqualsTheScan(t *testing.T) {
	rng := newRand(t)
	for _, s := range designs {
		d := newDesign(t, s)
		for name, values := range collections(rng, s[0], 600) {
			tb := Build(values, d)
			for _, q := range queries(rng, values, s[0], 40) {
				for _, k := range []int{-1, 0, 1, 2, 3, 4, 5, 6, 8, 12, 20, s[0] - 1, s[0], 64} {
					got, err := tb.Near(nil, q, k)
					if err != nil {
						t.Fatal(err)
					}
					if w := want(values, q, k); !slices.Equal(got, w) {
						t.Fatalf("%v, %s, q = %#x, k = %d:\n got %v\nwant %v", d, name, q, k, got, w)
					}
				}
			}
		}
	}
}

// TestProbingEqualsTheScan goes to the tables even where the scan is cheaper, for
// every radius up to all header bits.
func TestProbingEqualsTheScan(t *testing.T) {
	rng := newRand(t)
	for _, s := range [][3]int{{9, 4, 2}, {20, 5, 1}, {20, 5, 2}, {32, 8, 1}} {
		d := newDesign(t, s)
		for name, values := range collections(rng, s[0], 300) {
			tb := Build(values, d)
			for _, q := range queries(rng, values, s[0], 15) {
				for k := 0; k <= s[0]; k++ {
					var got []hamming.Match
					for i := range tb.tables {
						var err error
						if got, err = tb.nearIn(got, i, q, k, d.Radius(k)); err != nil {
							t.Fatal(err)
						}
					}
					sortMatches(got)
					if w := want(values, q, k); !slices.Equal(got, w) {
						t.Fatalf("%v, %s, q = %#x, k = %d:\n got %v\nwant %v", d, name, q, k, got, w)
					}
				}
			}
		}
	}
}

// A larger set, where the planner's own choice goes to the tables.
func TestNearAtTheSizeOfAPlan(t *testing.T) {
	rng := newRand(t)
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	for name, values := range collections(rng, 64, n) {
		tb := Build(values, hamming.Plan(64, len(values), 3))
		for _, q := range queries(rng, values, 64, 200) {
			for _, k := range []int{0, 3, 4, 6, 9} {
				got, err := tb.Near(nil, q, k)
				if err != nil {
					t.Fatal(err)
				}
				if w := want(values, q, k); !slices.Equal(got, w) {
					t.Fatalf("%s, q = %#x, k = %d: got %d matches, want %d", name, q, k, len(got), len(w))
				}
			}
		}
	}
}

func TestNearAppendsAndDoesNotAllocate(t *testing.T) {
	rng := newRand(t)
	values := collections(rng, 64, 5000)["planted"]
	tb := Build(values, hamming.Plan(64, len(values), 3))
	dst := append(make([]hamming.Match, 0, 100), hamming.Match{Index: 9, Distance: 99})
	dst, err := tb.Near(dst, values[7], 3)
	if err != nil || dst[0].Distance != 99 || !slices.Equal(dst[1:], want(values, values[7], 3)) {
		t.Errorf("Near lost what dst held: %v, %v", dst, err)
	}
	if allocs := testing.AllocsPerRun(100, func() { dst, _ = tb.Near(dst[:0], values[7], 3) }); allocs != 0 {
		t.Errorf("Near allocates %v times a query", allocs)
	}
}

// save and load again through a section file.
func reload(t testing.TB, values []uint64, d hamming.Design, threads int) (*Tables, []byte) {
	t.Helper()
	var buf bytes.Buffer
	w := section.NewWriter(&buf)
	if err := Write(t.Context(), w, values, d, threads); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	tb, err := Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return tb, buf.Bytes()
}

func TestSavedTablesAnswerAlike(t *testing.T) {
	rng := newRand(t)
	for _, s := range designs {
		d := newDesign(t, s)
		for name, values := range collections(rng, s[0], 300) {
			built := Build(values, d)
			loaded, data := reload(t, values, d, 1)
			if _, parallel := reload(t, values, d, 3); !bytes.Equal(data, parallel) {
				t.Errorf("%v, %s: the bytes depend on the number of threads", d, name)
			}
			if !slices.Equal(loaded.Values(), values) {
				t.Errorf("%v, %s: loaded values differ", d, name)
			}
			for _, q := range queries(rng, values, s[0], 20) {
				a, errA := built.Near(nil, q, 3)
				b, errB := loaded.Near(nil, q, 3)
				if errA != nil || errB != nil || !slices.Equal(a, b) {
					t.Fatalf("%v, %s, q = %#x: built %v %v, loaded %v %v", d, name, q, a, errA, b, errB)
				}
			}
		}
	}
}

func ExampleTables_Near() {
	values := []uint64{0x00, 0x01, 0x07, 0xff} // ascending
	t := Build(values, hamming.Plan(64, len(values), 3))
	matches, err := t.Near(nil, 0x03, 1)
	if err != nil {
		panic(err)
	}
	for _, m := range matches {
		fmt.Printf("%02x at distance %d\n", t.Values()[m.Index], m.Distance)
	}
	// Output:
	// 01 at distance 1
	// 07 at distance 1
}
