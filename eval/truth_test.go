package eval

import (
	"slices"
	"testing"

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
		addRates(s, "rates", "k", []int{0, 1}, 1, counts)
		for level, row := range s.Tables[0].Rows {
			found, right := want[level][1].(int), 1+level
			if !slices.Equal(row[:4], want[level]) || row[4] != any(truth.NewRate(right, found)) {
				t.Errorf("complete: %v: %v, want %v", complete, row, want[level])
			}
		}
	}
}
