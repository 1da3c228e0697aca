//go:build unix

package tables

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"simsearch/hamming"
)

// processorWide returns the nanoseconds that the process has had of the processors.
func processorWide(b *testing.B) float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

var benchN = flag.Int("size", 1_000_000, "how many fingerprints BenchmarkNearWide searches")

// BenchmarkNearWide searches for fingerprints that are near one in two times: go test ./tables -bench NearWide -size
// 10000000.
func BenchmarkNearWide(b *testing.B) {
	for _, c := range []struct{ width, k int }{{256, 31}, {256, 15}, {256, 48}, {128, 15}, {128, 10}, {128, 20}} {
		words := Words(c.width)
		rng := rand.New(rand.NewPCG(1, uint64(c.width)))
		values := distinctWide(wideCollections["random"](rng, *benchN, words), words)
		t := BuildWide(values, c.width, 2)
		queries := make([][]uint64, 1<<14)
		for i := range queries {
			queries[i] = randomWide(rng, words)
			if i%2 > 0 {
				queries[i] = flipWide(rng, values[rng.IntN(*benchN)*words:][:words], c.k)
			}
		}
		for _, how := range []string{"tables", "scan"} {
			b.Run(fmt.Sprintf("%d/%d/%s", c.width, c.k, how), func(b *testing.B) {
				var found []hamming.Match
				var stats Stats
				i, began := 0, processorWide(b)
				for b.Loop() {
					q := queries[i%len(queries)]
					i++
					if how == "scan" {
						found = ScanWide(found[:0], values, q, c.k)
					} else {
						found = t.Near(found[:0], q, c.k, &stats)
					}
				}
				b.ReportMetric((processorWide(b)-began)/float64(b.N), "cpu-ns/op")
				b.ReportMetric(float64(stats.Compared)/float64(b.N), "compared/op")
				b.ReportMetric(float64(stats.LookUps)/float64(b.N), "keys/op")
				b.ReportMetric(float64(stats.Scans)/float64(b.N), "scans/op")
			})
		}
	}
}
