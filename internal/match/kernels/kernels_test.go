package kernels

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// mask returns a value with the lowest n bits set.
func mask(n int) uint64 { return 1<<uint(n) - 1 }

// TestRequiredBackends fails if a backend in SIMSEARCH_REQUIRE_BACKENDS, such as "avx2,avx512", is missing.
// So it is certain that the other tests have run with it.
func TestRequiredBackends(t *testing.T) {
	for _, name := range strings.FieldsFunc(os.Getenv("SIMSEARCH_REQUIRE_BACKENDS"), func(r rune) bool { return r == ',' }) {
		i := slices.IndexFunc(backends, func(b backend) bool { return b.name == name })
		if i < 0 || !*backends[i].on {
			t.Errorf("backend %q is required and not available", name)
		}
	}
}

// Every length up to 130, every alignment in a cache line, and matches at random places. A match behind the
// end must not be found.
func TestNextWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	memory := make([]uint64, 160)
	EachBackend(func(backend string) {
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
							xs[at] = q ^ mask(max(k, 0))
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

// Runs of every length. Near values before and behind the run must not be found.
func TestPairMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	EachBackend(func(backend string) {
		for n := range 65 {
			for _, k := range []int{0, 3, 6, 32} {
				memory := make([]uint64, n+2)
				for i := range memory {
					memory[i] = rng.Uint64()
					if i > 0 && rng.IntN(8) == 0 { // a value near another
						memory[i] = memory[rng.IntN(i)] ^ mask(rng.IntN(8))
					}
				}
				xs := memory[1 : n+1]
				var want uint64
				for j := range xs {
					for i := range j {
						if bits.OnesCount32(uint32(xs[i]^xs[j])) <= k {
							want |= 1 << j
						}
					}
				}
				if got := PairMask(xs, k); got != want {
					t.Fatalf("%s: n = %d, k = %d: got %064b, want %064b", backend, n, k, got, want)
				}
			}
		}
	})
}

// Every length up to 64 and every alignment. Matches before and behind the values must not be found.
func TestMaskWithin32(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	memory := make([]uint32, 96)
	EachBackend(func(backend string) {
		for n := range 65 {
			for offset := range 16 {
				q := rng.Uint32()
				for i := range memory {
					memory[i] = q ^ rng.Uint32()&rng.Uint32() // about eight bits
				}
				xs := memory[offset : offset+n]
				for _, k := range []int{0, 1, 3, 8, 31, 32} {
					want := maskWithin32Generic(xs, q, k)
					if n < 64 && want>>n != 0 {
						t.Fatalf("the reference sees what is behind %d values", n)
					}
					if got := MaskWithin32(xs, q, k); got != want {
						t.Fatalf("%s: n = %d, offset %d, k = %d: got %064b, want %064b", backend, n, offset, k, got, want)
					}
				}
			}
		}
	})
	for i, d := range []int{0, 1, 3, 4, 32} { // the reference agrees with the definition
		x := uint32(1)<<d - 1
		if d == 32 {
			x = ^uint32(0)
		}
		for k := range 33 {
			if got, want := maskWithin32Generic([]uint32{x}, 0, k) == 1, d <= k; got != want {
				t.Errorf("value %d: distance %d within %d: %v", i, d, k, got)
			}
		}
	}
}

func TestMaskWithinTwoParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	low, mid, high := make([]uint32, 96), make([]uint16, 96), make([]uint32, 96)
	EachBackend(func(backend string) {
		for n := range 65 {
			for offset := range 16 {
				q := rng.Uint64()
				for i := range low {
					d := rng.Uint64() & rng.Uint64() & rng.Uint64() // about eight bits
					low[i], mid[i], high[i] = uint32(q^d), uint16((q^d)>>32), uint32((q^d)>>32)
				}
				for _, k := range []int{0, 3, 7, 8, 12, 48, 64} {
					var want48, want64 uint64
					for i := range n {
						x := uint64(high[offset+i])<<32 | uint64(low[offset+i])
						if bits.OnesCount64(x^q) <= k {
							want64 |= 1 << i
						}
						if bits.OnesCount64((x^q)&mask(48)) <= k {
							want48 |= 1 << i
						}
					}
					if got := MaskWithin48(low[offset:offset+n], mid[offset:], q&mask(48), k); got != want48 {
						t.Fatalf("48 bits, %s: n = %d, offset %d, k = %d: got %064b, want %064b", backend, n, offset, k, got, want48)
					}
					if got := MaskWithin64(low[offset:offset+n], high[offset:], q, k); got != want64 {
						t.Fatalf("64 bits, %s: n = %d, offset %d, k = %d: got %064b, want %064b", backend, n, offset, k, got, want64)
					}
				}
			}
		}
	})
}

