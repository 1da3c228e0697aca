package tables

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// designs returns the designs of the tests: some of all combinations of blocks, with 1 to 35 tables, and
// all small coverings for distances 2 to 5.
func designs(t testing.TB) []Design {
	t.Helper()
	var out []Design
	for _, s := range [][3]int{
		{64, 4, 1}, {64, 6, 3}, {64, 7, 4}, {64, 1, 1}, {64, 3, 3}, {32, 4, 1}, {32, 6, 3}, {20, 5, 2}, {9, 4, 2},
	} {
		out = append(out, newDesign(t, s))
	}
	out = append(out, newDense(t, [3]int{52, 4, 1}, 14), newDense(t, [3]int{48, 3, 1}, 16), newDense(t, [3]int{44, 4, 1}, 12), newDense(t, [3]int{40, 5, 1}, 8))
	n := 0
	for k := 2; k <= 5; k++ {
		catalogue(64, k, 12, func(s shape) bool {
			if n++; testkit.IsLong() || n%4 == 0 {
				out = append(out, s.Build())
			}
			return true
		})
	}
	return out
}

func newDesign(t testing.TB, s [3]int) Design {
	t.Helper()
	d, err := NewDesign(s[0], s[1], s[2])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// newDense returns a design of dense tables with slots of so many bits.
func newDense(t testing.TB, s [3]int, slots int) Design {
	t.Helper()
	d, ok := newDesign(t, s).dense(slots)
	if !ok {
		t.Fatalf("%v has no dense tables with slots of %d bits", d, slots)
	}
	return d
}

// built returns the tables of a design. Dense ones are written and loaded.
func built(t testing.TB, values []uint64, d Design) *Tables {
	if !d.IsDense() {
		return Build(values, d)
	}
	tb, _ := reload(t, values, d, 2)
	return tb
}

// want returns the matches of the linear scan in the order that Near promises.
func want(values []uint64, q uint64, k int) []hamming.Match {
	ms := hamming.Scan(nil, values, q, k)
	slices.SortStableFunc(ms, func(a, b hamming.Match) int { return int(a.Distance) - int(b.Distance) })
	return ms
}

func TestNearEqualsTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, d := range designs(t) {
		for name, values := range collections(rng, d.Width(), 600) {
			tb := built(t, values, d)
			for _, q := range queries(rng, values, d.Width(), 20) {
				for _, k := range []int{-1, 0, 1, 2, 3, 4, 5, 6, 8, 12, 20, d.Width() - 1, d.Width(), 64} {
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

// TestHeadersEqualTheScan looks up headers by lanes even where the scan is cheaper.
func TestHeadersEqualTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, d := range designs(t) {
		for name, values := range collections(rng, d.Width(), 600) {
			tb := built(t, values, d)
			for _, q := range queries(rng, values, d.Width(), 10) {
				for k := 0; k <= d.exact && tb.byLanes(k) && len(values) > 1 && checkWidth(q, d.Width()) == nil; k++ {
					got, err := tb.nearExact(nil, search{q: q, k: k, way: tb.way(k)})
					if errors.Is(err, errScan) {
						continue
					}
					sortMatches(got)
					if w := want(values, q, k); err != nil || !slices.Equal(got, w) {
						t.Fatalf("%v, %s, q = %#x, k = %d:\n got %v, %v\nwant %v", d, name, q, k, got, err, w)
					}
				}
			}
		}
	}
}

// TestProbingEqualsTheScan looks up headers even where the scan is cheaper, for every radius up to the
// number of header bits.
func TestProbingEqualsTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, s := range [][3]int{{9, 4, 2}, {20, 5, 1}, {20, 5, 2}, {32, 8, 1}} {
		d := newDesign(t, s)
		for name, values := range collections(rng, s[0], 300) {
			tb := built(t, values, d)
			for _, q := range queries(rng, values, s[0], 15) {
				for k := 0; k <= s[0]; k++ {
					got, err := tb.nearBeyond(nil, search{q: q, k: k, way: tb.way(k), count: &tally{left: math.MaxInt64}})
					if err != nil {
						t.Fatal(err)
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

// In a larger set, the plan for a distance looks up headers.
func TestNearAtTheSizeOfAPlan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	n := testkit.Of(20_000, 200_000)
	for name, values := range collections(rng, 64, n) {
		tb := Build(values, Choose(64, len(values), 3, 0).Design)
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

// NearBatch answers queries as Near does, and in their order, for every size of a batch and every
// distance.
func TestBatchesEqualSingleQueries(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, d := range designs(t) {
		for name, values := range collections(rng, d.Width(), testkit.Of(200, 500)) {
			tb := built(t, values, d)
			qs := queries(rng, values, d.Width(), 2*batchSize+9)
			wants := map[int][][]hamming.Match{}
			ks := []int{-1, 0, 2, d.Exact(), d.Exact() + 1, 64}
			for _, k := range ks {
				if wants[k] != nil {
					continue
				}
				for _, q := range qs {
					wants[k] = append(wants[k], want(values, q, k))
				}
			}
			for _, n := range []int{0, 1, batchSize - 1, batchSize, batchSize + 1, len(qs)} {
				tb.tuning.sortQueries, tb.tuning.sortValues = batchSize+1, 0
				for _, k := range ks {
					next := 0
					err := tb.NearBatch(qs[:n], k, func(i int, got []hamming.Match) error {
						if w := wants[k][i]; i != next || !slices.Equal(got, w) {
							t.Fatalf("%v, %s, query %d of %d, k = %d:\n got %v\nwant %v", d, name, i, n, k, got, w)
						}
						next++
						return nil
					})
					if err != nil || next != n {
						t.Fatalf("%v, %s: %d of %d queries answered, %v", d, name, next, n, err)
					}
				}
			}
		}
	}
}

// NearBatch keeps at most tuning.keepMatches matches. The answers and their order do not depend on it.
// Chunks become large again where matches are few.
func TestBatchesKeepFewMatches(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := make([]uint64, 0, 3000)
	for i := range 400 { // values within distance 2 or 3 of each other
		values = append(values, 1<<(i%20)^1<<(20+i/20))
	}
	for len(values) < cap(values) {
		values = append(values, rng.Uint64())
	}
	values = distinct(values)
	var qs []uint64
	for i := range 3000 {
		if i/500%2 == 0 || i%97 == 0 {
			qs = append(qs, values[rng.IntN(300)])
		} else {
			qs = append(qs, rng.Uint64())
		}
	}
	tb := Build(values, newDesign(t, [3]int{64, 6, 3}))
	tb.tuning.sortQueries, tb.tuning.sortValues = batchSize+1, 0
	for k := range tb.ways {
		tb.way(k).scan, tb.way(k).scanShared = false, false
	}
	for _, keep := range []int{1, 30, 1000, 50_000} {
		tb.tuning.keepMatches = keep
		b := new(batch)
		next, kept, most, alone := 0, 0, 0, 0
		err := tb.nearChunks(b, qs, 3, func(i int, got []hamming.Match) error {
			if w := want(values, qs[i], 3); i != next || !slices.Equal(got, w) {
				t.Fatalf("keep %d, query %d:\n got %v\nwant %v", keep, i, got, w)
			}
			next++
			kept, most = max(kept, len(b.found)), max(most, len(b.first))
			if len(got) > keep {
				alone++
			}
			return nil
		})
		if err != nil || next != len(qs) {
			t.Fatalf("keep %d: %d of %d queries answered, %v", keep, next, len(qs), err)
		}
		if kept > keep {
			t.Errorf("keep %d: %d matches kept", keep, kept)
		}
		if keep == 50_000 && most < 1000 {
			t.Errorf("at most %d queries together, where a thousand fit", most)
		}
		if (alone > 0) != (keep <= 30) {
			t.Errorf("keep %d: %d queries have more: the test does not reach what it means to", keep, alone)
		}
	}
}

func TestBatchStopsAtAnError(t *testing.T) {
	t.Parallel()
	tb := Build([]uint64{1, 2, 3}, Choose(64, 3, 3, 0).Design)
	enough := errors.New("enough")
	n := 0
	err := tb.NearBatch(make([]uint64, 100), 3, func(int, []hamming.Match) error {
		if n++; n == 70 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 70 {
		t.Errorf("%v after %d queries, want the error of the 70th", err, n)
	}
}

// A search gives up and scans if looking up headers compares more than a scan.
func TestSearchGivesUp(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := boilerplate(t, 20_000)["two quarters vary"]
	tb := Build(values, Choose(64, len(values), 8, 0).Design)
	tb.way(8).scan, tb.way(8).scanShared = false, false
	gaveUp := 0
	for _, q := range queries(rng, values, 64, 50) {
		count := tb.tally(tb.prices.scan * int64(len(values)))
		if _, err := tb.nearBeyond(nil, search{q: q, k: 8, way: tb.way(8), count: &count}); errors.Is(err, errScan) {
			gaveUp++
		}
		got, err := tb.Near(nil, q, 8)
		if w := want(values, q, 8); err != nil || !slices.Equal(got, w) {
			t.Fatalf("q = %#x: %v\n got %v\nwant %v", q, err, got, w)
		}
	}
	if gaveUp == 0 {
		t.Error("no search gave up: the test does not reach what it means to")
	}
}

func TestNearAppendsAndDoesNotAllocate(t *testing.T) {
	rng := newRand(t)
	values := collections(rng, 64, 5000)["planted"]
	tb := Build(values, Choose(64, len(values), 3, 0).Design)
	dst := append(make([]hamming.Match, 0, 100), hamming.Match{Index: 9, Distance: 99})
	dst, err := tb.Near(dst, values[7], 3)
	if err != nil || dst[0].Distance != 99 || !slices.Equal(dst[1:], want(values, values[7], 3)) {
		t.Errorf("Near lost what dst held: %v, %v", dst, err)
	}
	if allocs := testing.AllocsPerRun(100, func() { dst, _ = tb.Near(dst[:0], values[7], 3) }); allocs != 0 {
		t.Errorf("Near allocates %v times a query", allocs)
	}
}

// reload writes tables to a section file and loads them again.
func reload(t testing.TB, values []uint64, d Design, threads int) (*Tables, []byte) {
	t.Helper()
	var buf bytes.Buffer
	w := section.NewWriter(&buf)
	if err := WriteParts(t.Context(), w, values, d, WriteOptions{Threads: threads, Memory: 1 << 12, Disk: disk.OS, TempDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	return Load(f), buf.Bytes()
}

func TestSavedTablesAnswerAlike(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, d := range designs(t) {
		for name, values := range collections(rng, d.Width(), 300) {
			built := built(t, values, d)
			loaded, data := reload(t, values, d, 1)
			if _, parallel := reload(t, values, d, 3); !bytes.Equal(data, parallel) {
				t.Errorf("%v, %s: the bytes depend on the number of threads", d, name)
			}
			if !slices.Equal(loaded.Values(), values) {
				t.Errorf("%v, %s: loaded values differ", d, name)
			}
			for _, q := range queries(rng, values, d.Width(), 10) {
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
	t := Build(values, Choose(64, len(values), 3, 0).Design)
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

// Batches find what a scan finds at every distance, whether headers are sorted or not, in parts of few queries, and
// where some queries or all of them give up.
func TestBatchesBeyondTheExactDistance(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range collections(rng, 64, 1500) {
		if len(values) == 0 {
			continue
		}
		for _, design := range [][3]int{{64, 4, 1}, {64, 5, 1}, {64, 5, 2}} {
			tb := Build(values, newDesign(t, design))
			qs := queries(rng, values, 64, 2*batchSize+5)
			for _, k := range []int{1, 4, 10, 13, 40} {
				var wants [][]hamming.Match
				for _, q := range qs {
					wants = append(wants, want(values, q, k))
				}
				tb.way(k).scan, tb.way(k).scanShared = k > 13, k > 10
				for _, tune := range []struct {
					sortQueries, headers int
					shared               int64 // what a query may take, in picoseconds for each value
				}{{1, 1 << 19, 1 << 30}, {1 << 30, 1 << 19, 1 << 30}, {1, 1 << 10, 1 << 30}, {1, 1 << 10, 200}, {1 << 30, 1 << 19, 40}, {1, 1 << 19, 0}} {
					tb.tuning.sortQueries, tb.tuning.sortValues, tb.tuning.headers = tune.sortQueries, 0, tune.headers
					tb.prices.shared = tune.shared
					var stats Stats
					err := tb.NearBatchStats(qs, k, &stats, func(i int, got []hamming.Match) error {
						if !slices.Equal(got, wants[i]) {
							t.Fatalf("%s, %v, k = %d, %+v, query %d:\n got %v\nwant %v", name, tb.Design(), k, tune, i, got, wants[i])
						}
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					gaveUp := tune.shared == 0 || k > 10
					if stats.Queries != int64(len(qs)) || gaveUp && stats.Scans != stats.Queries || !gaveUp && tune.shared == 1<<30 && stats.Scans > 0 {
						t.Errorf("%s, %v, k = %d, %+v: %+v", name, tb.Design(), k, tune, stats)
					}
				}
			}
		}
	}
}
