package eval

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"os"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/lsh"
	"simsearch/internal/quality/truth"
	"simsearch/minhash"
	"simsearch/preprocess"
)

// LoadOptions say how to load a collection.
type LoadOptions struct {
	Name     string
	Settings analysis.Settings // Load sets the mode and the size of signatures
	// Truth names the features that exact Jaccard similarity is of, such as "words", stop words
	// included. If it is empty, they are the features of the sets of Settings, without its stop words.
	Truth   string
	Seed    uint64 // of all random choices
	Threads int
	// Memory is about how many bytes of memory to take; 0 is half of what the machine has.
	Memory int64
	// Bands, if there are any, are measured by experiments; no signature is shorter than they need.
	Bands []lsh.Bands
	// Inputs names the inputs as a command line does, for a verdict. If it is empty, a verdict says INPUT. Index
	// names an index in their place, which has Settings and, if it misses some pairs when nobody says otherwise, the
	// flag Exactly that makes it exact.
	Inputs, Index, Exactly string
	// Distance is how far fingerprints may be apart in the first table of a report, at most 16 bits; 0
	// counts equal ones.
	Distance int
	// Advice says that the collection is for Advise and Judge alone: it has no weights and no fingerprints.
	Advice bool
	// Fingerprints says that the documents are ready-made fingerprints of Settings.Bits bits, for the experiments
	// that have Fingerprints set. Near in truth is what labels say; there are no exact similarities.
	Fingerprints bool
}

// Load reads a collection; of several documents with one id, the first counts. If more do not fit into the memory, or
// texts are more than 300,000, it evaluates some of them, drawn by the seed. If too many pairs of them are near, it
// tries again with half of them. The error is that of documents, of the file system or of ctx, ErrEmpty or
// ErrNotFingerprint. The caller closes the collection.
func Load(ctx context.Context, documents iter.Seq2[*document.Document, error], o LoadOptions) (*Collection, error) {
	t, err := readTexts(documents, o)
	if err != nil {
		return nil, err
	}
	for {
		c, err := collect(ctx, t, o)
		if !errors.Is(err, truth.ErrPairs) || !t.thin(t.limit/2) {
			return c, err
		}
	}
}

// The bytes of memory that a text takes beside its features: its signature, its sets and places in more lists; and
// that a byte of it takes with its features, of which there is one for each byte, or one for some bytes: hashes,
// weights, and what joins keep of them. Advice tries sequences of characters.
const (
	textBytes      = 500
	characterBytes = 36
	wordBytes      = 12
	adviceBytes    = 16
)

// bytesOf says how much memory a text takes with its features.
func (o LoadOptions) bytesOf(text []byte) int64 {
	truth, _ := preprocess.ParseFeatureSpec(o.Truth)
	switch {
	case o.Fingerprints:
		return 0
	case o.Advice:
		return textBytes + adviceBytes*int64(len(text))
	case truth.Kind == preprocess.CharN || o.Settings.Features.Kind == preprocess.CharN:
		return textBytes + characterBytes*int64(len(text))
	}
	return textBytes + wordBytes*int64(len(text))
}

// collect returns texts as a collection.
func collect(ctx context.Context, t *texts, o LoadOptions) (*Collection, error) {
	inputs := "INPUT"
	if o.Fingerprints {
		inputs = "--format fingerprints INPUT"
	}
	o.Inputs, o.Threads, o.Memory = cmp.Or(o.Inputs, inputs), max(1, o.Threads), spill.MemoryOr(o.Memory)
	c := &Collection{o: o, Settings: o.Settings, texts: t}
	if o.Fingerprints {
		c.Truth, c.Fingerprints = truth.NewVerdicts(nil, true), make([]uint64, 0, len(t.docs))
		for i, d := range t.docs {
			c.Fingerprints = append(c.Fingerprints, d.Fingerprint)
			c.Sets = append(c.Sets, c.Fingerprints[i:i+1]) // so that each has a feature
		}
		c.Features = c.Sets
		return c, nil
	}
	var f features
	var err error
	if s := o.Settings; o.Advice {
		s.Features, s.Language = setsOf(s)
		f, err = c.analyse(ctx, s, nil)
	} else {
		s.Mode, s.Positions = analysis.Both, cmp.Or(s.Positions, analysis.DefaultPositions)
		c.Settings = s.Canonical()
		if f, err = c.featuresOf(ctx, c.Settings, []fingerprint.Weighting{s.Weights}); err == nil {
			c.Fingerprints = f.fingerprints[0]
		}
	}
	if err != nil {
		return nil, err
	}
	c.Sets, c.Features, c.Words = f.sets, f.weighed, f.words
	return c, c.findTruth(ctx)
}

