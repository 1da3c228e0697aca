package eval

import (
	"slices"
	"testing"

	"simsearch/internal/ground/ints"
	"simsearch/internal/quality/truth"
)

// Where labels judge some pairs alone, the others that are found count for nothing.
func TestRatesOfJudgedPairs(t *testing.T) {
	for complete, want := range map[bool][][]any{
		false: {{0, 1, 0, 2}, {1, 3, 1, 1}},
		true:  {{0, 1, 0, 2}, {1, 4, 2, 1}},
	} {
		labels := truth.NewVerdicts([]truth.Pair{{A: 0, B: 1, Jaccard: 1}, {A: 2, B: 3, Jaccard: 1}, {A: 4, B: 5, Jaccard: 1}, {A: 6, B: 7}}, complete)
		s, counts := &Section{}, newTally([]reference{{"by their labels", "labels", &labels, 0.8, 3, 100}}, 2)
		counts.add(0, 1, 0, 2)
		for _, a := range []uint32{2, 6, 8} {
			counts.add(a, a+1, 1, 2)
		}
		addRates(s, "rates", "k", []int{0, 1}, counts)
		for level, row := range s.Tables[0].Rows {
			found, right := want[level][1].(int), 1+level
			if !slices.Equal(row[:4], want[level]) || row[4] != any(truth.NewRate(right, found)) {
				t.Errorf("complete: %v: %v, want %v", complete, row, want[level])
			}
		}
	}
}

// Groups grow with the distance, and those of a distance are connected by all pairs within it.
func TestGroupsGrow(t *testing.T) {
	sets := make([]ints.DisjointSets, 17)
	for k := range sets {
		sets[k] = ints.NewDisjointSets(7)
	}
	connect(sets[5:], 1, 2)
	connect(sets[0:], 0, 1)
	connect(sets[2:], 2, 3)
	connect(sets[5:], 5, 6)
	for k, want := range map[int][3]int{0: {1, 2, 2}, 1: {1, 2, 2}, 2: {2, 4, 2}, 4: {2, 4, 2}, 5: {2, 6, 4}, 16: {2, 6, 4}} {
		groups, grouped, largest := groupsIn(sets[k])
		if got := [3]int{groups, grouped, largest}; got != want {
			t.Errorf("within %d bits: %v, want %v", k, got, want)
		}
	}
}
