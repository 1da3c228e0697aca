package tables

import (
	"flag"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/tests/testkit"
)

var longQueries = flag.Int("queries", 250_000, "number of queries of TestManyQueries; at length 100000000")

// TestManyQueries compares the answers of a million queries with the linear scan, for all collections,
// many designs and distances, single queries and batches, and loaded tables.
func TestManyQueries(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	total := *longQueries
	if !testkit.IsLong() {
		total /= 50
	}
	const n, perRound = 2000, 2000
	answered := 0
	for round := 0; answered < total; round++ {
		for name, values := range collections(rng, 64, n) {
			k := rng.IntN(13)
			tb := Build(values, Choose(64, len(values)*1000, k, 0).Design)
			if round%2 == 1 {
				tb, _ = reload(t, values, tb.Design(), 2)
			}
			forceTables(tb, k)
			qs := queries(rng, values, 64, perRound)
			err := tb.NearBatch(qs, k, func(i int, got []hamming.Match) error {
				if w := want(values, qs[i], k); !slices.Equal(got, w) {
					t.Fatalf("%s, %v, q = %#x, k = %d:\n got %v\nwant %v", name, tb.Design(), qs[i], k, got, w)
				}
				answered++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			q := qs[rng.IntN(len(qs))]
			got, err := tb.Near(nil, q, k)
			if w := want(values, q, k); err != nil || !slices.Equal(got, w) {
				t.Fatalf("%s, %v, one query %#x, k = %d: %v, %v, want %v", name, tb.Design(), q, k, got, err, w)
			}
		}
	}
	t.Logf("%d queries", answered)
}

// forceTables makes queries within k look up headers rather than scan, unless there are thousands of
// headers.
func forceTables(t *Tables, k int) {
	lookUps := 0.0
	for i, r := range t.way(k).radii {
		lookUps += ball(t.tables[i].dir.Bits, int(r))
	}
	if len(t.Values()) > 1 && lookUps < 3000 {
		t.way(k).scan, t.way(k).scanShared = false, false
	}
}
