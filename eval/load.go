package eval

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"os"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/lsh"
	"simsearch/preprocess"
)

// LoadOptions say how to load a collection.
type LoadOptions struct {
	Name     string
	Settings analysis.Settings // Load sets the mode and the size of signatures
	// Truth names the features that exact Jaccard similarity is of, such as "word:3", stop words
	// included. If it is empty, they are the features of Settings, without its stop words.
	Truth string
	Floor float64 // least similarity of a pair in the truth; 0 means 0.5
	Seed  uint64  // of all random choices
	// Sample is the number of documents to draw. Pairs without a drawn document are not evaluated. 0 means
	// all documents or, in a collection of more than 300,000, 10,000 of them.
	Sample  int
	Threads int
	// Memory is about how many bytes of memory to take; 0 is half of what the machine has.
	Memory int64
	// Bands, if there are any, are measured by experiments; no signature is shorter than they need. Misses
	// is the weight of misses by which others are chosen, as of lsh.Requirements without a recall; 0 chooses
	// them by the usual recall.
	Bands  []lsh.Bands
	Misses float64
	// Inputs names the inputs as a command line does, for a verdict. If it is empty, a verdict says INPUT.
	Inputs string
	// Advice says that the collection is for Advise and Judge alone: it has no weights and no fingerprints.
	Advice bool
	// Fingerprints says that the documents are ready-made fingerprints of Settings.Bits bits, for the experiments that have
	// Fingerprints set. Near in truth is what labels say; there are no exact similarities.
	Fingerprints bool
}

// Load reads a collection; of several documents with one id, the first counts. If more do not fit into the memory, it evaluates
// some of them, drawn by the seed. If too many pairs of them are near, it tries again with half of them. The error is that of
// documents, of the file system or of ctx, ErrEmpty or ErrNotFingerprint. The caller closes the collection.
func Load(ctx context.Context, documents iter.Seq2[*document.Document, error], o LoadOptions) (*Collection, error) {
	t, err := readTexts(documents, o)
	if err != nil {
		return nil, err
	}
	for {
		c, err := collect(ctx, t, o)
		if !errors.Is(err, errPairs) || !t.thin(t.limit/2) {
			return c, err
		}
	}
}

// The bytes of memory that a feature of a text takes, at most: its hash and its weight, what the truth is found by, and what
// joins keep of it. Advice tries sequences of characters, of which there is one for each byte.
const (
	featureBytes = 28
	adviceBytes  = 16
)

// featureBytes says how much memory the features of a text take.
func (o LoadOptions) featureBytes(text []byte) int64 {
	truth, _ := preprocess.ParseFeatureSpec(o.Truth)
	switch {
	case o.Fingerprints:
		return 0
	case o.Advice:
		return adviceBytes * int64(len(text))
	case truth.Kind == preprocess.CharN || o.Settings.Features.Kind == preprocess.CharN:
		return featureBytes * int64(len(text))
	}
	return featureBytes * wordsIn(text)
}

