package explain

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
	// AInB and BInA are which share of the distinct features of one are features of the other:
	// |A∩B| / |A| and |A∩B| / |B|, estimated from the estimate of Jaccard and the sizes.
	AInB Estimate `json:"a_in_b"`
	BInA Estimate `json:"b_in_a"`

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
	Weight func(feature string, count int64) (int64, error)
	One    int64
}

// Options are how two documents are compared; those of an index make its fingerprints and
// signatures.
type Options struct {
	Weigher
	Hash fingerprint.Hash
	Bits int // of the fingerprints
	// Positions and Seed are those of the signatures; 0 positions are 128.
	Positions int
	Seed      uint64
	Top       int // how many features are listed each way
}

// defaultPositions are those of signatures if the options name none.
const defaultPositions = 128

// Compare compares two documents by how often features occur in both. Both must have features.
// The error is that of the Weigher.
func Compare(idA, idB string, countsA, countsB Features, o Options) (Comparison, error) {
	if o.Positions == 0 {
		o.Positions = defaultPositions
	}
	a, err := o.weigh(countsA)
	if err != nil {
		return Comparison{}, err
	}
	b, err := o.weigh(countsB)
	if err != nil {
		return Comparison{}, err
	}
	fpA, fpB := simHash(a, o.Hash, o.Bits), simHash(b, o.Hash, o.Bits)
	d := hamming.Distance(fpA, fpB)
	sketcher := minhash.NewFast(o.Positions, o.Seed)
	jaccard := Estimate{
		Exact:    Jaccard(a, b),
		Estimate: sketcher.Jaccard(sketcher.Sketch(nil, hashes(a, o.Hash)), sketcher.Sketch(nil, hashes(b, o.Hash))),
	}
	c := Comparison{
		A:            Side{idA, countsA.Total(), len(a), fingerprint.Format(fpA, o.Bits)},
		B:            Side{idB, countsB.Total(), len(b), fingerprint.Format(fpB, o.Bits)},
		Bits:         o.Bits,
		Distance:     d,
		Differ:       []int{},
		Similarity:   fingerprint.Similarity(d, o.Bits),
		Cosine:       Estimate{Cosine(a, b), fingerprint.Cosine(d, o.Bits)},
		Jaccard:      jaccard,
		JaccardError: minhash.StandardError(jaccard.Estimate, o.Positions),
		AInB:         containment(a, b, jaccard.Estimate),
		BInA:         containment(b, a, jaccard.Estimate),
		Heaviest:     []Weights{},
		Differing:    []Weights{},
	}
	for bit := range o.Bits {
		if (fpA^fpB)>>bit&1 == 1 {
			c.Differ = append(c.Differ, bit)
		}
	}
	c.addFeatures(a, b, o.One, o.Top)
	return c, nil
}

// containment returns which share of the distinct features of a are features of b.
func containment(a, b Features, jaccard float64) Estimate {
	return Estimate{Containment(a, b), minhash.Containment(jaccard, len(a), len(b))}
}

// weigh returns the weights of features that occur so often.
func (w *Weigher) weigh(counts Features) (Features, error) {
	weights := make(Features, len(counts))
	for f, n := range counts {
		weight, err := w.Weight(f, n)
		if err != nil {
			return nil, err
		}
		weights[f] = weight
	}
	return weights, nil
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
