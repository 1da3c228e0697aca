package minhash

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The example of permuted rows: elements a to e are 0 to 4, and the order of the rows is b, e, a, d, c.
func TestGoldenPermutedRows(t *testing.T) {
	t.Parallel()
	order := []uint64{'b', 'e', 'a', 'd', 'c'}
	rank := func(x uint64) uint64 { return uint64(slices.Index(order, x)) }
	s := &independent{fs: []func(uint64) uint64{rank}}
	for set, want := range map[string]uint64{"ad": 'a', "c": 'c', "bde": 'b', "acd": 'a'} {
		var elements []uint64
		for _, c := range set {
			elements = append(elements, uint64(c))
		}
		if got := s.Sketch(nil, elements); len(got) != 1 || order[got[0]] != want {
			t.Errorf("{%s}: rank %v, want that of %c", set, got, rune(want))
		}
	}
}

// The example of the types of rows: a row is in both columns, in one of them, or in none. Rows of the last
// type change no sketch, under any permutation. The share of all permutations under which the sketches of
// the columns agree is their Jaccard similarity, 2/5.
func TestGoldenTypesOfRows(t *testing.T) {
	t.Parallel()
	rows := []string{"00", "10", "11", "01", "10", "00", "11"}
	column := func(i int, from []int) (set []uint64) {
		for _, row := range from {
			if rows[row][i] == '1' {
				set = append(set, uint64(row))
			}
		}
		return set
	}
	count := map[string]int{}
	var all, some []int
	for i, row := range rows {
		count[row]++
		all = append(all, i)
		if row != "00" {
			some = append(some, i)
		}
	}
	if a, b := count["11"], count["10"]+count["01"]; a != 2 || b != 3 || count["00"] != 2 {
		t.Fatalf("%v: want two rows in both columns, three in one, two in none", count)
	}
	agree, permutations := 0, 0
	permute(len(rows), func(rank []int) {
		s := &independent{fs: []func(uint64) uint64{func(x uint64) uint64 { return uint64(rank[x]) }}}
		x, y := s.Sketch(nil, column(0, all)), s.Sketch(nil, column(1, all))
		if !slices.Equal(x, s.Sketch(nil, column(0, some))) || !slices.Equal(y, s.Sketch(nil, column(1, some))) {
			t.Fatalf("%v: rows that are in no column change a sketch", rank)
		}
		if permutations++; s.Jaccard(x, y) == 1 {
			agree++
		}
	})
	if permutations != 5040 || agree*5 != permutations*2 {
		t.Errorf("%d of %d permutations agree, want 2/5", agree, permutations)
	}
}

// permute calls do with all permutations of 0 to n-1.
func permute(n int, do func([]int)) {
	p := make([]int, 0, n)
	var extend func()
	extend = func() {
		if len(p) == n {
			do(p)
			return
		}
		for x := range n {
			if !slices.Contains(p, x) {
				p = append(p, x)
				extend()
				p = p[:len(p)-1]
			}
		}
	}
	extend()
}

// agreeAsSets is the reference of the estimate of bottomK: of the k least values of the union of two
// sketches, the share that is in both.
func agreeAsSets(a, b []uint64, k int) float64 {
	union := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	union = union[:min(k, len(union))]
	both := 0
	for _, v := range union {
		if slices.Contains(a, v) && slices.Contains(b, v) {
			both++
		}
	}
	return float64(both) / float64(len(union))
}

func TestBottomKEstimate(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 1))
	for trial := range 500 {
		s := newBottomK(1+r.IntN(60), uint64(trial))
		var sets [2][]uint64
		for i := range sets {
			for range 1 + r.IntN(100) {
				sets[i] = append(sets[i], uint64(r.IntN(120)))
			}
		}
		a, b := s.Sketch(nil, sets[0]), s.Sketch(nil, sets[1])
		if got, want := s.Jaccard(a, b), agreeAsSets(a, b, s.k); got != want {
			t.Fatalf("trial %d: %v, want %v", trial, got, want)
		}
	}
}

func TestBandable(t *testing.T) {
	t.Parallel()
	for _, v := range Variants() {
		a := v.New(16, 1).Sketch(nil, []uint64{1, 2, 3})
		if got := len(a) == 16; got != v.Bandable() {
			t.Errorf("%v: a set of three has %d positions, bandable: %v", v, len(a), v.Bandable())
		}
	}
	if Variant(0).String() != "none" {
		t.Errorf("no variant is %q", Variant(0).String())
	}
}
