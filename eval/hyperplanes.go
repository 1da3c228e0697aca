package eval

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/parallel"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// A bit of a random-hyperplane sketch is the side of a plane through the origin on which a vector lies. The
// normal of the plane has independent Gaussian coordinates, one for each feature, so that two vectors with an
// angle of θ differ in a bit with a probability of exactly θ/π. Fingerprints have −1 and 1 in place of Gaussian
// coordinates, bits of a hash, which needs no random numbers and is exact only for vectors of many features.
//
// Source: M. Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, section 3
// (https://doi.org/10.1145/509907.509965).

// hyperplaneFeatures limits the number of distinct features of documents that are sketched. A feature takes
// half a microsecond if its coordinates are not kept.
const hyperplaneFeatures = 1 << 21

// Normals are the coordinates of the normals of hyperplanes. They depend on nothing but the seed and the feature. Those of the
// features that came first are kept, since most texts consist of few words.
type normals struct {
	seed   uint64
	bits   int
	source *rand.PCG
	random *rand.Rand
	kept   map[uint64]*[64]float64
	next   [64]float64
}

// keptNormals is how many features' coordinates are kept, at half a kilobyte each.
const keptNormals = 1 << 14

func newNormals(seed uint64, bits int) *normals {
	source := rand.NewPCG(0, 0)
	return &normals{seed: seed, bits: bits, source: source, random: rand.New(source), kept: map[uint64]*[64]float64{}}
}

// of returns the coordinates of a feature, of which the first bits are set, valid until the next call.
func (n *normals) of(feature uint64) *[64]float64 {
	if known := n.kept[feature]; known != nil {
		return known
	}
	to := &n.next
	if len(n.kept) < keptNormals {
		to = new([64]float64)
		n.kept[feature] = to
	}
	n.source.Seed(n.seed, feature)
	for j := range n.bits {
		to[j] = n.random.NormFloat64()
	}
	return to
}

// sketch returns a sketch of a weighted set by as many hyperplanes as bits.
func (n *normals) sketch(set []uint64, weights []int64) (sketch uint64) {
	var sums [64]float64
	for i, feature := range set {
		weight := float64(weights[i])
		for j, x := range n.of(feature)[:n.bits] {
			sums[j] += weight * x
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

// againstHyperplanes adds a table of the estimates by random hyperplanes, beside those of fingerprints.
func againstHyperplanes(ctx context.Context, c *Collection, s *Section, pairs [][2]uint32) error {
	sketches, pairs, err := hyperplaneSketches(ctx, c, pairs)
	if err != nil {
		return err
	}
	planes, hashed := newBins(), newBins()
	var theory [10]float64
	cosines, err := measurePairs(ctx, c, pairs, c.cosine)
	if err != nil {
		return err
	}
	deviations := make([]float64, len(pairs))
	err = c.eachOf(ctx, len(pairs), func(i int) error {
		deviations[i] = estimateError(cosines[i], c.Settings.Bits)
		return nil
	})
	if err != nil {
		return err
	}
	for i, p := range pairs {
		cosine, deviation := cosines[i], deviations[i]
		planes.add(cosine, fingerprint.Cosine(hamming.Distance(sketches[p[0]], sketches[p[1]]), c.Settings.Bits))
		hashed.add(cosine, fingerprint.Cosine(c.distance(p[0], p[1]), c.Settings.Bits))
		theory[tenth(cosine)] += deviation * deviation
	}
	s.Text = append(s.Text, fmt.Sprintf("Random hyperplanes are the baseline of fingerprints: %d bits, each the sign of the sum of weights times Gaussian numbers of the features, in place of −1 and 1 by the bits of a hash. They are measured on %s of the pairs. In theory is the standard deviation of the estimate if each bit differs on its own with the probability θ/π.", c.Settings.Bits, terminal.Thousands(len(pairs))))
	t := s.AddTable("Cosine from random hyperplanes, beside fingerprints", "exact cosine", "pairs", "bias, hyperplanes", "±", "error, hyperplanes", "bias, fingerprints", "error, fingerprints", "error in theory")
	for i := range planes {
		m, h := &planes[i], &hashed[i]
		if m.n == 0 {
			continue
		}
		bias, deviation := m.bias()
		hashedBias, _ := h.bias()
		t.Add(rangeOf(i), m.n, bias, z*deviation/math.Sqrt(float64(m.n)), m.error(), hashedBias, h.error(), math.Sqrt(theory[i]/float64(m.n)))
	}
	return nil
}

// euclid gathers Euclidean distances of pairs in one range of their cosine.
type euclid struct {
	n           int
	sum         float64
	least, most float64
	unit        float64 // sum of the distances of unit vectors
}

// againstDistances adds a table of the Euclidean distances of the weighted vectors, by the cosine. Unlike the cosine, they
// grow with the lengths of the texts. cosines has the cosine of each pair.
func againstDistances(ctx context.Context, c *Collection, s *Section, pairs [][2]uint32, cosines []float64) error {
	var by [10]euclid
	var withAngle, withEuclid moments
	distances, err := measurePairs(ctx, c, pairs, func(a, b uint32) float64 {
		return euclideanOf(c.Sets[a], c.Weights[a], c.Sets[b], c.Weights[b])
	})
	if err != nil {
		return err
	}
	for i, p := range pairs {
		cosine, distance := cosines[i], distances[i]
		e := &by[tenth(cosine)]
		if e.n == 0 {
			e.least = distance
		}
		e.n++
		e.sum += distance
		e.least, e.most = min(e.least, distance), max(e.most, distance)
		e.unit += math.Sqrt(max(0, 2-2*cosine))
		bits := float64(c.distance(p[0], p[1]))
		withAngle.add(math.Acos(cosine), bits)
		withEuclid.add(distance, bits)
	}
	s.Text = append(s.Text, fmt.Sprintf("The Euclidean distance of the weighted vectors, |x − y|, grows with the lengths of the texts; that of the vectors made one long, √(2 − 2·cos), is another form of the cosine. Over all pairs, the distance of fingerprints has a correlation of %s with the angle, and of %s with the Euclidean distance.",
		report.Cell(withAngle.correlation()), report.Cell(withEuclid.correlation())))
	t := s.AddTable("Euclidean distance of the weighted vectors", "exact cosine", "pairs", "mean", "least", "largest", "mean of unit vectors")
	for i, e := range by {
		if e.n > 0 {
			t.Add(rangeOf(i), e.n, e.sum/float64(e.n), e.least, e.most, e.unit/float64(e.n))
		}
	}
	return nil
}
