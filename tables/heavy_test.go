package tables

import (
	"slices"
	"sync"
	"testing"

	"simsearch/hamming"
)

// boilerplate returns values of which many share a header of every table: all but one
// quarter of the bits, or all but two, or half of the values share half of the bits.
func boilerplate(t testing.TB, n int) map[string][]uint64 {
	rng := newRand(t)
	out := map[string][]uint64{}
	for name, vary := range map[string]uint64{
		"one quarter varies":  0x0000_0000_ffff_0000,
		"two quarters vary":   0xffff_0000_0000_ffff,
		"half of them shared": 0,
	} {
		values := make([]uint64, n)
		for i := range values {
			switch {
			case vary != 0:
				values[i] = rng.Uint64()&vary | 0x1234_5678_9abc_def0&^vary
			case i%2 == 0:
				values[i] = rng.Uint64()
			default:
				values[i] = rng.Uint64()&0xffff_ffff | 0x1234_5678<<32
			}
			if i%10 == 9 {
				values[i] = flip(rng, values[i-1], 64, 1+rng.IntN(4))
			}
		}
		out[name] = distinct(values)
	}
	return out
}

// Heavy runs are answered by tables of their own, and alike: asked once or in batches,
// before the tables are made and after, by many at once.
func TestHeavyRunsEqualTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range boilerplate(t, 20_000) {
		for _, k := range []int{0, 3, 6} {
			tb := Build(values, Choose(64, len(values), 3, 0).Design)
			tb.tuning.patience = 2
			tb.ways[k].scan = false
			qs := queries(rng, values, 64, 150)
			for _, q := range qs[:50] {
				got, err := tb.Near(nil, q, k)
				if w := want(values, q, k); err != nil || !slices.Equal(got, w) {
					t.Fatalf("%s, k = %d, q = %#x: %v\n got %v\nwant %v", name, k, q, err, got, w)
				}
			}
			made := 0
			for i := range tb.heavy {
				if runs := tb.heavy[i].runs.Load(); runs != nil {
					for _, r := range *runs {
						if r.tables.Load() != nil {
							made++
						}
					}
				}
			}
			if made == 0 && k == 3 && name != "one quarter varies" { // there, and at 6, comparing is as fast
				t.Errorf("%s, k = %d: no run has tables of its own: the test does not reach what it means to", name, k)
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					err := tb.NearBatch(qs, k, func(i int, got []hamming.Match) error {
						if w := want(values, qs[i], k); !slices.Equal(got, w) {
							t.Errorf("%s, k = %d, batched q = %#x:\n got %v\nwant %v", name, k, qs[i], got, w)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
		}
	}
}
