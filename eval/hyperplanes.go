package eval

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"

	"simsearch/fingerprint"
	"simsearch/internal/parallel"
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

// normals draws the coordinates of the normals of as many hyperplanes as bits. They depend on nothing but the seed and the feature.
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

// hyperplaneSketches returns the sketches of the documents of the first pairs, in as many pairs as
// hyperplaneFeatures allows. The pairs are distinct.
func hyperplaneSketches(ctx context.Context, c *Collection, pairs [][2]uint32) (sketches map[uint32]uint64, of [][2]uint32, err error) {
	pairs = append([][2]uint32(nil), pairs...)
	r := c.random("hyperplanes")
	r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	sketches = map[uint32]uint64{}
	var docs []uint32
	features := 0
	for _, p := range pairs {
		for _, doc := range p {
			if _, ok := sketches[doc]; !ok {
				sketches[doc] = 0
				docs = append(docs, doc)
				features += len(c.Sets[doc])
			}
		}
		of = append(of, p)
		if features > hyperplaneFeatures {
			break
		}
	}
	// Each goroutine takes one part of the documents, which are in random order.
	err = parallel.Ordered(ctx, c.threads, c.threads, func(ctx context.Context, part int) (made map[uint32]uint64, err error) {
		n := newNormals(c.seed, c.Settings.Bits)
		made = map[uint32]uint64{}
		for _, doc := range docs[part*len(docs)/c.threads : (part+1)*len(docs)/c.threads] {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			made[doc] = n.sketch(c.Sets[doc], c.Weights[doc])
		}
		return made, nil
	}, func(made map[uint32]uint64) error {
		maps.Copy(sketches, made)
		return nil
	})
	return sketches, of, err
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
