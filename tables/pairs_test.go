package tables

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/hamming"
)

func allPairs(values []uint64, k int) []Pair {
	var want []Pair
	for a, x := range values {
		for b := a + 1; b < len(values); b++ {
			if d := hamming.Distance(x, values[b]); d <= k {
				want = append(want, Pair{uint32(a), uint32(b), uint8(d)})
			}
		}
	}
	return want
}

func collect(t *testing.T, values []uint64, width, k, threads int) []Pair {
	t.Helper()
	var got []Pair
	if err := Pairs(t.Context(), values, width, k, PairOptions{Threads: threads}, func(p Pair) error { got = append(got, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestPairsEqualComparingAll(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, width := range []int{64, 32, 9} {
		for name, values := range collections(rng, width, 700) {
			for _, k := range []int{-1, 0, 1, 2, 3, 5, 8, 12, width} {
				want := allPairs(values, k)
				for _, threads := range []int{1, 3} {
					if got := collect(t, values, width, k, threads); !slices.Equal(got, want) {
						t.Fatalf("width %d, %s, k = %d, %d threads: %d pairs, want %d", width, name, k, threads, len(got), len(want))
					}
				}
			}
		}
	}
}

// TestJoinsEqualComparingAll joins by tables where comparing is cheaper, and has runs that are long
// enough to be joined by tables of their own.
func TestJoinsEqualComparingAll(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, s := range [][3]int{{64, 4, 1}, {64, 6, 3}, {64, 9, 2}, {32, 5, 1}, {16, 4, 1}} {
		d := newDesign(t, s)
		for name, values := range collections(rng, s[0], 900) {
			for k := 0; k <= d.Exact(); k++ {
				var got []Pair
				err := Pairs(t.Context(), values, d.Width(), k, PairOptions{Threads: 2, Design: d}, func(p Pair) error { got = append(got, p); return nil })
				if err != nil {
					t.Fatal(err)
				}
				if want := allPairs(values, k); !slices.Equal(got, want) {
					t.Fatalf("%v, %s, k = %d: %d pairs, want %d", d, name, k, len(got), len(want))
				}
			}
		}
	}
}

// If a large part of all pairs is near, most tables show each of them, and comparing is faster.
func TestDensePairsAreCompared(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	all := collections(rng, 64, 20_000)
	if _, ok := PlanPairs(all["uniform"], 64, 6); !ok {
		t.Error("uniform values are compared each with each")
	}
	dense := make([]uint64, 0, 20_000)
	for range cap(dense) {
		dense = append(dense, rng.Uint64()&0xffff<<20)
	}
	dense = distinct(dense)
	if d, ok := PlanPairs(dense, 64, 6); ok {
		t.Errorf("values that differ in 16 bits alone are joined by %v", d)
	}
}

func TestPairsStop(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := collections(rng, 64, 5000)["planted"]
	enough := errors.New("enough")
	for _, k := range []int{3, 30} { // by tables, by comparing
		n := 0
		err := Pairs(t.Context(), values, 64, k, PairOptions{Threads: 2}, func(Pair) error {
			if n++; n == 10 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || n != 10 {
			t.Errorf("k = %d: %v after %d pairs, want the error of the tenth", k, err, n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Pairs(ctx, values, 64, k, PairOptions{Threads: 2}, func(Pair) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("k = %d: %v, want context.Canceled", k, err)
		}
	}
}

// All pairs come in order, found by tables or by comparing, sorted in memory or by way of files.
func TestPairsInFiles(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range collections(rng, 64, 900) {
		for _, k := range []int{3, 20} {
			want := allPairs(values, k)
			for _, hold := range []int{0, 50} {
				o := PairOptions{Threads: 2, PairsInMemory: hold, TempDir: t.TempDir()}
				byTables := func(yield func(Pair) error) error {
					o := o
					o.Design = newDesign(t, [3]int{64, 4, 1})
					return Pairs(t.Context(), values, 64, 3, o, yield)
				}
				planned := func(yield func(Pair) error) error { return Pairs(t.Context(), values, 64, k, o, yield) }
				for way, join := range map[string]func(func(Pair) error) error{"tables": byTables, "planned": planned} {
					if way == "tables" && k > 3 {
						continue
					}
					var got []Pair
					if err := join(func(p Pair) error { got = append(got, p); return nil }); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s, k = %d, %s, %d held: %d pairs, want %d", name, k, way, hold, len(got), len(want))
					}
				}
			}
		}
	}
}

// If the disk cannot be written to, the join ends with the error and leaves no files.
func TestPairsWithoutADisk(t *testing.T) {
	t.Parallel()
	values := collections(newRand(t), 64, 900)["shared"]
	o := PairOptions{Threads: 2, Design: newDesign(t, [3]int{64, 4, 1}), PairsInMemory: 10, TempDir: filepath.Join(t.TempDir(), "missing")}
	err := Pairs(t.Context(), values, 64, 3, o, func(Pair) error { return nil })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the error of the file system", err)
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, n := range []int{0, 1, 2, 3000} {
		fps, docs := make([]uint64, n), make([]uint32, n)
		byValue := map[uint64][]uint32{}
		for i := range fps {
			fps[i], docs[i] = rng.Uint64N(500)<<33, uint32(3*i)
			byValue[fps[i]] = append(byValue[fps[i]], docs[i])
		}
		g := Group(fps, 1, docs)
		if len(g.Values) != len(byValue) || len(g.Ends) != len(g.Values)+1 || !slices.IsSorted(g.Values) {
			t.Fatalf("n = %d: %d values, %d ends, want %d values", n, len(g.Values), len(g.Ends), len(byValue))
		}
		for i, x := range g.Values {
			if !slices.Equal(g.Members(uint32(i)), byValue[x]) {
				t.Errorf("n = %d: documents of %#x are %v, want %v", n, x, g.Members(uint32(i)), byValue[x])
			}
		}
	}
}
