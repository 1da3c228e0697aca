package tables

import (
	"math/bits"
	"testing"

	"simsearch/hamming"
)

// wantStats returns the work of a query that looks up headers, by the definition.
func wantStats(tb *Tables, q uint64, k int) Stats {
	s := Stats{Queries: 1}
	for i := range tb.tables {
		dir, perm := &tb.tables[i].dir, tb.tables[i].perm
		r := int(tb.way(k).radii[i])
		s.LookUps += int64(ball(dir.Bits, r))
		near, equal := int64(0), int64(0) // entries by the bits of the directory, and those with the whole header
		for _, x := range tb.values {
			if bits.OnesCount64((perm.Apply(x)^perm.Apply(q))>>dir.Shift) <= r {
				near++
			}
			if (x^q)&perm.Header() == 0 {
				equal++
			}
		}
		if k <= tb.design.exact && near > longRun {
			near = equal
		}
		s.Compared += near
	}
	return s
}

func TestStats(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := collections(rng, 64, 20_000)["planted"]
	qs := queries(rng, values, 64, 100)
	tb := Build(values, newDesign(t, [3]int{64, 5, 2}))
	tb.prices = prices{} // no search gives up
	for k, scans := range map[int]bool{0: false, 2: false, 3: false, 4: false, 64: true} {
		tb.way(k).scan, tb.way(k).scanShared = scans, scans
		var one, batch, want Stats
		for _, q := range qs {
			if _, err := tb.NearStats(nil, q, k, &one); err != nil {
				t.Fatal(err)
			}
			if scans {
				want.Add(Stats{Queries: 1, Compared: int64(len(values)), Scans: 1})
			} else {
				want.Add(wantStats(tb, q, k))
			}
		}
		if err := tb.NearBatchStats(qs, k, &batch, func(int, []hamming.Match) error { return nil }); err != nil {
			t.Fatal(err)
		}
		one.Steps, batch.Steps = 0, 0
		if one != want || batch != want {
			t.Errorf("k = %d: %+v one at a time, %+v in a batch, want %+v", k, one, batch, want)
		}
	}
}

// A heavy run counts as the entries that are compared: all of them, or those its tables lead to.
func TestStatsOfHeavyRuns(t *testing.T) {
	t.Parallel()
	values := boilerplate(t, 20_000)["two quarters vary"]
	tb := Build(values, Choose(64, len(values), 3, 0).Design)
	tb.way(3).scan, tb.prices = false, prices{scan: 1 << 20, shared: 1 << 20} // a scan is so dear that no search gives up
	qs := queries(newRand(t), values, 64, 100)
	compared := func(patience int) int64 {
		tb.tuning.patience = patience
		var one, batch Stats
		for range 2 { // the first makes the tables
			one, batch = Stats{}, Stats{}
			for _, q := range qs {
				if _, err := tb.NearStats(nil, q, 3, &one); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := tb.NearBatchStats(qs, 3, &batch, func(int, []hamming.Match) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if one.Compared != batch.Compared {
			t.Errorf("patience %d: %d compared one at a time, %d in a batch", patience, one.Compared, batch.Compared)
		}
		return one.Compared
	}
	all := compared(1 << 30)
	want := int64(0)
	for _, q := range qs {
		want += wantStats(tb, q, 3).Compared
	}
	if all != want {
		t.Errorf("%d compared without tables of heavy runs, want %d", all, want)
	}
	if few := compared(1); few > all/10 {
		t.Errorf("%d compared with tables of heavy runs, %d without", few, all)
	}
}
