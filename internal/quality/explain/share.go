package explain

import (
	"cmp"
	"slices"

	"simsearch/fingerprint"
)

// Weights are the weights of a feature in both texts, 0 where it does not occur.
type Weights struct {
	Feature string  `json:"feature"`
	A       float64 `json:"a"`
	B       float64 `json:"b"`
}

// share returns the heaviest features that x and y share, and the features with the largest difference of weights; up
// to top of each.
func share(x, y Features, top int) (heaviest, differing []Weights) {
	weights := func(f string, wx, wy int64) Weights {
		return Weights{f, float64(wx) / fingerprint.WeightOne, float64(wy) / fingerprint.WeightOne}
	}
	for f, wx := range x {
		wy := y[f]
		if wy > 0 {
			heaviest = append(heaviest, weights(f, wx, wy))
		}
		if wx != wy {
			differing = append(differing, weights(f, wx, wy))
		}
	}
	for f, wy := range y {
		if x[f] == 0 {
			differing = append(differing, weights(f, 0, wy))
		}
	}
	return first(heaviest, top, func(w Weights) float64 { return min(w.A, w.B) }),
		first(differing, top, func(w Weights) float64 { return max(w.A-w.B, w.B-w.A) })
}

// first returns up to top features, the heaviest first; equal ones are in the order of their text. It is
// never nil, and sorts ws.
func first(ws []Weights, top int, weight func(Weights) float64) []Weights {
	slices.SortFunc(ws, func(x, y Weights) int {
		return cmp.Or(cmp.Compare(weight(y), weight(x)), cmp.Compare(x.Feature, y.Feature))
	})
	return append([]Weights{}, ws[:min(max(0, top), len(ws))]...)
}
