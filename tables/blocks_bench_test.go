package tables

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"simsearch/hamming"
)

// BenchmarkBlocks compares tables of all choices of blocks with those of the planner, on random
// fingerprints and on clusters of ten within a few bits of one.
func BenchmarkBlocks(b *testing.B) {
	for _, n := range benchSizes(b) {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		clustered := make([]uint64, 0, n)
		for len(clustered) < n {
			x := r.Uint64()
			for range min(10, n-len(clustered)) {
				clustered = append(clustered, flip(r, x, 64, r.IntN(5)))
			}
		}
		for name, values := range map[string][]uint64{"random": benchValues(n), "clustered": distinct(clustered)} {
			qs := queries(r, values, 64, 1<<14)
			for by, d := range map[string]Design{"G=6/g=3": newDesign(b, [3]int{64, 6, 3}), "G=4/g=1": newDesign(b, [3]int{64, 4, 1}), "planner": Choose(64, n, 3, 0).Design} {
				tb := Build(values, d)
				for _, k := range []int{3, 6} {
					for i, q := range qs[:200] {
						got, err := tb.Near(nil, q, k)
						if w := want(values, q, k); err != nil || fmt.Sprint(got) != fmt.Sprint(w) {
							b.Fatalf("query %d within %d: %v, %v, want %v", i, k, got, err, w)
						}
					}
					for _, way := range []string{"near", "batch"} {
						b.Run(fmt.Sprintf("n=%d/data=%s/%s/tables=%d/k=%d/way=%s", n, name, by, len(d.Permutations()), k, way), func(b *testing.B) {
							var dst []hamming.Match
							answered := 0
							for b.Loop() {
								if way == "near" {
									dst, _ = tb.Near(dst[:0], qs[answered%len(qs)], k)
									answered++
									continue
								}
								from := answered % len(qs) &^ 1023
								_ = tb.NearBatch(qs[from:from+1024], k, func(int, []hamming.Match) error { return nil })
								answered += 1024
							}
							b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(answered)/1000, "µs/query")
							b.ReportMetric(float64(tb.Bytes())/float64(len(values)), "bytes/fp")
						})
					}
				}
			}
		}
	}
}
