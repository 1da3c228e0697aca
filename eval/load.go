package eval

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/parallel"
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
	// Bands, if there are any, are measured by experiments; no signature is shorter than they need. Misses
	// is the weight of misses by which others are chosen, as of lsh.Requirements without a recall; 0 chooses
	// them by the usual recall.
	Bands  []lsh.Bands
	Misses float64
	// Inputs names the inputs as a command line does, for a verdict. If it is empty, a verdict says INPUT.
	Inputs string
}

// Load reads a collection into a temporary index. It calls documents once for each pass, and each call
// returns all documents from the beginning. The error is that of documents, of the file system or of ctx,
// or ErrEmpty. The caller closes the collection.
func Load(ctx context.Context, documents func() iter.Seq2[*document.Document, error], o LoadOptions) (_ *Collection, err error) {
	if o.Floor == 0 {
		o.Floor = defaultFloor
	}
	c := &Collection{Name: o.Name, Floor: o.Floor, documents: documents, bands: o.Bands, misses: o.Misses, seed: o.Seed, inputs: o.Inputs, threads: max(1, o.Threads)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	s := o.Settings
	s.Mode = analysis.Both
	if s.Positions == 0 {
		s.Positions = analysis.DefaultPositions
	}
	c.Settings = s.Canonical()
	stored := c.Settings
	if !stored.Signatures() { // an index has none of such sketches
		c.sketch = stored.Sketch.New(stored.Positions, stored.Seed)
		stored.Positions, stored.Seed, stored.Sketch = 0, 0, 0
	}
	w, err := index.NewTemporary(stored, index.WriterOptions{Threads: c.threads})
	if err != nil {
		return c, err
	}
	if w.Learns() {
		err = w.Learn(ctx, documents())
	}
	if err == nil {
		err = w.Ingest(ctx, documents())
	}
	if err == nil {
		_, err = w.Commit(ctx)
	}
	if err == nil {
		if c.Index, err = w.Open(); errors.Is(err, index.ErrNoIndex) {
			err = ErrEmpty
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return c, err
	}
	if err := c.Index.VerifyChecksums(); err != nil {
		return c, err
	}
	sets, err := c.features(ctx, documents, o.Truth)
	if err != nil {
		return c, err
	}
	c.draw(o.Sample)
	c.Truth, err = c.join(ctx, sets, c.Floor)
	return c, err
}

// ErrEmpty is returned by Load for a collection without documents.
var ErrEmpty = errors.New("the collection has no documents")

const defaultFloor = 0.5

// features fills in the features and the fingerprints of all documents. It returns the sets that the truth is of, by the
// features that truth names.
func (c *Collection) features(ctx context.Context, documents func() iter.Seq2[*document.Document, error], truth string) (sets [][]uint64, err error) {
	n := c.Index.Len()
	c.Sets, c.Weights, c.Fingerprints, c.Words = make([][]uint64, n), make([][]int64, n), make([]uint64, n), make([]int, n)
	for doc := range n {
		if c.Fingerprints[doc], _, err = c.Index.Fingerprint(uint32(doc)); err != nil {
			return nil, err
		}
	}
	others, err := c.truthBy(truth)
	if err != nil {
		return nil, err
	}
	sets = c.Sets
	if others != nil {
		sets = make([][]uint64, n)
	}
	type analysed struct {
		set, truth []uint64
		weights    []int64
		words      int
	}
	return sets, eachDocument(ctx, c, documents, func(s *analysis.Scratch, text []byte) (a analysed, err error) {
		a.set, a.weights, err = c.Index.Analysis().Weights(s, text)
		a.set, a.words = slices.Clone(a.set), s.Document.Len()
		if others != nil {
			a.truth = slices.Clone(others.Set(s, text))
		}
		return a, err
	}, func(doc uint32, a analysed) {
		c.Sets[doc], c.Weights[doc], c.Words[doc] = a.set, a.weights, a.words
		if others != nil {
			sets[doc] = a.truth
		}
	})
}

// eachDocument calls work for each document of the index, on all threads, and take with each result, in
// order. Of several documents with one id, it takes the first, as the index does. A document without
// features counts, too.
func eachDocument[T any](ctx context.Context, c *Collection, documents func() iter.Seq2[*document.Document, error], work func(s *analysis.Scratch, text []byte) (T, error), take func(doc uint32, result T)) error {
	type item struct {
		doc    uint32
		text   []byte
		result T
	}
	const together = 64
	batches := func(yield func([]item, error) bool) {
		var b []item
		seen := make([]bool, c.Len())
		for d, err := range documents() {
			if err != nil {
				yield(nil, err)
				return
			}
			doc, ok, err := c.Index.Find(d.ID)
			if err != nil {
				yield(nil, err)
				return
			}
			if ok && !seen[doc] {
				seen[doc] = true
				b = append(b, item{doc: doc, text: slices.Clone(d.Text)})
			}
			if len(b) == together {
				if !yield(b, nil) {
					return
				}
				b = nil
			}
		}
		yield(b, nil)
	}
	return parallel.Stream(ctx, c.threads, batches, func(ctx context.Context, b []item) ([]item, error) {
		var s analysis.Scratch
		for i := range b {
			var err error
			if b[i].result, err = work(&s, b[i].text); err != nil {
				return nil, err
			}
			b[i].text = nil
		}
		return b, ctx.Err()
	}, func(b []item) error {
		for _, d := range b {
			take(d.doc, d.result)
		}
		return nil
	})
}

// truthBy returns the analysis whose sets the truth is of, by the features that truth names, or nil if c.Sets are these.
func (c *Collection) truthBy(truth string) (*analysis.Analysis, error) {
	c.truthSpec = cmp.Or(truth, c.Settings.Features.String())
	c.TruthFeatures = c.Settings.Features.String()
	if truth == "" || truth == c.Settings.Features.String() && c.Settings.Language == "none" {
		return nil, nil
	}
	c.TruthFeatures = truth + ", stop words included"
	s := analysis.Classic()
	s.Language = "none"
	var err error
	if s.Features, err = preprocess.ParseFeatureSpec(truth); err != nil {
		return nil, err
	}
	return analysis.New(s)
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
