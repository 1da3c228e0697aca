package tables

import (
	"slices"
	"sync"
	"testing"
)

// What is measured changes the way to an answer, and no answer. Searches at a time measure once.
func TestMeasuredCostsKeepTheAnswers(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range collections(rng, 64, 5000) {
		tb := Build(values, Choose(64, len(values), 3, 0).Design)
		tb.tuning.measureFrom = 1
		qs := queries(rng, values, 64, 10)
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				for _, q := range qs {
					for _, k := range []int{3, 4, 6, 8, 12, 20, 64} {
						got, err := tb.Near(nil, q, k)
						if w := want(values, q, k); err != nil || !slices.Equal(got, w) {
							t.Errorf("%s, q = %#x, k = %d: %v\n got %v\nwant %v", name, q, k, err, got, w)
							return
						}
					}
				}
			})
		}
		wait.Wait()
		if len(values) > 0 && tb.measured == nil {
			t.Errorf("%s: nothing was measured", name)
		}
	}
}