// collect returns texts as a collection.
func collect(ctx context.Context, t *texts, o LoadOptions) (*Collection, error) {
	c := &Collection{Name: o.Name, Settings: o.Settings, Floor: cmp.Or(o.Floor, defaultFloor), texts: t, bands: o.Bands, misses: o.Misses, seed: o.Seed,
		inputs: o.Inputs, threads: max(1, o.Threads), memory: memory.Or(o.Memory)}
	if o.Fingerprints {
		c.Floor, c.bare, c.Fingerprints = 1, true, t.fingerprints
		for i := range c.Fingerprints {
			c.Sets = append(c.Sets, c.Fingerprints[i:i+1]) // so that each has a feature
		}
		return c, nil
	}
	if o.Advice {
		f, err := c.analyse(ctx, c.Settings, nil)
		if err != nil {
			return nil, err
		}
		c.Sets, c.Words = f.sets, f.words
		return c, c.findTruth(ctx, o)
	}
	s := o.Settings
	s.Mode, s.Positions = analysis.Both, cmp.Or(s.Positions, analysis.DefaultPositions)
	c.Settings = s.Canonical()
	if !c.Settings.Signatures() {
		c.sketch = c.Settings.Sketch.New(c.Settings.Positions, c.Settings.Seed)
	}
	a, err := c.analysis(ctx, c.Settings)
	if err != nil {
		return nil, err
	}
	type analysed struct {
		set         []uint64
		weights     []int64
		words       int
		fingerprint uint64
		signature   []byte
	}
	err = eachText(ctx, c, func(s *scratch, text []byte) (d analysed, err error) {
		d.set, d.weights, err = a.Weights(&s.Scratch, text)
		d.set, d.words = slices.Clone(d.set), s.Document.Len()
		if err == nil {
			d.fingerprint, _, err = a.Fingerprint(&s.Scratch, text)
		}
		if len(d.set) > 0 && c.sketch == nil {
			d.signature = a.AppendSignature(nil, &s.Scratch, d.set)
		}
		return d, err
	}, func(d analysed) {
		c.Sets, c.Weights, c.Words = append(c.Sets, d.set), append(c.Weights, d.weights), append(c.Words, d.words)
		c.Fingerprints, c.signatures = append(c.Fingerprints, d.fingerprint), append(c.signatures, d.signature)
	})
	if err != nil {
		return nil, err
	}
	return c, c.findTruth(ctx, o)
}

var (
	// ErrEmpty is returned for a collection without documents.
	ErrEmpty = errors.New("the collection has no documents")
	// ErrNotFingerprint is returned for a document without a fingerprint where these are loaded.
	ErrNotFingerprint = errors.New("a document without a fingerprint")
)

const defaultFloor = 0.5

// analysis returns the analysis by settings, with the weights that are learnt from the collection.
func (c *Collection) analysis(ctx context.Context, s analysis.Settings) (_ *analysis.Analysis, err error) {
	a, err := analysis.New(s)
	if err != nil || !a.Learns() {
		return a, err
	}
	l := &fingerprint.IDFLearner{Dir: os.TempDir(), Disk: disk.OS, FeaturesInMemory: int(c.memory / 256)}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := a.Learn(ctx, c.texts.documents, c.threads, l); err != nil {
		return nil, err
	}
	model, err := l.IDF(ctx)
	return a.WithIDF(model), err
}

// findTruth draws the documents that are evaluated, and finds the pairs of the truth.
func (c *Collection) findTruth(ctx context.Context, o LoadOptions) error {
	c.draw(o.Sample)
	sets := c.Sets
	others, err := c.truthBy(o.Truth)
	if err == nil && others != nil {
		var f features
		f, err = c.analyse(ctx, *others, nil)
		sets = f.sets
	}
	if err == nil {
		c.Truth, err = c.join(ctx, sets, c.Floor)
	}
	return err
}

// truthBy returns the settings whose sets the truth is of, by the features that truth names, or nil if c.Sets are these.
func (c *Collection) truthBy(truth string) (*analysis.Settings, error) {
	c.truthSpec = cmp.Or(truth, c.Settings.Features.String())
	c.TruthFeatures = c.Settings.Features.String()
	if truth == "" || truth == c.Settings.Features.String() && c.Settings.Language == "none" {
		return nil, nil
	}
	c.TruthFeatures = truth + ", stop words included"
	s := analysis.Classic()
	s.Language = "none"
	var err error
	s.Features, err = preprocess.ParseFeatureSpec(truth)
	return &s, err
}

// If no size of the sample is given, a collection of more than sampleBeyond documents is evaluated by
// sampleOf of them.
const (
	sampleBeyond = 300_000
	sampleOf     = 10_000
)

// draw samples n documents; n = 0 means the usual number.
func (c *Collection) draw(n int) {
	if n == 0 && c.Len() > sampleBeyond {
		n = sampleOf
	}
	if n == 0 || n >= c.Len() {
		return
	}
	c.Sampled = make([]bool, c.Len())
	for _, doc := range c.random("documents").Perm(c.Len())[:n] {
		c.Sampled[doc] = true
	}
}
