package eval

import (
	"cmp"
	"slices"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/minhash"
)

// A Comparison says how near two documents are, and why. Its JSON form is what
// `simsearch compare --json` prints.
type Comparison struct {
	A        Side     `json:"a"`
	B        Side     `json:"b"`
	Bits     int      `json:"bits"`
	Distance int      `json:"distance"`
	Differ   []int    `json:"differing_bits"` // ascending, bit 0 the least significant
	Cosine   Estimate `json:"cosine"`         // estimated by cos(π·distance/bits)
	Jaccard  Estimate `json:"jaccard"`        // estimated by MinHash

	// Similarity is the share of equal bits.
	Similarity float64 `json:"similarity"`
	// JaccardError is the standard error of the estimate of Jaccard.
	JaccardError float64 `json:"jaccard_standard_error"`

	Shared    int       `json:"shared"`             // number of distinct features in both
	Heaviest  []Weights `json:"heaviest_shared"`    // by the smaller of the two weights
	Differing []Weights `json:"heaviest_differing"` // by the difference of the weights
}

// A Side is one of two documents compared.
type Side struct {
	ID          string `json:"id"`
	Features    int64  `json:"features"` // with repetitions
	Distinct    int    `json:"distinct"`
	Fingerprint string `json:"fingerprint"`
}

// An Estimate stands beside the exact value.
type Estimate struct {
	Exact    float64 `json:"exact"`
	Estimate float64 `json:"estimate"`
}

// Weights are the weights of a feature in both documents.
type Weights struct {
	Feature string  `json:"feature"`
	A       float64 `json:"a"`
	B       float64 `json:"b"`
}

// A Weigher says what a feature weighs that occurs count times in a document, in fixed
// point: One is 1.0.
type Weigher struct {
	Weight func(feature string, count int64) int64
	One    int64
}

// Signatures of a comparison have so many positions and this seed.
const (
	positions = 128
	seed      = 0
)

// Compare compares two documents by how often features occur in both, by fingerprints of
// the given width, and lists up to top features each way. Hash and weights are those of the
// index. Both documents must have features.
func Compare(idA, idB string, countsA, countsB Features, w Weigher, hash fingerprint.Hash, bits, top int) Comparison {
	a, b := w.weigh(countsA), w.weigh(countsB)
	fpA, fpB := simHash(a, hash, bits), simHash(b, hash, bits)
	d := hamming.Distance(fpA, fpB)
	sketcher := minhash.NewFast(positions, seed)
	estimate := sketcher.Jaccard(
		sketcher.Sketch(nil, hashes(a, hash)),
		sketcher.Sketch(nil, hashes(b, hash)))
	c := Comparison{
		A:            Side{idA, countsA.Total(), len(a), fingerprint.Format(fpA, bits)},
		B:            Side{idB, countsB.Total(), len(b), fingerprint.Format(fpB, bits)},
		Bits:         bits,
		Distance:     d,
		Differ:       []int{},
		Similarity:   fingerprint.Similarity(d, bits),
		Cosine:       Estimate{Cosine(a, b), fingerprint.Cosine(d, bits)},
		Jaccard:      Estimate{Jaccard(a, b), estimate},
		JaccardError: minhash.StandardError(estimate, positions),
		Heaviest:     []Weights{},
		Differing:    []Weights{},
	}
	for bit := range bits {
		if (fpA^fpB)>>bit&1 == 1 {
			c.Differ = append(c.Differ, bit)
		}
	}
	c.addFeatures(a, b, w.One, top)
	return c
}

// weigh returns the weights of features that occur so often.
func (w *Weigher) weigh(counts Features) Features {
	weights := make(Features, len(counts))
	for f, n := range counts {
		weights[f] = w.Weight(f, n)
	}
	return weights
}

// addFeatures fills in the shared and the differing features.
func (c *Comparison) addFeatures(a, b Features, one int64, top int) {
	weights := func(f string, wa, wb int64) Weights {
		return Weights{f, float64(wa) / float64(one), float64(wb) / float64(one)}
	}
	var shared, differing []Weights
	for f, wa := range a {
		wb := b[f]
		if wb > 0 {
			shared = append(shared, weights(f, wa, wb))
		}
		if wa != wb {
			differing = append(differing, weights(f, wa, wb))
		}
	}
	for f, wb := range b {
		if a[f] == 0 {
			differing = append(differing, weights(f, 0, wb))
		}
	}
	c.Shared = len(shared)
	c.Heaviest = heaviest(shared, top, func(w Weights) float64 { return min(w.A, w.B) })
	c.Differing = heaviest(differing, top, func(w Weights) float64 { return max(w.A-w.B, w.B-w.A) })
}

// heaviest returns the top features by weight, ties in the order of the features.
func heaviest(ws []Weights, top int, weight func(Weights) float64) []Weights {
	slices.SortFunc(ws, func(x, y Weights) int {
		return cmp.Or(cmp.Compare(weight(y), weight(x)), cmp.Compare(x.Feature, y.Feature))
	})
	return append([]Weights{}, ws[:min(top, len(ws))]...)
}

func simHash(f Features, hash fingerprint.Hash, bits int) uint64 {
	var sums fingerprint.Sums
	for feature, weight := range f {
		sums.Add(hash.Sum([]byte(feature)), weight)
	}
	fp, _ := sums.Fingerprint(bits)
	return fp
}

func hashes(f Features, hash fingerprint.Hash) []uint64 {
	var out []uint64
	for feature := range f {
		out = append(out, hash.Sum([]byte(feature)))
	}
	return out
}
