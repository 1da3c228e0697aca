package tables

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Groups of parts that are merged are those of all documents together.
func TestMergedGroupsAreThoseOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, sizes := range [][]int{{}, {0}, {1}, {0, 0}, {5, 0}, {1, 1}, {300, 1, 20}, {40, 0, 500, 3, 77}} {
		var all []uint64
		var documents []uint32
		var parts []Groups
		for _, n := range sizes {
			var fps []uint64
			var docs []uint32
			for range n {
				fps, docs = append(fps, rng.Uint64N(150)), append(docs, uint32(len(all)+len(docs)))
			}
			all, documents = append(all, fps...), append(documents, docs...)
			parts = append(parts, Group(fps, docs))
		}
		want, got := Group(all, documents), MergeGroups(parts)
		if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Ends, want.Ends) || !slices.Equal(got.Member, want.Member) {
			t.Errorf("parts of %v documents: %v, want %v", sizes, got, want)
		}
	}
}