// Weigh finds c.Weights, if they are not known.
func (c *Collection) Weigh(ctx context.Context) error {
	if c.Weights != nil {
		return nil
	}
	a, err := c.analysis(ctx, c.Settings)
	if err != nil {
		return err
	}
	c.Weights = make([][]int64, c.Len())
	return c.eachOf(ctx, c.Len(), func(s *analysis.Scratch, i int) (err error) {
		_, c.Weights[i], err = a.FingerprintWeights(s, c.texts.docs[i].Text)
		return err
	})
}

// sign makes the signatures, if there are none.
func (c *Collection) sign(ctx context.Context) error {
	if c.sketch != nil {
		return nil
	}
	c.sketch = c.Settings.Sketch.New(c.Settings.Positions, c.Settings.Seed)
	if !c.Settings.Signatures() {
		return nil
	}
	c.signatures = make([][]byte, c.Len())
	return c.eachOf(ctx, c.Len(), func(_ *analysis.Scratch, i int) error {
		if len(c.Sets[i]) > 0 {
			c.signatures[i] = minhash.Pack(nil, c.sketch.Sketch(nil, c.Sets[i]))
		}
		return nil
	})
}

var (
	// ErrEmpty is returned for a collection without documents.
	ErrEmpty = errors.New("the collection has no documents")
	// ErrNotFingerprint is returned for a document without a fingerprint where these are loaded.
	ErrNotFingerprint = errors.New("a document without a fingerprint")
)

// floor is the least similarity of a pair in the truth.
const floor = 0.5

// analysis returns the analysis by settings, with the weights that are learnt from the collection.
func (c *Collection) analysis(ctx context.Context, s analysis.Settings) (_ *analysis.Analysis, err error) {
	a, err := analysis.New(s)
	if err != nil || !a.Learns() {
		return a, err
	}
	l := &fingerprint.IDFLearner{Dir: os.TempDir(), Disk: disk.OS, FeaturesInMemory: int(c.o.Memory / 256)}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := a.Learn(ctx, c.texts.documents, c.o.Threads, l); err != nil {
		return nil, err
	}
	model, err := l.IDF(ctx)
	return a.WithIDF(model), err
}

// findTruth finds the pairs of the truth.
func (c *Collection) findTruth(ctx context.Context) (err error) {
	sets, of := c.Sets, c.o.Truth
	features, language := setsOf(c.Settings)
	own := features.String()
	c.o.Truth, c.TruthFeatures = cmp.Or(of, own), own
	if of != "" {
		c.TruthFeatures = of + ", stop words included"
	}
	if of != "" && (of != own || language != preprocess.NoLanguage) {
		s := analysis.Classic()
		s.Language = preprocess.NoLanguage
		if s.Features, err = preprocess.ParseFeatureSpec(of); err != nil {
			return err
		}
		f, err := c.analyse(ctx, s, nil)
		if err != nil {
			return err
		}
		sets = f.sets
	}
	near, err := c.joiner().Pairs(ctx, sets, floor)
	c.Truth = truth.NewVerdicts(near, true)
	return err
}

// features are the features of all documents by one setting, and the fingerprints by several weights.
type features struct {
	sets, weighed [][]uint64 // that are compared, and those of fingerprints
	words         []int      // number of features, with repetitions
	fingerprints  [][]uint64 // of each weighting
}

// setsOf returns the features of the sets of settings, and the language of the stop words that they lack.
func setsOf(s analysis.Settings) (f preprocess.FeatureSpec, language string) {
	if s.SetLanguage == "" {
		return s.Features, s.Language
	}
	return s.SetFeatures, s.SetLanguage
}

// analyse returns the features of all texts, with fingerprints by each of the weights. The weights of s do not
// matter.
func (c *Collection) analyse(ctx context.Context, s analysis.Settings, weights []fingerprint.Weighting) (features, error) {
	s.Mode, s.SetFeatures, s.SetLanguage, s.Positions, s.Seed, s.Sketch = analysis.SimHash, preprocess.FeatureSpec{}, "", 0, 0, 0
	s.Weights = fingerprint.TF
	n := len(c.texts.docs)
	f := features{sets: make([][]uint64, n), words: make([]int, n)}
	f.weighed = f.sets
	a, err := c.analysis(ctx, s)
	if err == nil {
		err = c.eachOf(ctx, n, func(sc *analysis.Scratch, doc int) error {
			f.sets[doc] = slices.Clone(a.Set(sc, c.texts.docs[doc].Text))
			f.words[doc] = sc.Document.Len()
			return nil
		})
	}
	for _, s.Weights = range weights {
		if err == nil {
			a, err = c.analysis(ctx, s)
		}
		if err != nil {
			return f, err
		}
		values := make([]uint64, n)
		f.fingerprints = append(f.fingerprints, values)
		err = c.eachOf(ctx, n, func(sc *analysis.Scratch, doc int) (err error) {
			values[doc], _, err = a.Fingerprint(sc, c.texts.docs[doc].Text)
			return err
		})
	}
	return f, err
}
