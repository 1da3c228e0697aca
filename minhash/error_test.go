package minhash

import (
	"fmt"
	"math"
	"testing"

	"simsearch/internal/tests/testkit"
)

// The interval of 95 % has the similarity of 93 to 97 % of pairs, for every variant, size of set and similarity, but
// where an estimate has no error. The errors are as Deviation says. With fewer positions or elements, an estimate has
// so few values that some intervals hold in 92 %, or in more than 97.
//
// Over n trials, the share of intervals that hold has a standard deviation of √(.95·.05/n), and an estimate with a
// deviation of ε has a measured one that is off by ε/√(2n) or, where its distribution has long tails, twice that. The
// limits add four of these to what positions, which are whole numbers, and the approximations of Deviation take.
func TestIntervalsHold(t *testing.T) {
	trials := testkit.Of(300, 2000)
	noise := 4 * math.Sqrt(0.95*0.05/float64(trials))
	for _, v := range Variants() {
		for _, positions := range []int{128, 256} {
			if positions != 128 && !testkit.IsLong() {
				continue
			}
			t.Run(fmt.Sprintf("%v/%d", v, positions), func(t *testing.T) {
				t.Parallel()
				held, pairs := 0, 0
				for _, size := range []int{10, 20, 50, 200, 1000} {
					if size > 200 && (v == VariantIndependent || v == VariantXORMasks && !testkit.IsLong()) {
						continue // slow, and the same for all sizes of independent functions
					}
					for _, j := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
						holds, exact, deviation, squares := 0, 0.0, 0.0, 0.0
						for trial := range trials {
							s := v.New(positions, uint64(trial))
							var a, b []uint64
							a, b, exact = split(kinds["random"](trial, 2*size), size, j)
							got := s.Jaccard(s.Sketch(nil, a), s.Sketch(nil, b))
							if low, high := v.Range(got, positions, len(a)+len(b)); low <= exact && exact <= high {
								holds++
							}
							squares += (got - exact) * (got - exact)
							deviation = v.Deviation(exact, positions, float64(len(a)+len(b))/(1+exact))
						}
						mean, share := math.Sqrt(squares/float64(trials)), float64(holds)/float64(trials)
						what := fmt.Sprintf("size %d, J = %.3f: the interval holds in %.1f %%, the error is %.4f, and %.4f by Deviation",
							size, exact, 100*share, mean, deviation)
						if deviation == 0 || exact == 1 {
							if holds < trials || mean > 0 {
								t.Error(what)
							}
							continue
						}
						held, pairs = held+holds, pairs+trials
						if share < 0.94-noise || share > 0.96+noise || math.Abs(mean/deviation-1) > 0.05+8/math.Sqrt(2*float64(trials)) {
							t.Error(what)
						}
					}
				}
				if share := float64(held) / float64(pairs); share < 0.94 || share > 0.96 {
					t.Errorf("%.2f %% of all intervals hold", 100*share)
				}
			})
		}
	}
}

// Independent positions have the interval of Wilson, of which there is a formula.
func TestRange(t *testing.T) {
	for _, k := range []int{1, 16, 128, 1024} {
		for _, j := range []float64{0, 0.01, 0.3, 0.5, 0.81, 0.99, 1} {
			n := z * z / float64(k)
			middle, half := (j+n/2)/(1+n), math.Sqrt(n*(j*(1-j)+n/4))/(1+n)
			low, high := VariantIndependent.Range(j, k, 1000)
			if math.Abs(low-(middle-half)) > 1e-9 || math.Abs(high-(middle+half)) > 1e-9 {
				t.Errorf("%v from %d positions: %v to %v, want %v ± %v", j, k, low, high, middle, half)
			}
		}
	}
	// All features of these are in their sketches.
	if low, high := VariantBottomK.Range(0.5, 128, 150); low != 0.5 || high != 0.5 {
		t.Errorf("two sets of 75, %v to %v", low, high)
	}
}

// p of three elements is 3/8: the first bit in which they differ parts one from two; half of the masks keep the same
// side, which is the one or the two, and of two the same is the least in half of the cases. p has no leap, and
// MostDeviation is the largest of all unions.
func TestMasks(t *testing.T) {
	if two, three := sameOfMasks(2), sameOfMasks(3); two != 0.5 || math.Abs(three-0.375) > 1e-12 {
		t.Errorf("p is %v of two elements and %v of three, want 1/2 and 3/8", two, three)
	}
	if here, there := sameOfMasks(masked), sameOfMasks(masked-1e-9); math.Abs(here/there-1) > 1e-6 {
		t.Errorf("p leaps from %v to %v", there, here)
	}
	for _, v := range Variants() {
		for _, k := range []int{1, 16, 128, 1024} {
			most := v.MostDeviation(0.5, k)
			for union := 1.0; union < 3000; union++ {
				if d := v.Deviation(0.5, k, union); d > most*(1+1e-12) {
					t.Fatalf("%v, %d positions: %v for a union of %v, %v at most", v, k, d, union, most)
				}
			}
		}
	}
}
