package kernels

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// Runs of all lengths around those of a step of the vectors, with room for all indices or for few.
func TestListWithin32(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 6))
	xs := make([]uint32, 5000)
	EachBackend(func(backend string) {
		for n := range 65 {
			for _, room := range []int{180, 500, 64 * 180} {
				for i := range xs {
					xs[i] = rng.Uint32()
				}
				r := Runs{make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)}
				ends := make([]uint32, n)
				var want, got []uint32
				for i := range n {
					length := rng.IntN(140)
					r.Lo[i] = uint32(rng.IntN(len(xs) - length))
					if i == n-1 {
						r.Lo[i] = uint32(len(xs) - length)
					}
					r.Hi[i] = r.Lo[i] + uint32(length)
					r.Qs[i], r.Ks[i] = rng.Uint32(), uint32([]int{0, 3, 10, 16, 32}[rng.IntN(5)])
					if length > 0 && i%3 > 0 { // a value at distance k or k+1
						r.Qs[i] = xs[int(r.Lo[i])+rng.IntN(length)] ^ uint32(mask(int(r.Ks[i])+i%3-1))
					}
					for j, x := range xs[r.Lo[i]:r.Hi[i]] {
						if bits.OnesCount32(x^r.Qs[i]) <= int(r.Ks[i]) {
							want = append(want, uint32(i), r.Lo[i]+uint32(j))
						}
					}
				}
				dst := make([]uint32, room)
				for first := 0; first < n; {
					done := ListWithin32(dst, ends, xs, r, first, xs, r)
					if done <= first {
						t.Fatalf("%s: %d runs, room for %d: no run is done from %d on", backend, n, room, first)
					}
					from := uint32(0)
					for ; first < done; first++ {
						for _, j := range dst[from:ends[first]] {
							got = append(got, uint32(first), j)
						}
						from = ends[first]
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %d runs, room for %d: got %d, want %d", backend, n, room, got, want)
				}
			}
		}
	})
}

// No values need no memory, and a run that is too long for dst is left.
func TestListWithin32AtItsLimits(t *testing.T) {
	EachBackend(func(backend string) {
		ends := []uint32{7}
		if done := ListWithin32(nil, ends, nil, Runs{[]uint32{0}, []uint32{0}, []uint32{0}, []uint32{0}}, 0, nil, Runs{}); done != 1 || ends[0] != 0 {
			t.Errorf("%s: an empty run: %d done, up to %d", backend, done, ends[0])
		}
		xs := make([]uint32, 100)
		empty := Runs{[]uint32{0}, []uint32{0}, []uint32{0}, []uint32{0}}
		if done := ListWithin32(make([]uint32, 100+ListSlack), ends, xs, empty, 0, nil, empty); done != 1 || ends[0] != 0 {
			t.Errorf("%s: an empty run, and one of no values ahead: %d done, up to %d", backend, done, ends[0])
		}
		r := Runs{[]uint32{0}, []uint32{100}, []uint32{0}, []uint32{32}}
		if done := ListWithin32(make([]uint32, 99+ListSlack), ends, xs, r, 0, nil, Runs{}); done != 0 {
			t.Errorf("%s: a run without room: %d done", backend, done)
		}
		if done := ListWithin32(make([]uint32, 100+ListSlack), ends, xs, r, 0, nil, Runs{}); done != 1 || ends[0] != 100 {
			t.Errorf("%s: a run that fits: %d done, up to %d", backend, done, ends[0])
		}
	})
	defer func() {
		if recover() == nil {
			t.Error("runs without queries do not panic")
		}
	}()
	ListWithin32(nil, make([]uint32, 1), nil, Runs{Lo: make([]uint32, 1), Hi: make([]uint32, 1)}, 0, nil, Runs{})
}

// All runs of few values, with near values before and behind each.
func TestListWithin32OfFewValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 7))
	memory := make([]uint32, 60)
	dst, want := make([]uint32, 60+ListSlack), make([]uint32, 60+ListSlack)
	EachBackend(func(backend string) {
		for i := range memory {
			memory[i] = rng.Uint32() & rng.Uint32() & rng.Uint32() // about four bits
		}
		for size := range 50 {
			for lo := range uint32(size + 1) {
				for hi := lo; hi <= uint32(size); hi++ {
					r, ends, wantEnds := Runs{[]uint32{lo}, []uint32{hi}, []uint32{0}, []uint32{4}}, []uint32{99}, []uint32{99}
					done := ListWithin32(dst, ends, memory[:size:size], r, 0, nil, Runs{})
					listWithin32Each(want, wantEnds, memory[:size:size], r, 0)
					if done != 1 || ends[0] != wantEnds[0] || !slices.Equal(dst[:ends[0]], want[:ends[0]]) {
						t.Fatalf("%s: %d to %d of %d values: %d, want %d", backend, lo, hi, size, dst[:ends[0]], want[:wantEnds[0]])
					}
				}
			}
		}
	})
}

func BenchmarkListWithin32(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	xs := make([]uint32, 1<<13)
	for i := range xs {
		xs[i] = rng.Uint32()
	}
	dst, ends := make([]uint32, 1<<15), make([]uint32, 64)
	for _, length := range []int{5, 15, 30, 150} {
		for _, k := range []int{3, 8, 10} {
			r := Runs{make([]uint32, 64), make([]uint32, 64), make([]uint32, 64), make([]uint32, 64)}
			for i := range r.Qs {
				r.Lo[i] = uint32(rng.IntN(len(xs) - 2*length))
				r.Hi[i] = r.Lo[i] + uint32(length/2+rng.IntN(length))
				r.Qs[i], r.Ks[i] = rng.Uint32(), uint32(k)
			}
			EachBackend(func(backend string) {
				b.Run(fmt.Sprintf("length=%d/k=%d/backend=%s", length, k, backend), func(b *testing.B) {
					for b.Loop() {
						ListWithin32(dst, ends, xs, r, 0, nil, Runs{})
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(64*b.N), "ns/run")
				})
			})
		}
	}
}
