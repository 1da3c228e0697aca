package join

import (
	"slices"
	"testing"
)

// A Grouper of known pairs knows those that are near at its threshold, and leaves the list of all as it is.
func TestKnown(t *testing.T) {
	all := []nearPair{{0, 1, 0.6}, {1, 2, 0.8}, {0, 3, 0.7}, {2, 3, 1}}
	known := Known(5, func(add func(a, b uint32, similarity float64)) {
		for _, p := range all {
			add(p.a, p.b, p.near)
		}
	})
	for _, threshold := range []float64{1, 0.75, 0.7, 0.5} {
		g, err := NewGrouper(t.Context(), known, threshold, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got, want []nearPair
		paired := make([]bool, 5)
		for _, p := range all {
			if p.near >= threshold {
				want = append(want, p)
				paired[p.a], paired[p.b] = true, true
			}
		}
		err = g.EachPair(func(a, b uint32, similarity float64) error {
			got = append(got, nearPair{a, b, similarity})
			return nil
		})
		if err != nil || !slices.Equal(got, want) || !slices.Equal(g.Paired(), paired) {
			t.Errorf("at %v: %v (%v), want %v", threshold, got, err, want)
		}
		got, want = nil, slices.DeleteFunc(want, func(p nearPair) bool { return p.a == 0 || p.b == 0 })
		g.Divide([]uint64{7, 9, 9, 9, 7}) // thing 0 is apart from 1, 2 and 3
		err = g.EachPair(func(a, b uint32, similarity float64) error {
			got = append(got, nearPair{a, b, similarity})
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("at %v, of one class: %v (%v), want %v", threshold, got, err, want)
		}
	}
}
