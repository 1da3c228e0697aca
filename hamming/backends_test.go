package hamming

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// A toggle names one accelerated backend and the variable that enables it.
// Only tests write through on, and tests that do must not run in parallel.
type toggle struct {
	name string
	on   *bool
}

// eachBackend runs f with every backend switched off ("generic"), then once
// for each backend this CPU has, with only that one switched on.
func eachBackend(tb testing.TB, f func(name string)) {
	tb.Helper()
	for _, pick := range append([]toggle{{name: "generic"}}, toggles...) {
		if pick.on != nil && !*pick.on {
			tb.Logf("backend %s is not available on this CPU", pick.name)
			continue
		}
		func() {
			for _, tg := range toggles {
				saved := *tg.on
				defer func() { *tg.on = saved }()
				*tg.on = tg.on == pick.on
			}
			f(pick.name)
		}()
	}
}

// TestRequiredBackends fails where a backend named in SIMSEARCH_REQUIRE_BACKENDS,
// such as "avx2,avx512", is missing, so that a skipped test cannot pass for a run.
func TestRequiredBackends(t *testing.T) {
	for _, name := range strings.FieldsFunc(os.Getenv("SIMSEARCH_REQUIRE_BACKENDS"), func(r rune) bool { return r == ',' }) {
		i := slices.IndexFunc(toggles, func(tg toggle) bool { return tg.name == name })
		if i < 0 || !*toggles[i].on {
			t.Errorf("backend %q is required and not available", name)
		}
	}
}

// Every length to 130, every alignment in a cache line, every position of the
// match, with a match behind the end that must not be seen.
func TestNextWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	memory := make([]uint64, 160)
	eachBackend(t, func(backend string) {
		for n := range 131 {
			for offset := range 8 {
				q := rng.Uint64()
				for i := range memory {
					memory[i] = ^q ^ 1<<rng.IntN(64) // at distance 63
				}
				xs := memory[offset : offset+n]
				memory[offset+n] = q
				for _, at := range []int{n, rng.IntN(n + 1), n - 1} {
					for _, k := range []int{-1, 0, 3, 62} {
						if at >= 0 && at < n {
							xs[at] = q ^ Mask(max(k, 0))
						}
						want := n
						if at >= 0 && at < n && k >= 0 {
							want = at
						}
						if got := NextWithin(xs, q, k); got != want {
							t.Fatalf("%s: n = %d, offset %d, k = %d, match at %d: got %d", backend, n, offset, k, at, got)
						}
						if at >= 0 && at < n {
							xs[at] = ^q
						}
					}
				}
				if n > 0 {
					if got := NextWithin(xs, q, 64); got != 0 {
						t.Fatalf("%s: n = %d, k = 64: got %d, want 0", backend, n, got)
					}
				}
			}
		}
	})
}

func TestScanOnEveryBackend(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	eachBackend(t, func(backend string) {
		for n := range 150 {
			xs := make([]uint64, n)
			for i := range xs {
				xs[i] = rng.Uint64() & rng.Uint64() & rng.Uint64() // about eight bits
			}
			for _, k := range []int{-1, 0, 3, 6, 8, 12, 63, 64, 99} {
				if got, want := Scan(nil, xs, 0, k), scanEach(nil, xs, 0, 0, k); !slices.Equal(got, want) {
					t.Fatalf("%s: n = %d, k = %d: got %v, want %v", backend, n, k, got, want)
				}
			}
		}
	})
}

func FuzzNextWithin(f *testing.F) {
	f.Add(uint64(1), uint64(2), 17, 3)
	f.Fuzz(func(t *testing.T, seed, q uint64, n, k int) {
		rng := rand.New(rand.NewPCG(seed, 0))
		xs := make([]uint64, uint(n)%300)
		for i := range xs {
			xs[i] = q ^ rng.Uint64()&rng.Uint64()&rng.Uint64()
		}
		want := slices.IndexFunc(xs, func(x uint64) bool { return bits.OnesCount64(x^q) <= k })
		if want < 0 {
			want = len(xs)
		}
		eachBackend(t, func(backend string) {
			if got := NextWithin(xs, q, k); got != want {
				t.Errorf("%s: got %d, want %d", backend, got, want)
			}
		})
	})
}

func BenchmarkNextWithin(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{4, 8, 16, 61, 152, 1 << 12, 1 << 18, 1 << 24} { // short runs, L1, L2, memory
		xs := make([]uint64, n)
		for i := range xs {
			xs[i] = rng.Uint64()
		}
		eachBackend(b, func(backend string) {
			b.Run(fmt.Sprintf("n=%d/backend=%s", n, backend), func(b *testing.B) {
				b.SetBytes(int64(n) * 8)
				for b.Loop() {
					NextWithin(xs, 0x9e3779b97f4a7c15, 3)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
			})
		})
	}
}
