// Package lsh finds sets that are probably similar by locality-sensitive hashing of their
// MinHash signatures.
//
//	bands, err := lsh.Choose(lsh.Requirements{Threshold: 0.8, Recall: 0.95, Positions: 128, MaxRows: lsh.MaxRows})
//	err = lsh.Write(ctx, w, signatures, bands, threads)
//
//	t := lsh.Load(f, 3, 128)
//	b := t.Bands()
//	b.Rows = b.Depth(0.8, 0.95)
//	candidates := t.Candidates(nil, signature, b)
//
// A signature has a byte for each position (minhash.Pack). It is cut into b bands of r
// positions. Two sets are candidates if their signatures agree on all positions of some band. For sets
// of similarity s, the probability of that is 1 − (1 − sʳ)ᵇ: an S-curve. The caller has to verify
// candidates.
//
// Sources: J. Leskovec, A. Rajaraman, J. Ullman, Mining of Massive Datasets, section 3.4. Looking up a
// band by any number of its first positions is from M. Bawa, T. Condie, P. Ganesan, "LSH Forest", WWW
// 2005 (https://doi.org/10.1145/1060745.1060840).
package lsh

import (
	"fmt"
	"math"
)

// Bands say how signatures are cut: into Bands bands of Rows rows, which are positions. Band i has
// the positions [i·Rows, (i+1)·Rows).
type Bands struct {
	Bands int `json:"bands"`
	Rows  int `json:"rows"`
}

// String returns a phrase such as "13 bands of 7".
func (b Bands) String() string {
	if b.Bands == 1 {
		return fmt.Sprintf("1 band of %d", b.Rows)
	}
	return fmt.Sprintf("%d bands of %d", b.Bands, b.Rows)
}

// chance is the probability that two different values agree in the byte that is kept.
const chance = 1.0 / 256

// Probability returns the probability that two sets of Jaccard similarity s, in [0, 1],
// become candidates.
func (b Bands) Probability(s float64) float64 {
	return 1 - math.Pow(1-math.Pow(s+(1-s)*chance, float64(b.Rows)), float64(b.Bands))
}

// FalsePositives returns the area under the S-curve below a threshold t in [0, 1]. If similarities are
// uniform, this is the probability that a pair is below the threshold and becomes a candidate.
func (b Bands) FalsePositives(t float64) float64 { return integrate(b.Probability, 0, t) }

// FalseNegatives returns the area above the S-curve from a threshold t in [0, 1] on. If similarities are
// uniform, this is the probability that a pair is above the threshold and no candidate.
func (b Bands) FalseNegatives(t float64) float64 {
	return integrate(func(s float64) float64 { return 1 - b.Probability(s) }, t, 1)
}

// integrate is Simpson's rule in 64 steps. For an S-curve the error is below 1e-6.
func integrate(f func(float64) float64, from, to float64) float64 {
	const steps = 64
	h := (to - from) / steps
	sum := f(from) + f(to)
	for i := 1; i < steps; i++ {
		sum += float64(2+2*(i%2)) * f(from+float64(i)*h)
	}
	return sum * h / 3
}