// shuffled returns a permutation of the lowest width bits, of which there are at least two. It has few
// moves or many.
func shuffled(rng *rand.Rand) (width int, ms Moves) {
	width = 2 + rng.IntN(63)
	to := rng.Perm(width)
	if rng.IntN(2) == 0 { // few moves
		for i := range to {
			to[i] = (i + width/2) % width
		}
	}
	for from, to := range to {
		ms.Add(1<<from, (to-from)&63)
	}
	return width, ms
}

// Apply moves each bit, and Invert moves it back.
func TestMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		width := 1 + rng.IntN(64)
		to := rng.Perm(width)
		var ms Moves
		for from, to := range to {
			ms.Add(1<<from, (to-from)&63)
		}
		for range 20 {
			x := rng.Uint64() & mask(width)
			var want uint64
			for from, to := range to {
				want |= x >> from & 1 << to
			}
			if y := ms.Apply(x); y != want || ms.Invert(y) != x {
				t.Fatalf("%d bits: %#x becomes %#x, want %#x, and back %#x", width, x, y, want, ms.Invert(y))
			}
		}
	}
}

// ApplyAll is Apply of each value, for all lengths around those of the vectors. It writes nothing behind
// the last value.
func TestApplyAllOnEveryBackend(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	xs := make([]uint64, 70)
	EachBackend(func(backend string) {
		for round := range 200 {
			width, p := shuffled(rng)
			for i := range xs {
				xs[i] = rng.Uint64()
			}
			n := round % len(xs)
			dst := make([]uint64, n+1)
			dst[n] = 99
			p.ApplyAll(dst, xs[:n])
			for i, x := range xs[:n] {
				if dst[i] != p.Apply(x) {
					t.Fatalf("%s: %d values of width %d, the one at %d: got %#x, want %#x", backend, n, width, i, dst[i], p.Apply(x))
				}
			}
			if dst[n] != 99 {
				t.Fatalf("%s: %d values: written behind the last", backend, n)
			}
		}
	})
}

// ApplyMatching is Apply of the values for which the result begins with the given bits.
func TestApplyMatchingOnEveryBackend(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 6))
	xs := make([]uint64, 70)
	EachBackend(func(backend string) {
		for round := range 300 {
			width, p := shuffled(rng)
			for i := range xs {
				xs[i] = rng.Uint64() & mask(width)
			}
			n, top := round%len(xs), 1+rng.IntN(2)
			part := rng.Uint64N(1 << top)
			var want []uint64
			for _, x := range xs[:n] {
				if y := p.Apply(x); y>>(width-top) == part {
					want = append(want, y)
				}
			}
			dst := make([]uint64, n+Margin)
			if got := dst[:p.ApplyMatching(dst, xs[:n], uint(width-top), part)]; !slices.Equal(got, want) {
				t.Fatalf("%s: %d values of width %d, the first %d bits %b: got %x, want %x", backend, n, width, top, part, got, want)
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
		EachBackend(func(backend string) {
			if got := NextWithin(xs, q, k); got != want {
				t.Errorf("%s: got %d, want %d", backend, got, want)
			}
		})
	})
}

// Prefetch reads nothing outside of the runs, and touch is its reference: both may be asked for any run.
func TestPrefetch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for range 1000 {
		xs := make([]uint32, 1+rng.IntN(200))
		lo, hi := make([]uint32, rng.IntN(5)), make([]uint32, 5)
		for i := range lo {
			lo[i] = uint32(rng.IntN(len(xs) + 1))
			hi[i] = lo[i] + uint32(rng.IntN(len(xs)+1-int(lo[i])))
		}
		most := rng.IntN(100)
		Prefetch(xs, lo, hi, most)
		touch(xs, lo, hi, most)
	}
	Prefetch(nil, []uint32{0}, []uint32{0}, 1)
	defer func() {
		if recover() == nil {
			t.Error("runs without ends are taken")
		}
	}()
	Prefetch(make([]uint32, 4), []uint32{0, 1}, []uint32{1}, 1)
}

func BenchmarkNextWithin(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{4, 8, 16, 61, 152, 1 << 12, 1 << 18, 1 << 24} { // short runs, L1, L2, memory
		xs := make([]uint64, n)
		for i := range xs {
			xs[i] = rng.Uint64()
		}
		EachBackend(func(backend string) {
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

// A name limits the backends to those that are not better. Another name is an error, and changes nothing.
func TestLimit(t *testing.T) {
	var available []string
	EachBackend(func(name string) { available = append(available, name) })
	best := Backend()
	was := map[*bool]bool{}
	for _, b := range backends {
		was[b.on] = *b.on
	}
	for _, name := range available {
		if err := limit(name); err != nil || Backend() != name {
			t.Errorf("%s: %v, and %s is in use", name, err, Backend())
		}
		for on, is := range was {
			*on = is
		}
	}
	for _, name := range []string{"avx7", "AVX2", " "} {
		if err := limit(name); err == nil || Backend() != best {
			t.Errorf("%q: %v, and %s is in use", name, err, Backend())
		}
	}
	if err := limit(""); err != nil || Backend() != best {
		t.Errorf("no name: %v, and %s is in use", err, Backend())
	}
}
