package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A backend has a name and the variable that enables it.
type backend struct {
	name string
	on   *bool
}

// eachBackend calls run with each backend that the processor has, and last with none. Tests that use it
// must not run in parallel.
func eachBackend(run func(name string)) {
	for _, b := range backends {
		if *b.on {
			run(b.name)
		}
		was := *b.on
		*b.on = false
		defer func() { *b.on = was }()
	}
	run("generic")
}

func BenchmarkWeighted(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	hashes, weights := make([]uint64, 200), make([]uint32, 200)
	for i := range hashes {
		hashes[i], weights[i] = r.Uint64(), 1+r.Uint32N(1<<20)
	}
	eachBackend(func(name string) {
		b.Run(fmt.Sprintf("n=200/backend=%s", name), func(b *testing.B) {
			for b.Loop() {
				Weighted(hashes, weights, 64)
			}
			b.ReportMetric(float64(len(hashes))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfeatures/s")
		})
	})
}
