package tables

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"simsearch/hamming"
)

// benchSizes are the sizes of the benchmarks; SIMSEARCH_BENCH_N=10000000 adds one
// that leaves every cache:
//
//	SIMSEARCH_BENCH_N=10000000 go test ./tables -run '^$' -bench .
func benchSizes(b *testing.B) []int {
	sizes := []int{100_000, 1_000_000}
	if s := os.Getenv("SIMSEARCH_BENCH_N"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// benchValues are uniform with one planted near-copy in ten.
func benchValues(n int) []uint64 {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	values := make([]uint64, n)
	for i := range values {
		if i%10 == 9 {
			values[i] = flip(rng, values[rng.IntN(i)], 64, 1+rng.IntN(3))
		} else {
			values[i] = rng.Uint64()
		}
	}
	return distinct(values)
}

func BenchmarkNear(b *testing.B) {
	for _, n := range benchSizes(b) {
		values := benchValues(n)
		rng := rand.New(rand.NewPCG(8, 9))
		qs := queries(rng, values, 64, 1<<14)
		tb := Build(values, hamming.Plan(64, len(values), 3))
		var dst []hamming.Match
		for _, k := range []int{3, 6, 9, 12} {
			for _, search := range []string{"tables", "scan"} {
				b.Run(fmt.Sprintf("n=%d/k=%d/search=%s", n, k, search), func(b *testing.B) {
					i, found := 0, 0
					for b.Loop() {
						q := qs[i%len(qs)]
						if search == "scan" {
							dst = hamming.Scan(dst[:0], values, q, k)
						} else {
							dst, _ = tb.Near(dst[:0], q, k)
						}
						found += len(dst)
						i++
					}
					b.ReportMetric(float64(found)/float64(i), "matches/query")
				})
			}
		}
		b.Logf("n=%d: %v, %.1f bytes a fingerprint", n, tb.Design(), float64(tb.Bytes())/float64(len(values)))
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range benchSizes(b) {
		values := benchValues(n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Build(values, hamming.Plan(64, len(values), 3))
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
		})
	}
}

func BenchmarkPairs(b *testing.B) {
	for _, n := range benchSizes(b) {
		values := benchValues(n)
		for _, k := range []int{3, 6} {
			b.Run(fmt.Sprintf("n=%d/k=%d", n, k), func(b *testing.B) {
				found := 0
				for b.Loop() {
					err := Pairs(b.Context(), values, 64, k, 1, func(Pair) error { found++; return nil })
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(found)/float64(b.N), "pairs")
			})
		}
	}
}
