package truth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// One stratum that is much larger than what is drawn has Wilson's interval, and half a mark at both ends.
func TestOneStratum(t *testing.T) {
	for _, right := range []int{0, 7, 40} {
		got, want := Stratified([]Stratum{{1 << 30, 40, right}}), NewRate(right, 40)
		if math.Abs(got.Share-want.Share) > 1e-6 || math.Abs(got.Low-max(0, want.Low-1.0/80)) > 1e-6 || math.Abs(got.High-min(1, want.High+1.0/80)) > 1e-6 {
			t.Errorf("%d of 40: %+v, want %+v", right, got, want)
		}
	}
}

func TestStratified(t *testing.T) {
	if r := Stratified([]Stratum{{10, 10, 9}, {30, 30, 30}}); r.Low != r.Share || r.High != r.Share || math.Abs(r.Share-39.0/40) > 1e-12 {
		t.Errorf("all are marked: %+v", r)
	}
	for _, none := range [][]Stratum{nil, {{10, 3, 3}, {5, 0, 0}}} {
		if r := Stratified(none); r.Trials != 0 || r.Low != 0 || r.High != 1 {
			t.Errorf("%v: %+v", none, r)
		}
	}
	if r := Stratified([]Stratum{{1000, 20, 20}, {7, 3, 3}, {0, 0, 0}}); r.Share != 1 || r.High != 1 || r.Low < 0.75 || r.Low > 0.9 {
		t.Errorf("without an error: %+v", r)
	}
	// Half of the population is known to be right: the interval is half as wide.
	part, whole := Stratified([]Stratum{{1000, 40, 36}}), Stratified([]Stratum{{1000, 40, 36}, {1000, 1000, 1000}})
	if got, want := whole.High-whole.Low, (part.High-part.Low)/2; math.Abs(got/want-1) > 0.1 {
		t.Errorf("half is known: %v wide, want %v", got, want)
	}
}

// drawn returns how many of n that are drawn from a stratum without replacement are right.
func drawn(r *rand.Rand, size, wrong, n int) (right int) {
	for ; n > 0; n-- {
		if r.IntN(size) < wrong {
			wrong--
		} else {
			right++
		}
		size--
	}
	return right
}

// The share of a population lies in the interval of nine reviewers in ten at least, however large the strata are and
// wherever the errors stand.
func TestReviewers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(60, 200))
	for _, sizes := range [][]int{{1000, 800, 600, 400, 200}, {12_000, 300, 100, 40, 5}, {40, 30, 20, 10, 5}, {6, 5000}, {300}, {9, 8, 7, 6}} {
		for _, errors := range [][]float64{{0}, {0.01}, {0.05}, {0.3, 0.1, 0.03, 0.01, 0}, {0, 0.01, 0.03, 0.1, 0.3}, {0, 0, 0, 0, 1}, {0.5}, {0.02, 0, 0, 0, 0.4}} {
			for _, n := range []int{20, 60} {
				counts := Allocate(sizes, n)
				held, wide := 0, 0.0
				const reviewers = 1000
				for range reviewers {
					var strata []Stratum
					all, right := 0, 0
					for i, size := range sizes {
						wrong := int(math.Round(errors[i%len(errors)] * float64(size)))
						strata = append(strata, Stratum{size, counts[i], drawn(r, size, wrong, counts[i])})
						all, right = all+size, right+size-wrong
					}
					is := Stratified(strata)
					if truth := float64(right) / float64(all); is.Low-1e-9 <= truth && truth <= is.High+1e-9 {
						held++
					}
					wide += is.High - is.Low
				}
				what := fmt.Sprintf("strata of %v, errors %v, %d marks %v", sizes, errors, n, counts)
				t.Logf("%s: %.3f, %.3f wide", what, float64(held)/reviewers, wide/reviewers)
				if held < reviewers*9/10 {
					t.Errorf("%s: the interval holds for %d of %d", what, held, reviewers)
				}
			}
		}
	}
}

func TestAllocate(t *testing.T) {
	for _, sizes := range [][]int{nil, {0, 4}, {1, 100, 10_000}, {3, 3}} {
		for n := range 40 {
			sum, all := 0, 0
			for i, count := range Allocate(sizes, n) {
				if count > sizes[i] || n >= leastDrawn*len(sizes) && count < min(sizes[i], leastDrawn) {
					t.Errorf("%d of %v: %d of stratum %d", n, sizes, count, i)
				}
				sum, all = sum+count, all+sizes[i]
			}
			if sum != min(n, all) {
				t.Errorf("%d of %v: %d", n, sizes, sum)
			}
		}
	}
}
