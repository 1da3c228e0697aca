package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/match/judge"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// A Text is one of two texts to compare.
type Text struct {
	ID   string
	Text []byte
	// Given, if not nil, is the fingerprint of a document that has no text, which Compare does not take. Of a picture,
	// Hash is the kind, and the second word is the hash inside its border, or the first again.
	Given *document.Long
	Hash  imagehash.Kind
}

// A Comparison says how near two texts are, and why. Its JSON form is what `simsearch compare --json`
// prints.
type Comparison struct {
	A        Side     `json:"a"`
	B        Side     `json:"b"`
	Bits     int      `json:"bits"`           // of a fingerprint, 64 or 32
	Distance int      `json:"distance"`       // number of differing bits
	Differ   []int    `json:"differing_bits"` // ascending; bit 0 is the least significant
	Cosine   Estimate `json:"cosine"`         // of the weighted features; the estimate is cos(π·Distance/Bits)
	Jaccard  Estimate `json:"jaccard"`        // of the sets of features; the estimate is by MinHash

	// Similarity is the share of equal bits.
	Similarity float64 `json:"similarity"`
	// JaccardError is the standard error of the estimate of Jaccard.
	JaccardError float64 `json:"jaccard_standard_error"`
	// JaccardLow and JaccardHigh are where the similarity lies by its estimate and the sizes of the sets, with a
	// confidence of 95 %, as minhash.Variant.Range has it.
	JaccardLow  float64 `json:"jaccard_low"`
	JaccardHigh float64 `json:"jaccard_high"`
	// AInB is |A∩B| / |A|, the share of the distinct features of A that B has; BInA is |A∩B| / |B|. The
	// estimates follow from the estimate of Jaccard and the sizes of the sets.
	AInB Estimate `json:"a_in_b"`
	BInA Estimate `json:"b_in_a"`

	// Copy is how likely it is that one text was made from the other, as package judge says, and Judged has what
	// speaks for it. Searches judge only texts with half of their words in common.
	Copy float64 `json:"copy"`
	// NotJudged says why no search asks for that: it is for texts that have more in common.
	NotJudged string `json:"not_judged,omitempty"`
	// Verdict says what that makes of them, and Facts in which kinds of facts they differ.
	Verdict Verdict  `json:"verdict"`
	Facts   []string `json:"differs,omitempty"`
	Judged  []Judged `json:"judged"`

	Shared    int       `json:"shared"`             // number of distinct features that both have
	Heaviest  []Weights `json:"heaviest_shared"`    // by the smaller of the two weights, falling
	Differing []Weights `json:"heaviest_differing"` // by the difference of the two weights, falling

	// Words says which words the distance and the cosine are of, and which the other measures, if these differ.
	Words string `json:"-"`
}

// A Side describes one of the two texts.
type Side struct {
	ID          string `json:"id"`
	Features    int64  `json:"features"` // number of features, with repetitions
	Distinct    int    `json:"distinct"` // number of distinct features
	Fingerprint string `json:"fingerprint"`
}

