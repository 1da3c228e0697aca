package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/tables"
)

// Random permutations miss as many pairs as expected, and rotations of three of six blocks those whose
// three differing bits leave no three blocks in a row.
func TestPairsThatLayoutsMiss(t *testing.T) {
	const n, width, k = 4000, 64, 3
	r := rand.New(rand.NewPCG(3, 9))
	var values []uint64
	for range n {
		x := r.Uint64()
		y := x
		for _, b := range r.Perm(width)[:k] {
			y ^= 1 << b
		}
		values = append(values, x, y)
	}
	slices.Sort(values)
	missed := func(d tables.Design, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		got, err := pairsBy(t.Context(), values, d, k)
		if err != nil || len(got) > n {
			t.Fatalf("%d pairs of %d, %v", len(got), n, err)
		}
		return 1 - float64(len(got))/n
	}
	for _, headerBits := range []int{16, 32} {
		for _, permutations := range []int{1, 4, 16} {
			const draws = 30 // of permutations, which overlap more or less
			got, want := 0.0, missExpected(width, headerBits, permutations, k)
			for range draws {
				got += missed(randomPermutations(r, width, headerBits, permutations, k)) / draws
			}
			if math.Abs(got-want) > 0.05*want+0.01 {
				t.Errorf("%d permutations, headers of %d bits: missed are %.3f, want %.3f", permutations, headerBits, got, want)
			}
		}
	}
	rotated, err := rotatedBlocks(width, 6, 3, k)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0 // the share of triples of bits that are outside of no header
	for a := range width {
		for b := range a {
			for c := range b {
				hit := false
				for _, h := range rotated.Headers() {
					hit = hit || h&(1<<a|1<<b|1<<c) == 0
				}
				if !hit {
					want += 1.0 / (64 * 63 * 62 / 6)
				}
			}
		}
	}
	if got := missed(rotated, nil); math.Abs(got-want) > 0.03 {
		t.Errorf("rotations: missed are %.3f, want %.3f", got, want)
	}
	if got := missed(rotatedBlocks(width, 4, 1, k)); got != 0 {
		t.Errorf("rotations of single blocks: missed are %.3f", got)
	}
}
