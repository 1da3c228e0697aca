package selfjoin

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// compared returns the pairs that comparing each value with each finds: the reference.
func compared(values []uint64, h Headers, k int) (pairs []uint64) {
	for a, x := range values {
		for b := a + 1; b < len(values); b++ {
			differ := x ^ values[b]
			if bits.OnesCount64(differ) <= k && slices.ContainsFunc(h.Masks, func(mask uint64) bool { return differ&mask == 0 }) {
				pairs = append(pairs, uint64(a)<<32|uint64(b))
			}
		}
	}
	return pairs
}

// found returns the pairs of Each, sorted.
func found(t *testing.T, values []uint64, h Headers, k int, o Options) (pairs []uint64) {
	t.Helper()
	var mu sync.Mutex
	last := 0
	o.Progress = func(done, parts int) {
		if last++; done != last || done > parts {
			t.Errorf("%d of %d parts are done after %d", done, parts, last-1)
		}
	}
	err := Each(t.Context(), values, h, k, o, func(some []uint64) error {
		mu.Lock()
		defer mu.Unlock()
		pairs = append(pairs, some...)
		for i := range some {
			some[i] = 0 // they may be changed
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(pairs)
	return pairs
}

// combinations returns all choices of chosen out of some blocks of the width.
func combinations(width, blocks, chosen int) Headers {
	h := Headers{Width: width}
	for set := range 1 << blocks {
		if bits.OnesCount(uint(set)) != chosen {
			continue
		}
		var mask uint64
		for b := range blocks {
			if set>>b&1 == 1 {
				lo, hi := b*width/blocks, (b+1)*width/blocks
				mask |= lowBits(hi) &^ lowBits(lo)
			}
		}
		h.Masks = append(h.Masks, mask)
	}
	return h
}

// planned chooses blocks for the values of long runs, unless most of these would be near.
func planned(_ []uint64, width, k int) (Headers, bool) {
	if width < 8*(k+1) {
		return Headers{}, false
	}
	return combinations(width, k+2, 2), true
}

// scatter moves the bits of headers to other places.
func scatter(h Headers, rng *rand.Rand) Headers {
	to := rng.Perm(h.Width)
	s := Headers{Width: h.Width}
	for _, mask := range h.Masks {
		var moved uint64
		for ; mask != 0; mask &= mask - 1 {
			moved |= 1 << to[bits.TrailingZeros64(mask)]
		}
		s.Masks = append(s.Masks, moved)
	}
	return s
}

// sets returns sets of about n values with near pairs: uniform, clustered, and skewed in several ways.
func sets(rng *rand.Rand, width, n int) map[string][]uint64 {
	all := map[string][]uint64{"none": nil, "one": {rng.Uint64() & lowBits(width)}}
	add := func(name string, keep, set uint64) {
		values := make([]uint64, n)
		for i := range values {
			x := rng.Uint64()
			if i > 0 && rng.IntN(3) == 0 {
				x = values[rng.IntN(i)]
				for range rng.IntN(8) {
					x ^= 1 << rng.IntN(width)
				}
			}
			values[i] = (x&keep | set) & lowBits(width)
		}
		slices.Sort(values)
		all[name] = slices.Compact(values)
	}
	add("uniform", ^uint64(0), 0)
	add("no high bits", lowBits(width/2), 0)
	add("no low bits", ^lowBits(width/2), 0)
	add("shared high bits", lowBits(width*2/3), ^lowBits(width*2/3))
	add("shared middle", ^uint64(0xfff<<(width/3)), 0xa5a<<(width/3))
	add("every other bit", 0x5555555555555555, 0)
	add("few bits", 0x0111111111111111, 0)
	for _, values := range []string{"uniform"} { // a crowd: many share all but a few bits
		crowd := slices.Clone(all[values][:len(all[values])/2])
		for range n / 2 {
			crowd = append(crowd, all[values][0]^rng.Uint64()&0x3ff&lowBits(width))
		}
		slices.Sort(crowd)
		all["crowd"] = slices.Compact(crowd)
	}
	return all
}

// Each finds the pairs that comparing all values finds, whatever the headers, the memory and the number of threads are.
func TestEachFindsWhatComparingFinds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 6))
	for _, shape := range [][3]int{{64, 5, 2}, {64, 4, 1}, {32, 6, 3}, {20, 5, 2}, {64, 1, 1}, {9, 9, 2}, {3, 3, 1}} {
		straight := combinations(shape[0], shape[1], shape[2])
		for name, values := range sets(rng, shape[0], 150) {
			for _, h := range []Headers{straight, scatter(straight, rng)} {
				for _, k := range []int{0, 1, 3, 7, 20} {
					want := compared(values, h, k)
					for _, o := range []Options{{Threads: 1}, {Threads: 3, Plan: planned}, {Threads: 2, Memory: 1}} {
						if got := found(t, values, h, k, o); !slices.Equal(got, want) {
							t.Fatalf("%v, %s, k = %d, %d threads: %d pairs, want %d", shape, name, k, o.Threads, len(got), len(want))
						}
					}
				}
			}
		}
	}
}

