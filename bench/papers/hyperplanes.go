package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"simsearch/eval"
	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/quality/report"
)

// A bit of a random-hyperplane sketch is the side of a plane through the origin on which a vector lies. The
// normal of the plane has independent Gaussian coordinates, one for each feature, so that two vectors with an
// angle of θ differ in a bit with a probability of exactly θ/π. Fingerprints have −1 and 1 in place of Gaussian
// coordinates, bits of a hash, which needs no random numbers and is exact only for vectors of many features.
//
// Source: M. Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, section 3
// (https://doi.org/10.1145/509907.509965).

// hyperplaneFeatures limits the number of distinct features of documents that are sketched. A feature takes
// half a microsecond.
const hyperplaneFeatures = 1 << 21

// normals draws the coordinates of the normals of as many hyperplanes as bits. They depend on nothing but the seed
// and the feature.
type normals struct {
	seed   uint64
	bits   int
	source *rand.PCG
	random *rand.Rand
}

func newNormals(seed uint64, bits int) *normals {
	source := rand.NewPCG(0, 0)
	return &normals{seed, bits, source, rand.New(source)}
}

// sketch returns a sketch of a weighted set.
func (n *normals) sketch(set []uint64, weights []int64) (sketch uint64) {
	var sums [64]float64
	for i, feature := range set {
		n.source.Seed(n.seed, feature)
		for j := range n.bits {
			sums[j] += float64(weights[i]) * n.random.NormFloat64()
		}
	}
	for j := range n.bits {
		if sums[j] >= 0 {
			sketch |= 1 << j
		}
	}
	return sketch
}

// hyperplanes compares the estimates of the cosine by random hyperplanes and by fingerprints, and tells of the
// Euclidean distance of the weighted vectors.
func hyperplanes(c *eval.Collection, pairs [][2]uint32) *report.Section {
	s := &report.Section{Name: "hyperplanes", Title: "Cosine from random hyperplanes, beside fingerprints"}
	s.Text = append(s.Text, "Of each pair, the estimate of the cosine by as many bits. In theory is the standard deviation of the estimate if each bit differs on its own with the probability θ/π. "+
		"The Euclidean distance of the weighted vectors grows with the lengths of the texts.")
	n, bits := newNormals(c.Settings.Seed, c.Settings.Bits), c.Settings.Bits
	sketches := map[uint32]uint64{}
	features := 0
	sketch := func(doc uint32) uint64 {
		if _, ok := sketches[doc]; !ok {
			sketches[doc] = n.sketch(c.Sets[doc], c.Weights[doc])
			features += len(c.Sets[doc])
		}
		return sketches[doc]
	}
	type sums struct{ n, planes, planeSquares, hashes, hashSquares, theory, euclid float64 }
	var by [10]sums
	for _, p := range pairs {
		if features > hyperplaneFeatures {
			break
		}
		exact, euclid := vectors(c.Sets[p[0]], c.Weights[p[0]], c.Sets[p[1]], c.Weights[p[1]])
		planes := fingerprint.Cosine(hamming.Distance(sketch(p[0]), sketch(p[1])), bits) - exact
		hashes := fingerprint.Cosine(hamming.Distance(c.Fingerprints[p[0]], c.Fingerprints[p[1]]), bits) - exact
		deviation := estimateError(exact, bits)
		m := &by[min(9, int(exact*10))]
		m.n++
		m.planes, m.planeSquares = m.planes+planes, m.planeSquares+planes*planes
		m.hashes, m.hashSquares = m.hashes+hashes, m.hashSquares+hashes*hashes
		m.theory, m.euclid = m.theory+deviation*deviation, m.euclid+euclid
	}
	t := s.AddTable("", "exact cosine", "pairs", "bias, hyperplanes", "error, hyperplanes", "bias, fingerprints", "error, fingerprints", "error in theory", "mean Euclidean distance")
	for i, m := range by {
		if m.n > 0 {
			t.Add(fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10), int(m.n), m.planes/m.n, math.Sqrt(m.planeSquares/m.n), m.hashes/m.n, math.Sqrt(m.hashSquares/m.n), math.Sqrt(m.theory/m.n), m.euclid/m.n)
		}
	}
	return s
}

// vectors returns the cosine of two weighted sets, and their Euclidean distance, where a weight of 1.0 is
// fingerprint.WeightOne. Set a is strictly ascending and has the weights wa; b and wb likewise.
func vectors(a []uint64, wa []int64, b []uint64, wb []int64) (cosine, euclid float64) {
	var dot, aa, bb float64
	of := map[uint64]float64{}
	for i, x := range a {
		of[x] = float64(wa[i])
		aa += float64(wa[i]) * float64(wa[i])
	}
	for i, x := range b {
		dot += of[x] * float64(wb[i])
		bb += float64(wb[i]) * float64(wb[i])
	}
	return min(1, dot/math.Sqrt(aa*bb)), math.Sqrt(aa+bb-2*dot) / fingerprint.WeightOne
}

// estimateError returns the standard deviation of cos(π·d/f) for vectors with an exact cosine, if each of f
// bits differs on its own with the probability θ/π.
func estimateError(cosine float64, bits int) float64 {
	p := math.Acos(min(1, max(-1, cosine))) / math.Pi
	var mean, square float64
	for d := range bits + 1 {
		logs := lgamma(bits+1) - lgamma(d+1) - lgamma(bits-d+1)
		probability := math.Exp(logs + xlog(d, p) + xlog(bits-d, 1-p))
		x := fingerprint.Cosine(d, bits)
		mean += probability * x
		square += probability * x * x
	}
	return math.Sqrt(max(0, square-mean*mean))
}

func lgamma(n int) float64 {
	x, _ := math.Lgamma(float64(n))
	return x
}

// xlog returns n·log(p), and 0 for no n.
func xlog(n int, p float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * math.Log(p)
}
