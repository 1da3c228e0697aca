package explain

import (
	"cmp"
	"errors"
	"slices"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/analysis"
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
	// JaccardLow and JaccardHigh are where the similarity lies by its estimate and the sizes of the sets, with a confidence of
	// 95 %, as minhash.Variant.Range has it.
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
	x, errX := sideOf(a, textA.Text)
	y, errY := sideOf(a, textB.Text)
	if err := cmp.Or(errX, errY); err != nil {
		return Comparison{}, err
	}
	s := a.Settings()
	positions := cmp.Or(s.Positions, analysis.DefaultPositions)
	sketcher := s.Sketch.New(positions, s.Seed)
	jaccard := Estimate{Jaccard(x.set, y.set), sketcher.Jaccard(sketcher.Sketch(nil, x.hashes), sketcher.Sketch(nil, y.hashes))}
	c := Comparison{
		A:        x.told(textA.ID, s.Bits),
		B:        y.told(textB.ID, s.Bits),
		Bits:     s.Bits,
		Distance: NoDistance,
		Differ:   []int{},
		Jaccard:  jaccard,
		AInB:     Estimate{Containment(x.set, y.set), minhash.Containment(jaccard.Estimate, len(x.set), len(y.set))},
		BInA:     Estimate{Containment(y.set, x.set), minhash.Containment(jaccard.Estimate, len(y.set), len(x.set))},
		Shared:   x.set.shared(y.set),
	}
	sizes := len(x.set) + len(y.set)
	c.JaccardError = s.Sketch.Deviation(jaccard.Estimate, positions, float64(sizes)/(1+jaccard.Estimate))
	c.JaccardLow, c.JaccardHigh = s.Sketch.Range(jaccard.Estimate, positions, sizes)
	if x.has && y.has {
		c.Distance = hamming.Distance(x.fingerprint, y.fingerprint)
		for bit := range c.Bits {
			if (x.fingerprint^y.fingerprint)>>bit&1 == 1 {
				c.Differ = append(c.Differ, bit)
			}
		}
		c.Similarity = fingerprint.Similarity(c.Distance, c.Bits)
		c.Cosine = Estimate{Cosine(x.weighted, y.weighted), fingerprint.Cosine(c.Distance, c.Bits)}
	}
	// Features that one text has and its fingerprint leaves out, as stop words, are part of what tells the two apart.
	if err := cmp.Or(x.weigh(a, x.set, y.set), y.weigh(a, y.set, x.set)); err != nil {
		return Comparison{}, err
	}
	c.Heaviest, c.Differing = share(x.weighted, y.weighted, top)
	return c, nil
}

// A side is what is known of a text.
type side struct {
	set         Features // how often the text has each feature that is compared as a set
	hashes      []uint64 // of set
	weighted    Features // those of the fingerprint, by their weights in fixed point
	fingerprint uint64
	has         bool // a fingerprint
}

// sideOf analyses a text. The error is ErrNoFeatures or that of a.Weight.
func sideOf(a *analysis.Analysis, text []byte) (x side, err error) {
	var s analysis.Scratch
	x.hashes = slices.Clone(a.Set(&s, text))
	if x.set = count(&s.Document); len(x.set) == 0 {
		return x, ErrNoFeatures
	}
	x.weighted = Features{}
	if err := x.weigh(a, Count(a, text), nil); err != nil {
		return x, err
	}
	x.fingerprint, x.has, err = a.Fingerprint(&s, text)
	return x, err
}

// weigh adds the features of counts that other lacks to x.weighted, unless it has them.
func (x *side) weigh(a *analysis.Analysis, counts, other Features) error {
	for feature, count := range counts {
		if x.weighted[feature] != 0 || other[feature] != 0 {
			continue
		}
		w, err := a.Weight(feature, count)
		if err != nil {
			return err
		}
		x.weighted[feature] = w
	}
	return nil
}

// told returns a Side of a text.
func (x *side) told(id string, bits int) Side {
	is := Side{ID: id, Distinct: len(x.set)}
	for _, n := range x.set {
		is.Features += n
	}
	if x.has {
		is.Fingerprint = fingerprint.Format(x.fingerprint, bits)
	}
	return is
}
