package tables

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/tests/testkit"
)

// Every covering, found or constructed, has any k blocks in one of its sets. All sets of k blocks are
// tried, for the spaces up to PG(5, 2) and AG(5, 2).
func TestCoveringsCover(t *testing.T) {
	all := slices.Clone(coverings)
	for k := 2; k <= 5; k++ {
		if k < 5 || testkit.IsLong() {
			all = append(all, projective(k))
		}
		all = append(all, affine(k))
	}
	for _, c := range all {
		blocks := make([]int, c.K)
		var walk func(from, depth int, chosen uint64)
		walk = func(from, depth int, chosen uint64) {
			if depth == c.K {
				if !slices.ContainsFunc(c.DontCare, func(s uint64) bool { return chosen&^s == 0 }) {
					t.Fatalf("k = %d, %d blocks, %d sets: blocks %v lie in no set", c.K, c.Blocks, len(c.DontCare), blocks)
				}
				return
			}
			for b := from; b < c.Blocks; b++ {
				blocks[depth] = b
				walk(b+1, depth+1, chosen|1<<b)
			}
		}
		walk(0, 0, 0)
	}
}

// AG(6, 2) has 75 million sets of six points, too many to try all: a hundred thousand random ones are
// tried.
func TestLargestAffineSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	c := affine(6)
	if len(c.DontCare) != 126 || c.Blocks != 64 {
		t.Fatalf("%d sets of %d blocks, want 126 of 64", len(c.DontCare), c.Blocks)
	}
	for range 100_000 {
		var chosen uint64
		for range 6 {
			chosen |= 1 << rng.IntN(64)
		}
		if !slices.ContainsFunc(c.DontCare, func(s uint64) bool { return chosen&^s == 0 }) {
			t.Fatalf("blocks %b lie in no hyperplane", chosen)
		}
	}
}
