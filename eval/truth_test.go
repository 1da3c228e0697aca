package eval

import (
	"slices"
	"testing"

	"simsearch/internal/truth"
)

// Where labels judge some pairs alone, the others that are found count for nothing.
func TestRatesOfJudgedPairs(t *testing.T) {
	near := [][2]uint32{{0, 1}, {2, 3}, {4, 5}}
	pairs := func(yield func(a, b uint32) bool) {
		for _, p := range near {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
	found, judged := []int{3, 50}, []int{2, 7}
	for _, labels := range []bool{false, true} {
		s, of := &Section{}, found
		if labels {
			of = judged
		}
		by := reference{name: "by their labels", short: "labels", near: len(near), others: 100, pairs: pairs, labels: labels}
		addRates(s, "rates", "k", []reference{by}, []int{0, 1}, found, judged, func(right []int, a, _ uint32) { // the first pair is at level 0
			for level := range right {
				if int(a) <= 4*level {
					right[level]++
				}
			}
		})
		for level, row := range s.Tables[0].Rows {
			right := 1 + 2*level
			if want := []any{level, of[level], of[level] - right, len(near) - right}; !slices.Equal(row[:4], want) || row[4] != any(truth.NewRate(right, of[level])) {
				t.Errorf("labels: %v: %v, want %v", labels, row, want)
			}
		}
	}
}
