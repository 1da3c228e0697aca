package eval

import "testing"

// Groups grow with the distance, and those of a distance are connected by all pairs within it.
func TestGroupings(t *testing.T) {
	g := newGrowth(7)
	g.add(0, 1, 0, true)
	g.add(2, 3, 2, true)
	g.add(1, 2, 5, false)
	g.add(5, 6, 5, true)
	got := g.groupings()
	want := map[int]grouping{0: {1, 2, 2}, 1: {1, 2, 2}, 2: {2, 4, 2}, 4: {2, 4, 2}, 5: {2, 6, 4}, 16: {2, 6, 4}}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("within %d bits: %+v, want %+v", k, got[k], w)
		}
	}
	if g.near != [farthest + 1]int{0: 1, 2: 1, 5: 1} || g.apart != [farthest + 1]int{5: 1} {
		t.Errorf("near %v, apart %v", g.near, g.apart)
	}
}
