package tables

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/ground/ints"
)

// benchSizes returns the numbers of values of the benchmarks. SIMSEARCH_BENCH_N adds one, such as ten
// million, which exceeds every cache:
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

// benchValues returns uniform values of which one in ten is a near copy of another.
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
		qs := queries(rng, values, 64, 1<<16)
		var dst []hamming.Match
		for _, k := range []int{1, 3, 6, 8, 10, 12} {
			tb := Build(values, Choose(64, len(values), k, 60*float64(len(values))).Design)
			b.Logf("n=%d k=%d: %v, %.1f bytes a fingerprint", n, k, tb.Design(), float64(tb.Bytes())/float64(len(values)))
			for way, search := range map[string]func(from int) int{
				"single": func(from int) int {
					dst, _ = tb.Near(dst[:0], qs[from], k)
					return 1
				},
				"batch": func(from int) int {
					part := qs[from:min(len(qs), from+1024)]
					_ = tb.NearBatch(part, k, func(int, []hamming.Match) error { return nil })
					return len(part)
				},
				"scan": func(from int) int {
					dst = hamming.Scan(dst[:0], values, qs[from], k)
					return 1
				},
			} {
				b.Run(fmt.Sprintf("n=%d/k=%d/way=%s", n, k, way), func(b *testing.B) {
					from, answered := 0, 0
					for b.Loop() {
						m := search(from)
						from = (from + m) % len(qs)
						answered += m
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(answered)/1000, "µs/query")
				})
			}
		}
	}
}

// BenchmarkNearHeavy searches values that share most of their bits.
func BenchmarkNearHeavy(b *testing.B) {
	for name, values := range boilerplate(b, 1_000_000) {
		tb := Build(values, Choose(64, len(values), 3, 0).Design)
		qs := queries(newRand(b), values, 64, 1<<12)
		var dst []hamming.Match
		for _, way := range []string{"tables", "compared"} {
			b.Run(fmt.Sprintf("data=%s/way=%s", strings.ReplaceAll(name, " ", "-"), way), func(b *testing.B) {
				tb.tuning.patience = map[string]int{"tables": 1, "compared": 1 << 30}[way]
				tb.heavy = make([]heavyRuns, len(tb.tables))
				for _, q := range qs[:64] { // makes the tables
					dst, _ = tb.Near(dst[:0], q, 3)
				}
				i, found := 0, 0
				for b.Loop() {
					dst, _ = tb.Near(dst[:0], qs[i%len(qs)], 3)
					found += len(dst)
					i++
				}
				b.ReportMetric(float64(found)/float64(i), "matches/query")
			})
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range benchSizes(b) {
		values := benchValues(n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Build(values, Choose(64, len(values), 3, 0).Design)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
		})
	}
}

// BenchmarkPairs measures a join, and beside it how long it takes to sort the values once for each
// table of the same design.
func BenchmarkPairs(b *testing.B) {
	for _, n := range benchSizes(b) {
		values := benchValues(n)
		for _, k := range []int{1, 3, 6, 10} {
			if n > 1_000_000 && k > 6 {
				continue // minutes
			}
			design, ok := PlanPairs(values, 64, k)
			b.Logf("n=%d k=%d: %v %v", n, k, design, ok)
			b.Run(fmt.Sprintf("n=%d/k=%d/way=join", n, k), func(b *testing.B) {
				found := 0
				for b.Loop() {
					err := Pairs(b.Context(), values, 64, k, PairOptions{Threads: 1}, func(Pair) error { found++; return nil })
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(found)/float64(b.N), "pairs")
			})
			b.Run(fmt.Sprintf("n=%d/k=%d/way=sort", n, k), func(b *testing.B) {
				keys, scratch := make([]uint64, len(values)), make([]uint64, len(values))
				for b.Loop() {
					for _, p := range design.Permutations() {
						ints.SortMapped(keys, scratch, values, 64-p.HeaderBits(), p.ApplyAll)
					}
				}
			})
		}
	}
}
