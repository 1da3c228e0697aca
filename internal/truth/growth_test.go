package truth

import (
	"slices"
	"testing"
)

// Groups grow with the distance, and those of a distance are connected by all pairs within it.
func TestGroupings(t *testing.T) {
	g := NewGrowth(7, 16)
	g.Add(0, 1, 0, true)
	g.Add(2, 3, 2, true)
	g.Add(1, 2, 5, false)
	g.Add(5, 6, 5, true)
	got := g.Groupings()
	want := map[int]Grouping{0: {1, 2, 2}, 1: {1, 2, 2}, 2: {2, 4, 2}, 4: {2, 4, 2}, 5: {2, 6, 4}, 16: {2, 6, 4}}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("within %d bits: %+v, want %+v", k, got[k], w)
		}
	}
	if !slices.Equal(g.Near, []int{0: 1, 2: 1, 5: 1, 16: 0}) || !slices.Equal(g.Apart, []int{5: 1, 16: 0}) {
		t.Errorf("near %v, apart %v", g.Near, g.Apart)
	}
}
