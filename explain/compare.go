package explain

import (
	"cmp"
	"errors"

	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/minhash"
)

// A Text is one of two texts to compare.
type Text struct {
	ID   string
	Text []byte
}

// A Comparison says how near two texts are, and why. Its JSON form is what `simsearch compare --json`
// prints.
type Comparison struct {
	A        Side     `json:"a"`
	B        Side     `json:"b"`
	Bits     int      `json:"bits"`           // of a fingerprint, 64 or 32
	Distance int      `json:"distance"`       // number of differing bits, or NoDistance
	Differ   []int    `json:"differing_bits"` // ascending; bit 0 is the least significant
	Cosine   Estimate `json:"cosine"`         // of the weighted features; the estimate is cos(π·Distance/Bits)
	Jaccard  Estimate `json:"jaccard"`        // of the sets of features; the estimate is by MinHash

	// Similarity is the share of equal bits.
	Similarity float64 `json:"similarity"`
	// JaccardError is the standard error of the estimate of Jaccard.
	JaccardError float64 `json:"jaccard_standard_error"`
	// JaccardLow and JaccardHigh are where the similarity lies by its estimate, with a confidence of 95 %, as
	// minhash.Range has it.
	JaccardLow  float64 `json:"jaccard_low"`
	JaccardHigh float64 `json:"jaccard_high"`
	// AInB is |A∩B| / |A|, the share of the distinct features of A that B has; BInA is |A∩B| / |B|. The
	// estimates follow from the estimate of Jaccard and the sizes of the sets.
	AInB Estimate `json:"a_in_b"`
	BInA Estimate `json:"b_in_a"`

	Shared    int       `json:"shared"`             // number of distinct features that both have
	Heaviest  []Weights `json:"heaviest_shared"`    // by the smaller of the two weights, falling
	Differing []Weights `json:"heaviest_differing"` // by the difference of the two weights, falling
}

// NoDistance is the distance where one of the texts has no fingerprint, since all its words are stop words.
const NoDistance = -1

// A Side describes one of the two texts.
type Side struct {
	ID          string `json:"id"`
	Features    int64  `json:"features"`    // number of features, with repetitions
	Distinct    int    `json:"distinct"`    // number of distinct features
	Fingerprint string `json:"fingerprint"` // "" if all words are stop words
}

// An Estimate is an exact value and its estimate from sketches.
type Estimate struct {
	Exact    float64 `json:"exact"`
	Estimate float64 `json:"estimate"`
}

// ErrNoFeatures is returned for a text without features. It has no fingerprint, and is near nothing.
var ErrNoFeatures = errors.New("a text without features cannot be compared")

// Compare compares two texts by the settings of a. Fingerprints have the weights of a; with weights
// tfidf, a must have an IDF (see analysis.Analysis.WithIDF). Sketches have the variant, the
// positions and the seed of a, or analysis.DefaultPositions if a makes no sketches. Heaviest and Differing list up
// to top features each; features of equal weight are in ascending order. The error is ErrNoFeatures
// or that of a.Weight.
func Compare(a *analysis.Analysis, textA, textB Text, top int) (Comparison, error) {
	setA, setB := CountSet(a, textA.Text), CountSet(a, textB.Text)
	if len(setA) == 0 || len(setB) == 0 {
		return Comparison{}, ErrNoFeatures
	}
	s := a.Settings()
	x, err := Count(a, textA.Text).weigh(a)
	if err != nil {
		return Comparison{}, err
	}
	y, err := Count(a, textB.Text).weigh(a)
	if err != nil {
		return Comparison{}, err
	}
	fpA, okA := x.simHash(s)
	fpB, okB := y.simHash(s)
	positions := cmp.Or(s.Positions, analysis.DefaultPositions)
	sketcher := s.Sketch.New(positions, s.Seed)
	jaccard := Estimate{
		Exact:    Jaccard(setA, setB),
		Estimate: sketcher.Jaccard(sketcher.Sketch(nil, setA.hashes(s)), sketcher.Sketch(nil, setB.hashes(s))),
	}
	c := Comparison{
		A:            Side{textA.ID, setA.total(), len(setA), formatFingerprint(fpA, okA, s.Bits)},
		B:            Side{textB.ID, setB.total(), len(setB), formatFingerprint(fpB, okB, s.Bits)},
		Bits:         s.Bits,
		Distance:     NoDistance,
		Differ:       []int{},
		Jaccard:      jaccard,
		JaccardError: minhash.StandardError(jaccard.Estimate, positions),
		AInB:         Estimate{Containment(setA, setB), minhash.Containment(jaccard.Estimate, len(setA), len(setB))},
		BInA:         Estimate{Containment(setB, setA), minhash.Containment(jaccard.Estimate, len(setB), len(setA))},
	}
	c.JaccardLow, c.JaccardHigh = minhash.Range(jaccard.Estimate, positions)
	if okA && okB {
		c.Distance = hamming.Distance(fpA, fpB)
		for bit := range c.Bits {
			if (fpA^fpB)>>bit&1 == 1 {
				c.Differ = append(c.Differ, bit)
			}
		}
		c.Similarity = fingerprint.Similarity(c.Distance, c.Bits)
		c.Cosine = Estimate{Cosine(x, y), fingerprint.Cosine(c.Distance, c.Bits)}
	}
	if err := addOnlyIn(x, setA, setB, a); err != nil {
		return Comparison{}, err
	}
	if err := addOnlyIn(y, setB, setA, a); err != nil {
		return Comparison{}, err
	}
	_, c.Heaviest, c.Differing = share(x, y, top)
	c.Shared, _, _ = share(setA, setB, 0)
	return c, nil
}

// formatFingerprint returns the text form of a fingerprint, "" if there is none.
func formatFingerprint(fp uint64, ok bool, width int) string {
	if !ok {
		return ""
	}
	return fingerprint.Format(fp, width)
}

// addOnlyIn adds to weighted the features of set that other lacks and the fingerprint leaves out, as
// stop words: they are part of what tells the two texts apart.
func addOnlyIn(weighted, set, other Features, a *analysis.Analysis) error {
	for feature, count := range set {
		if weighted[feature] != 0 || other[feature] != 0 {
			continue
		}
		w, err := a.Weight(feature, count)
		if err != nil {
			return err
		}
		weighted[feature] = w
	}
	return nil
}

// simHash returns the fingerprint of weighted features. It is the one that an index stores.
func (f Features) simHash(s analysis.Settings) (fp uint64, ok bool) {
	var sums fingerprint.Sums
	for feature, weight := range f {
		sums.Add(s.HashFeature(s.Features, []byte(feature)), weight)
	}
	return sums.Fingerprint(s.Bits)
}

// hashes returns the hashes of the features of a set, in no particular order.
func (f Features) hashes(s analysis.Settings) []uint64 {
	kind := s.Features
	if s.Sets() {
		kind = s.SetFeatures
	}
	var out []uint64
	for feature := range f {
		out = append(out, s.HashFeature(kind, []byte(feature)))
	}
	return out
}
