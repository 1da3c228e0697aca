// Package eval measures on a collection how often searches are wrong: which near pairs they miss, and
// which pairs they find that are not near. Near in truth is what has a large exact similarity, or what
// labels say.
//
//	c, err := eval.Load(ctx, documents, eval.LoadOptions{Name: "texts", Settings: analysis.Classic(), Truth: "words"})
//	experiments, err := eval.FindExperiments([]string{"recall"})
//	report, err := eval.Run(ctx, c, experiments, nil)
//	err = report.WriteText(os.Stdout)
//
// Advise compares settings and recommends one. Package eval/protocol scores searches as
// published benchmarks do.
package eval

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/hamming"
	"simsearch/index"
	"simsearch/internal/ints"
	"simsearch/lsh"
	"simsearch/minhash"
)

// A Collection is what experiments measure: an index, and the exact features of its documents. Slices
// have an element for each document of the index, in its order. Close removes the collection.
type Collection struct {
	Name     string
	Index    *index.Snapshot // of mode both; nil for a collection of LoadTexts
	Settings analysis.Settings

	Sets         [][]uint64 // hashes of the features, strictly ascending; empty without features
	Weights      [][]int64  // of the features in Sets
	Fingerprints []uint64   // 0 without features
	Labels       *Labels    // nil without labels

	// Truth has all pairs with an exact Jaccard similarity of Floor or more, by A, then by B.
	// TruthFeatures names the features that the similarity is of.
	Truth         []SimilarPair
	Floor         float64
	TruthFeatures string

	Words []int // number of features of each document, with repetitions

	bare bool // ready-made fingerprints: Sets and Weights say nothing

	// Sampled marks the documents that are evaluated, each with all others. It is nil if all documents
	// are evaluated.
	Sampled []bool

	documents func() iter.Seq2[*document.Document, error] // all, from the beginning
	truthSpec string                                      // TruthFeatures as a flag has them
	texts     *Texts                                      // without an index; nil with one
	sketch    minhash.Sketcher                            // of sketches without positions, which the index does not have; nil for others
	bands     []lsh.Bands                                 // that were named
	misses    float64                                     // the weight of misses; 0 is the usual choice
	seed      uint64
	inputs    string  // as a command names them
	best      *chosen // of bestSearch, once it is known
	// drawnPairs are those of sample, once they are known.
	drawnPairs [][2]uint32
	threads    int
}

// evaluated reports whether one document of a pair, or both, is evaluated.
func (c *Collection) evaluated(a, b uint32) bool {
	return c.Sampled == nil || c.Sampled[a] || c.Sampled[b]
}

// Close closes the index.
func (c *Collection) Close() error {
	if c.Index == nil {
		return nil
	}
	return c.Index.Close()
}

// Judge reads labels, as ReadLabels does, and sets c.Labels.
func (c *Collection) Judge(r io.Reader) error {
	l, err := ReadLabels(r, c.Find)
	if err != nil {
		return err
	}
	l.restrict(c.evaluated)
	c.Labels = l
	return nil
}

// Len returns the number of documents.
func (c *Collection) Len() int { return len(c.Sets) }

// Find returns the document with an id. The error is index.ErrCorrupt.
func (c *Collection) Find(id string) (doc uint32, ok bool, err error) {
	if c.texts != nil {
		doc, ok = c.texts.ids[id]
		return doc, ok, nil
	}
	return c.Index.Find([]byte(id))
}

// join returns the pairs that are evaluated with a similarity of threshold or more.
func (c *Collection) join(ctx context.Context, sets [][]uint64, threshold float64) ([]SimilarPair, error) {
	if c.Sampled != nil {
		return SampledPairs(ctx, sets, c.Sampled, threshold, c.threads)
	}
	return SimilarPairs(ctx, sets, threshold, c.threads)
}

// near returns the number of pairs in the truth at or above the usual threshold.
func (c *Collection) near() (n int) {
	for _, p := range c.Truth {
		if p.Jaccard >= index.DefaultThreshold {
			n++
		}
	}
	return n
}

// distance returns the distance of the fingerprints of two documents. Both have features.
func (c *Collection) distance(a, b uint32) int {
	return hamming.Distance(c.Fingerprints[a], c.Fingerprints[b])
}

// cosine returns the exact cosine of the weighted features of two documents.
func (c *Collection) cosine(a, b uint32) float64 {
	return cosineOf(c.Sets[a], c.Weights[a], c.Sets[b], c.Weights[b])
}

// jaccard returns the exact Jaccard similarity of two documents, over the features of the settings.
func (c *Collection) jaccard(a, b uint32) float64 { return ints.Jaccard(c.Sets[a], c.Sets[b]) }

// setBytes returns the average size of a document's set of features in an index, in bytes.
func (c *Collection) setBytes() float64 { return setBytes(c.Sets) }

// isNear reports whether a pair is in the truth at the usual threshold.
func (c *Collection) isNear(a, b uint32) bool {
	return c.similarInTruth(a, b) >= index.DefaultThreshold
}

// similarInTruth returns the exact similarity of a pair in the truth, or 0.
func (c *Collection) similarInTruth(a, b uint32) float64 {
	at, ok := slices.BinarySearchFunc(c.Truth, [2]uint32{min(a, b), max(a, b)}, func(p SimilarPair, pair [2]uint32) int {
		return cmp.Or(cmp.Compare(p.A, pair[0]), cmp.Compare(p.B, pair[1]))
	})
	if !ok {
		return 0
	}
	return c.Truth[at].Jaccard
}
