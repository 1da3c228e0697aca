package join

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/unionfind"
)

// Few, Stars and Components find what comparing each fingerprint with each finds.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bits, n int
		ks      []int
	}{
		"tiny universe":  {5, 25, []int{0, 1, 2, 3, 7, 63, 64}}, // ties everywhere
		"small universe": {12, 1500, []int{0, 1, 2, 3, 12}},
		"crowd":          {13, 5000, []int{1, 3}}, // several blocks and levels
		"families":       {64, 4500, []int{0, 3, 8}},
		"one":            {64, 1, []int{3}},
		"none":           {64, 0, []int{3}},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(c.bits)))
		of := madeFingerprints(rng, c.bits, c.n)
		order := make([]uint32, len(of))
		for i, x := range rng.Perm(len(of)) {
			order[i] = uint32(x)
		}
		f := NewFingerprints(of)
		for _, k := range c.ks {
			chained := comparedComponents(of, order, k)
			for _, threads := range []int{1, 3} {
				o := Options{Threads: threads}
				few, ok, err := f.Few(t.Context(), k, o)
				if err != nil {
					t.Fatal(err)
				}
				got, err := f.Components(t.Context(), k, order, o)
				if err != nil || !slices.Equal(got, chained) {
					t.Errorf("%s, k = %d, %d threads: %v; other components", name, k, threads, err)
				}
				if ok && !slices.Equal(few.Components(order, SimilarityAt(k)), chained) {
					t.Errorf("%s, k = %d, %d threads: other components of few pairs", name, k, threads)
				}
				for _, first := range []int{0, c.n / 3} {
					want := comparedStars(of, order, first, k)
					got, err := f.Stars(t.Context(), k, order, first, o)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%s, k = %d, the first %d, %d threads: %v; other stars", name, k, first, threads, err)
					}
					if ok && !slices.Equal(few.Stars(order, first, SimilarityAt(k)), want) {
						t.Errorf("%s, k = %d, the first %d, %d threads: other stars of few pairs", name, k, first, threads)
					}
				}
			}
		}
	}
}

// Pairs within a larger distance answer for all smaller ones.
func TestFewFingerprintsAtSmallerDistances(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(5, 6)), 13, 1000)
	order := make([]uint32, len(of))
	for i := range order {
		order[i] = uint32(i)
	}
	few, ok, err := NewFingerprints(of).Few(t.Context(), 5, Options{Threads: 2})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for k := range 6 {
		if got := few.Stars(order, 0, SimilarityAt(k)); !slices.Equal(got, comparedStars(of, order, 0, k)) {
			t.Errorf("other stars within %d", k)
		}
	}
}

// A crowd has too many pairs to list, and its stars and components are found all the same.
func TestFingerprintsOfACrowd(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(7, 8)), 15, 1<<15)
	order := make([]uint32, len(of))
	for i := range order {
		order[i] = uint32(i)
	}
	f := NewFingerprints(of)
	if _, ok, err := f.Few(t.Context(), 3, Options{Threads: 2}); ok || err != nil {
		t.Errorf("%v, %v; want that there are too many pairs", ok, err)
	}
	one, err := f.Components(t.Context(), 3, order, Options{Threads: 2})
	if err != nil || slices.Max(one) != 0 {
		t.Errorf("%v; all are connected", err)
	}
	got, err := f.Stars(t.Context(), 3, order, 0, Options{Threads: 2})
	if err != nil || !slices.Equal(got, comparedStars(of, order, 0, 3)) {
		t.Errorf("%v; other stars", err)
	}
}

func TestFingerprintsStop(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(7, 8)), 64, 5000)
	order := make([]uint32, len(of))
	for i := range order {
		order[i] = uint32(i)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	f := NewFingerprints(of)
	_, _, a := f.Few(ctx, 3, Options{Threads: 2})
	_, b := f.Stars(ctx, 3, order, 0, Options{Threads: 2})
	_, c := f.Components(ctx, 3, order, Options{Threads: 2})
	for _, err := range []error{a, b, c} {
		if !errors.Is(err, stop) {
			t.Errorf("%v, want the cause", err)
		}
	}
}

func TestSimilarityAtIsExact(t *testing.T) {
	for d := range 65 {
		if got := DistanceAt(SimilarityAt(d)); got != d {
			t.Errorf("distance %d comes back as %d", d, got)
		}
	}
}

// madeFingerprints returns distinct numbers of up to so many bits, many of which are near others.
func madeFingerprints(rng *rand.Rand, width, n int) (of []uint64) {
	known := map[uint64]bool{}
	for len(of) < n {
		x := rng.Uint64()
		if len(of) > 0 && rng.IntN(2) == 0 {
			x = of[rng.IntN(len(of))]
			for range rng.IntN(6) {
				x ^= 1 << rng.IntN(width)
			}
		}
		if x &= 1<<width - 1; !known[x] {
			known[x] = true
			of = append(of, x)
		}
	}
	return of
}

// comparedStars compares each fingerprint with all centers before it.
func comparedStars(of []uint64, order []uint32, first, k int) []uint32 {
	stars := make([]uint32, len(of))
	var centers []uint32
	for at, number := range order {
		best, center := k+1, number
		for _, c := range centers {
			if d := bits.OnesCount64(of[c] ^ of[number]); at >= first && d < best {
				best, center = d, c
			}
		}
		if stars[number] = center; center == number {
			centers = append(centers, number)
		}
	}
	return stars
}

// comparedComponents compares each fingerprint with each.
func comparedComponents(of []uint64, order []uint32, k int) []uint32 {
	connected := unionfind.New(len(of)) // of places
	for a := range order {
		for b := range order[:a] {
			if bits.OnesCount64(of[order[a]]^of[order[b]]) <= k {
				connected.Union(uint32(a), uint32(b))
			}
		}
	}
	components := make([]uint32, len(of))
	for place, number := range order {
		components[number] = order[connected.Find(uint32(place))]
	}
	return components
}