// So many values that they are gathered by several first bits, and that crowds are split again and again, have the
// pairs that a join by quite other headers finds, in which nothing is gathered.
func TestManyValuesAreGathered(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 7))
	const n = 70_000
	reference := combinations(64, 4, 1)
	all := sets(rng, 64, n)
	for _, name := range []string{"uniform", "crowd", "no low bits"} {
		values := all[name]
		want := found(t, values, reference, 3, Options{Threads: 2, Plan: planned})
		for _, h := range []Headers{combinations(64, 5, 2), scatter(combinations(64, 5, 2), rng)} {
			for _, memory := range []int64{0, 1 << 16} {
				j := newJoin(values, h, 3, Options{Threads: 2, Memory: memory})
				if name == "uniform" && (len(j.groups) < 4 || len(j.tasks) < 8) {
					t.Errorf("%s: %d groups and %d tasks, of which nothing is gathered", name, len(j.groups), len(j.tasks))
				}
				if got := found(t, values, h, 3, Options{Threads: 2, Memory: memory, Plan: planned}); !slices.Equal(got, want) {
					t.Errorf("%s, %d bytes: %d pairs, want %d", name, memory, len(got), len(want))
				}
			}
		}
	}
}

// Headers that begin with the same block share its buckets, and the values are in those of the highest block already.
func TestHeadersShareBuckets(t *testing.T) {
	t.Parallel()
	values := make([]uint64, 1<<20)
	for i := range values {
		values[i] = uint64(i) << 44
	}
	j := newJoin(values, combinations(64, 5, 2), 3, Options{Threads: 1})
	sorted, headers := 0, 0
	for i := range j.groups {
		if headers += len(j.groups[i].headers); j.groups[i].sorted {
			sorted++
		}
	}
	if len(j.groups) != 4 || sorted != 1 || headers != 10 {
		t.Errorf("%d groups of %d headers, of which %d need not be gathered, want 4 of 10, and 1", len(j.groups), headers, sorted)
	}
	for name, memory := range map[string]int64{"little": 1 << 10, "much": 1 << 30} {
		tasks := len(newJoin(values, combinations(64, 5, 2), 3, Options{Threads: 1, Memory: memory}).tasks)
		if little := name == "little"; little != (tasks > 4<<leastParts) {
			t.Errorf("%d tasks with %s memory", tasks, name)
		}
	}
}

func TestEachStops(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 8))
	h, enough := combinations(64, 5, 2), errors.New("enough")
	for _, name := range []string{"uniform", "crowd", "few bits"} {
		values := sets(rng, 64, 100_000)[name]
		ctx, cancel := context.WithCancelCause(t.Context())
		for _, stop := range []func() error{
			func() error { return enough },
			func() error { cancel(enough); return nil },
		} {
			err := Each(ctx, values, h, 3, Options{Threads: 2, Plan: planned}, func([]uint64) error { return stop() })
			if !errors.Is(err, enough) {
				t.Errorf("%s: %v, want that it is enough", name, err)
			}
		}
		if err := Each(ctx, values, h, 3, Options{Threads: 2}, func([]uint64) error { return nil }); !errors.Is(err, enough) {
			t.Errorf("%s: %v, though there was no time", name, err)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 9))
	for range 10_000 {
		mask := widest(rng.Uint64()&rng.Uint64()|rng.Uint64()<<rng.IntN(64), 1+rng.IntN(64))
		k, x := packed(mask), rng.Uint64()
		want, at := uint64(0), 0
		for b := range 64 {
			if mask>>b&1 == 1 {
				want |= x >> b & 1 << at
				at++
			}
		}
		if got := k.of(x); got != want || k.bits != at || pieces(mask) > maxPieces {
			t.Fatalf("the bits %#x of %#x are %#x, %d of them, want %#x, %d", mask, x, got, k.bits, want, at)
		}
	}
}
