package intake

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/index"
	"simsearch/internal/ints"
)

// near returns x with up to n of its lowest width bits changed.
func near(r *rand.Rand, x uint64, n, width int) uint64 {
	for range r.IntN(n + 1) {
		x ^= 1 << r.IntN(width)
	}
	return x
}

func TestFingerprintsAgainstAScan(t *testing.T) {
	for _, width := range []int{32, 64} {
		for _, k := range []int{-1, 0, 1, 2, 3, 5, 7, 8, 12, width} {
			r := rand.New(rand.NewPCG(uint64(k+2), uint64(width)))
			f := newSeenFingerprints(k, width)
			var all []uint64
			random := func() uint64 { return r.Uint64() >> (64 - width) }
			for range 600 {
				q := random()
				if len(all) > 0 && r.IntN(4) > 0 {
					q = near(r, all[r.IntN(len(all))], max(0, k)+2, width)
				}
				var want, got []int
				for i, x := range all {
					if bits.OnesCount64(x^q) <= k {
						want = append(want, i)
					}
				}
				f.Near(q, func(i int) bool { got = append(got, i); return true })
				slices.Sort(got)
				if got = slices.Compact(got); !slices.Equal(got, want) {
					t.Fatalf("width %d, k %d: %016x is near %v, want %v", width, k, q, got, want)
				}
				calls := 0
				f.Near(q, func(int) bool { calls++; return false })
				if calls != min(1, len(want)) {
					t.Fatalf("%d calls after the end", calls)
				}
				all = append(all, q)
				f.Add(q)
			}
		}
	}
}

// randomSet returns a set that often resembles one of the others.
func randomSet(r *rand.Rand, others [][]uint64) []uint64 {
	in := map[uint64]bool{}
	word := func() uint64 { // some are frequent
		return (1 + uint64(r.ExpFloat64()*40)) * 0x9e3779b97f4a7c15
	}
	if len(others) > 0 && r.IntN(3) > 0 {
		drop := []int{6, 20, 1 << 30}[r.IntN(3)]
		for _, x := range others[r.IntN(len(others))] {
			if in[x] = true; r.IntN(drop) == 0 {
				delete(in, x)
			}
		}
	}
	for range r.IntN(25) {
		if len(in) < 4 || r.IntN(5) == 0 {
			in[word()] = true
		}
	}
	if r.IntN(2) == 0 || len(in) == 0 {
		in[word()] = true
	}
	var set []uint64
	for x := range in {
		set = append(set, x)
	}
	slices.Sort(set)
	return set
}

func TestSetsAgainstAScan(t *testing.T) {
	for _, threshold := range []float64{0.05, 0.3, 0.5, 0.55, 0.7, 0.8, 0.95, 1} {
		r := rand.New(rand.NewPCG(7, uint64(threshold*100)))
		s := newSeenSets(threshold)
		var all [][]uint64
		found := 0
		for i := range 900 {
			q := randomSet(r, all)
			got, want := map[int]float64{}, map[int]float64{}
			for n, x := range all {
				if j := ints.Jaccard(x, q); j >= threshold {
					want[n] = j
				}
			}
			s.Near(q, func(n int, jaccard float64) bool {
				got[n] = jaccard
				return true
			})
			if !maps.Equal(got, want) {
				t.Fatalf("threshold %v, set %d: %v, want %v: %v", threshold, i, got, want, q)
			}
			calls := 0
			if s.Near(q, func(int, float64) bool { calls++; return false }); calls != min(1, len(want)) {
				t.Fatalf("%d calls after the end", calls)
			}
			found += calls
			kept := slices.Clone(q)
			s.Add(q)
			all = append(all, kept)
			clear(q) // it was copied
		}
		s.Near(nil, func(int, float64) bool { t.Error("something is near nothing"); return false })
		if found < 30 {
			t.Errorf("threshold %v: %d of %d found", threshold, found, len(all))
		}
	}
}

func TestBothAgainstAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const k, threshold = 3, 0.6
	b := NewSeen(index.WithinAndSimilar(k, threshold), 64)
	var sets [][]uint64
	var fps []uint64
	found, onlyOne := 0, 0
	for range 1500 {
		set, fp := randomSet(r, nil), r.Uint64()
		if len(fps) > 0 && r.IntN(4) > 0 {
			like := r.IntN(len(fps))
			set, fp = randomSet(r, sets[like:like+1]), near(r, fps[like], k+1, 64)
		}
		want, nearest, how := false, 0, index.Measures{}
		for i := range fps {
			m := index.Measures{Distance: bits.OnesCount64(fps[i] ^ fp), Value: ints.Jaccard(sets[i], set)}
			byDistance, bySets := m.Distance <= k, m.Value >= threshold
			if byDistance && bySets && (!want || m.Compare(&how) < 0) {
				want, nearest, how = true, i, m
			}
			if byDistance != bySets {
				onlyOne++
			}
		}
		if got := b.Near(fp, set); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
		if i, m, ok := b.Nearest(fp, set); ok != want || i != nearest || m != how {
			t.Fatalf("the nearest is %d, %v, %v, want %d, %v, %v", i, m, ok, nearest, how, want)
		}
		if want {
			found++
		}
		b.Add(fp, set)
		sets, fps = append(sets, slices.Clone(set)), append(fps, fp)
	}
	if found < 20 || onlyOne < 20 {
		t.Errorf("%d found, %d near one way", found, onlyOne)
	}
}

// Sets of 200 features, most of which are new.
func BenchmarkSets(b *testing.B) {
	for _, n := range []int{3_000, 30_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			zipf := rand.NewZipf(r, 1.1, 8, 1<<20)
			sets := make([][]uint64, n)
			for i := range sets {
				for len(sets[i]) < 200 {
					sets[i] = append(sets[i], zipf.Uint64()*0x9e3779b97f4a7c15)
				}
				slices.Sort(sets[i])
				sets[i] = slices.Compact(sets[i])
			}
			for b.Loop() {
				s := newSeenSets(0.8)
				for _, set := range sets {
					near := false
					if s.Near(set, func(int, float64) bool { near = true; return false }); !near {
						s.Add(set)
					}
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
