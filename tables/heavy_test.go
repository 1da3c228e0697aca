package tables

import (
	"slices"
	"sync"
	"testing"

	"simsearch/hamming"
)

// boilerplate returns values of which many share the header of some tables: they differ in one quarter
// of their bits, or in two quarters, or half of the values share half of their bits.
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

// Heavy runs are searched by tables of their own, with the same answers: for single queries and batches,
// before and after the tables are made, and from several goroutines.
func TestHeavyRunsEqualTheScan(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for name, values := range boilerplate(t, 20_000) {
		for _, k := range []int{0, 3, 6} {
			tb := Build(values, Choose(64, len(values), 3, 0).Design)
			tb.tuning.patience = 2
			tb.way(k).scan, tb.way(k).scanShared = false, false
			qs := queries(rng, values, 64, 150)
			for _, q := range qs[:50] {
				got, err := tb.Near(nil, q, k)
				if w := want(values, q, k); err != nil || !slices.Equal(got, w) {
					t.Fatalf("%s, k = %d, q = %#x: %v\n got %v\nwant %v", name, k, q, err, got, w)
				}
			}
			made, _ := heavyTables(tb)
			if made == 0 && k == 3 && name != "one quarter varies" { // in the other cases comparing is as fast
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

// heavyTables returns the number of heavy runs of tb that have tables, and the bytes of these.
func heavyTables(tb *Tables) (made int, bytes int64) {
	for i := range tb.heavy {
		for _, r := range tb.heavy[i].runs {
			if sub := r.tables.Load(); sub != nil {
				n, more := heavyTables(sub.tables)
				made += 1 + n
				bytes += int64(sub.tables.Bytes()+4*len(sub.order)) + more
			}
		}
	}
	return made, bytes
}

// The tables of heavy runs stay within their budget and are counted. The answers do not depend on it.
func TestHeavyBudget(t *testing.T) {
	t.Parallel()
	values := boilerplate(t, 20_000)["two quarters vary"]
	qs := queries(newRand(t), values, 64, 100)
	tb := Build(values, Choose(64, len(values), 3, 0).Design)
	tb.tuning.patience = 2
	tb.way(3).scan, tb.way(3).scanShared = false, false
	before := 0
	ask := func(budget int64) (made int) {
		t.Helper()
		tb.SetHeavyBudget(budget)
		for _, q := range qs {
			got, err := tb.Near(nil, q, 3)
			if w := want(values, q, 3); err != nil || !slices.Equal(got, w) {
				t.Fatalf("budget %d, q = %#x: %v\n got %v\nwant %v", budget, q, err, got, w)
			}
		}
		made, bytes := heavyTables(tb)
		if got := tb.HeavyBytes(); got != bytes {
			t.Errorf("budget %d: %d bytes counted, %d in use", budget, got, bytes)
		}
		if made == before && bytes > 0 {
			return made // what was made before is kept
		}
		if bytes > budget {
			t.Errorf("budget %d: %d bytes in use", budget, bytes)
		}
		before = made
		return made
	}
	if made := ask(0); made != 0 {
		t.Errorf("%d runs have tables without a budget", made)
	}
	one := int64(20_000 * 50)
	few := ask(one)
	if few == 0 {
		t.Errorf("no run has tables within %d bytes", one)
	}
	if made := ask(-1); made != few {
		t.Errorf("%d runs have tables, want the %d that there were", made, few)
	}
	if made := ask(minHeavyBudget); made <= few {
		t.Errorf("%d runs have tables within the default budget, %d within %d bytes", made, few, one)
	}
}
