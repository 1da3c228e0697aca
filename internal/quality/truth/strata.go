package truth

import "math"

// A Stratum is a part of a finite population, of which some were drawn and marked.
type Stratum struct {
	Size   int // of the population
	Marked int // drawn, and marked as right or wrong
	Right  int
}

// Stratified returns the share of a population that is right, by the shares of its strata, with an interval of 95 %.
// Without a mark in some stratum it has no Trials, and says nothing.
//
// The variance is that of the strata, each drawn without replacement. A share of 0 or 1 of a few would seem certain:
// where not all are marked, one right and one wrong are added to those that vary, as Agresti and Coull add two of
// each. The variance says how many independent trials would be as uncertain; these have Wilson's interval, with half
// a trial at both ends, since shares near 1 are missed too often without. A stratum of which all are marked is
// certain.
//
// Sources: W. G. Cochran, "Sampling Techniques", 3rd edition (1977), section 5A; A. Agresti, B. A. Coull,
// "Approximate Is Better than 'Exact' for Interval Estimation of Binomial Proportions", The American Statistician 52
// (1998); E. L. Korn, B. I. Graubard (1998), as in groups.go, for the number of independent ones.
func Stratified(strata []Stratum) Rate {
	size, marked, right := 0, 0, 0
	for _, s := range strata {
		if s.Size > 0 && s.Marked == 0 {
			return NewRate(0, 0)
		}
		size, marked, right = size+s.Size, marked+s.Marked, right+s.Right
	}
	if marked == 0 {
		return NewRate(0, 0)
	}
	share, smooth, variance := 0.0, 0.0, 0.0
	for _, s := range strata {
		if s.Size == 0 {
			continue
		}
		weight, n := float64(s.Size)/float64(size), float64(s.Marked)
		p := float64(s.Right) / n
		share += weight * p
		if s.Marked < s.Size {
			p = (float64(s.Right) + 1) / (n + 2)
			variance += weight * weight * p * (1 - p) / n * float64(s.Size-s.Marked) / float64(s.Size-1)
		}
		smooth += weight * p
	}
	r := Rate{Hits: right, Trials: marked, Share: min(1, share), Low: share, High: share}
	if variance > 0 {
		n := smooth * (1 - smooth) / variance
		r.Low, r.High = wilsonEnds(share, n, z)
		r.Low, r.High = r.Low-1/(2*n), r.High+1/(2*n)
	}
	r.Low, r.High = max(0, r.Low), min(1, r.High)
	if right == marked {
		r.Share, r.High = 1, 1 // but for rounding
	}
	if right == 0 {
		r.Share, r.Low = 0, 0
	}
	return r
}

// wilsonEnds returns the ends of Wilson's interval around a share of n independent trials.
func wilsonEnds(p, n, deviations float64) (low, high float64) {
	square := deviations * deviations
	centre := (p + square/(2*n)) / (1 + square/n)
	half := deviations / (1 + square/n) * math.Sqrt(max(0, p*(1-p))/n+square/(4*n*n))
	return centre - half, centre + half
}

// leastDrawn is how many are drawn from each stratum, if it has so many.
const leastDrawn = 3

// Allocate divides n, of which there may be too many, among strata of the given sizes: the least number to each as
// far as n goes, and the others by the square roots of the sizes. So the large strata, which count most, are known
// best, and small ones are known, too (M. D. Bankier, "Power Allocations", The American Statistician 42, 1988).
func Allocate(sizes []int, n int) []int {
	counts := make([]int, len(sizes))
	for ; n > 0; n-- {
		best, most := -1, 0.0
		for i, size := range sizes {
			need := math.Sqrt(float64(size)) / float64(counts[i]+1)
			if counts[i] < leastDrawn {
				need = math.MaxFloat64 / float64(counts[i]+1)
			}
			if counts[i] < size && need > most {
				best, most = i, need
			}
		}
		if best < 0 {
			break
		}
		counts[best]++
	}
	return counts
}