// Judged is a measure of a pair by a judge, its value in [0, 1], and what it weighs: the logit of the probability is
// a constant, and each value times its weight.
type Judged struct {
	Measure string  `json:"measure"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
}

// An Estimate is an exact value and its estimate from sketches.
type Estimate struct {
	Exact    float64 `json:"exact"`
	Estimate float64 `json:"estimate"`
}

// Compare compares two texts by the settings of a. Fingerprints have the weights of a; with weights
// tfidf, a must have an IDF (see analysis.Analysis.WithIDF). Sketches have the variant, the
// positions and the seed of a, or analysis.DefaultPositions if a makes no sketches. Heaviest and Differing list up
// to top features each; features of equal weight are in ascending order. The error is that of a.Weight.
func Compare(a *analysis.Analysis, textA, textB Text, top int) (Comparison, error) {
	x, errX := sideOf(a, textA)
	y, errY := sideOf(a, textB)
	if err := cmp.Or(errX, errY); err != nil {
		return Comparison{}, err
	}
	s := a.Settings()
	positions := cmp.Or(s.Positions, analysis.DefaultPositions)
	sketcher := s.Sketch.New(positions, s.Seed)
	shared, sizeA, sizeB := ints.Shared(x.hashes, y.hashes), len(x.hashes), len(y.hashes)
	jaccard := Estimate{ints.Jaccard(x.hashes, y.hashes), sketcher.Jaccard(sketcher.Sketch(nil, x.hashes), sketcher.Sketch(nil, y.hashes))}
	c := Comparison{
		A:       x.Side,
		B:       y.Side,
		Jaccard: jaccard,
		AInB:    Estimate{float64(shared) / float64(sizeA), minhash.Containment(jaccard.Estimate, sizeA, sizeB)},
		BInA:    Estimate{float64(shared) / float64(sizeB), minhash.Containment(jaccard.Estimate, sizeB, sizeA)},
		Shared:  shared,
	}
	one, other := judge.Read(textA.Text), judge.Read(textB.Text)
	c.Copy = judge.Default.Copy(one, other, 1)
	p, compared := judge.Default.CopyOf(one, other, jaccard.Exact, math.SmallestNonzeroFloat64)
	near := p >= index.DefaultCopy
	if !compared {
		c.NotJudged = "they have too few words in common, or no three in a row among the first 64"
	}
	verdict, kinds := VerdictOf(string(textA.Text), string(textB.Text), near)
	c.Verdict, c.Facts = verdict, kinds.Names()
	for m, value := range judge.Measures(one, other) {
		measure := judge.Measure(m)
		c.Judged = append(c.Judged, Judged{measure.String(), value, judge.Default.Weight(measure)})
	}
	c.JaccardError = s.Sketch.Deviation(jaccard.Estimate, positions, float64(sizeA+sizeB)/(1+jaccard.Estimate))
	c.JaccardLow, c.JaccardHigh = s.Sketch.Range(jaccard.Estimate, positions, sizeA+sizeB)
	c.Fingerprints(document.Long{x.value}, document.Long{y.value}, s.Bits)
	c.Cosine = Estimate{Cosine(x.weighted, y.weighted), fingerprint.Cosine(c.Distance, c.Bits)}
	if len(x.weighted) != x.Distinct || len(y.weighted) != y.Distinct {
		c.Words = fmt.Sprintf("of distance and cosine: %s; of Jaccard, A in B and B in A: %s",
			describe(s.Features, s.Language), describe(s.SetFeatures, s.SetLanguage))
	}
	// Features that one text has and its fingerprint leaves out, as stop words, are part of what tells the two apart.
	if err := cmp.Or(x.weigh(a, x.set, y.set), y.weigh(a, y.set, x.set)); err != nil {
		return Comparison{}, err
	}
	c.Heaviest, c.Differing = share(x.weighted, y.weighted, top)
	return c, nil
}

// Fingerprints sets what c says of two fingerprints of so many bits.
func (c *Comparison) Fingerprints(a, b document.Long, bits int) {
	c.A.Fingerprint, c.B.Fingerprint = prints.Format(&a, bits), prints.Format(&b, bits)
	c.Bits, c.Differ = bits, []int{}
	for bit := range bits {
		if word := (bits-1)/64 - bit/64; (a[word]^b[word])>>(bit%64)&1 == 1 {
			c.Differ = append(c.Differ, bit)
		}
	}
	c.Distance = len(c.Differ)
	c.Similarity = fingerprint.Similarity(c.Distance, bits)
}

// describe says what features are made of.
func describe(of preprocess.FeatureSpec, language string) string {
	if language == preprocess.NoLanguage {
		return of.String() + " with stop words"
	}
	return of.String() + " without stop words"
}

// A side is what is known of a text.
type side struct {
	Side
	set      Features // how often the text has each feature that is compared as a set
	hashes   []uint64 // of set
	weighted Features // those of the fingerprint, by their weights in fixed point
	value    uint64   // of the fingerprint
}

// sideOf analyses a text. The error is that of a.Weight.
func sideOf(a *analysis.Analysis, text Text) (side, error) {
	var s analysis.Scratch
	x := side{Side: Side{ID: text.ID}, weighted: Features{}, hashes: slices.Clone(a.Set(&s, text.Text))}
	x.set = count(&s.Document, text.Text)
	x.Distinct = len(x.set)
	for _, n := range x.set {
		x.Features += n
	}
	a.Features(&s, text.Text)
	err := x.weigh(a, count(&s.Document, text.Text), nil)
	if err == nil {
		x.value, _, err = a.Fingerprint(&s, text.Text)
	}
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
