// Package eval measures on a collection how often searches are wrong: which near pairs they miss, and
// which pairs they find that are not near. Near in truth is what has a large exact similarity, or what
// labels say.
//
//	c, err := eval.Load(ctx, documents, eval.LoadOptions{Name: "texts", Settings: analysis.Default(), Truth: "words"})
//	experiments, err := eval.FindExperiments([]string{"recall"})
//	report, err := eval.Run(ctx, c, experiments, nil)
//	err = report.WriteText(os.Stdout)
//
// Choices and Advice compare settings and recommend one. CORE and NewsCopy score searches as published
// benchmarks do.
package eval

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/index"
	"simsearch/internal/sorted"
)

// A Collection is a collection as the experiments see it: an index of it, and the exact features of
// its documents, which are numbered as those of the index are. Close removes it.
type Collection struct {
	Name     string
	Index    *index.Index // of mode both
	Settings analysis.Settings

	Sets         [][]uint64 // of each document, strictly ascending; empty where it has no features
	Weights      [][]int64  // of the features of each
	Fingerprints []uint64   // 0 where there are no features
	Labels       *Labels    // nil if there are none

	// Truth are all pairs of a Jaccard similarity of at least Floor, over the features of TruthFeatures.
	Truth         []SimilarPair
	Floor         float64
	TruthFeatures string

	Words []int // how many features each document has, with repetitions

	// Sampled are the documents that are evaluated, each with all others; nil if all are.
	Sampled []bool

	dir     string
	seed    uint64
	threads int
}

// evaluated reports whether a pair has a document that is evaluated.
func (c *Collection) evaluated(a, b uint32) bool {
	return c.Sampled == nil || c.Sampled[a] || c.Sampled[b]
}

// Close removes what Load has made.
func (c *Collection) Close() error {
	var err error
	if c.Index != nil {
		err = c.Index.Close()
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// Judge takes in labels, as ReadLabels reads them.
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
	return c.Index.Find([]byte(id))
}

// join returns the pairs of sets, of documents that are evaluated, at or above a similarity.
func (c *Collection) join(ctx context.Context, sets [][]uint64, threshold float64) ([]SimilarPair, error) {
	if c.Sampled != nil {
		return SampledPairs(ctx, sets, c.Sampled, threshold, c.threads)
	}
	return SimilarPairs(ctx, sets, threshold, c.threads)
}

// near returns how many pairs of the truth are at or above the usual threshold.
func (c *Collection) near() (n int) {
	for _, p := range c.Truth {
		if p.Jaccard >= index.DefaultThreshold {
			n++
		}
	}
	return n
}

// distance returns the distance of the fingerprints of two documents that have features.
func (c *Collection) distance(a, b uint32) int {
	return hamming.Distance(c.Fingerprints[a], c.Fingerprints[b])
}

// cosine returns the exact weighted cosine of two documents.
func (c *Collection) cosine(a, b uint32) float64 {
	return cosineOf(c.Sets[a], c.Weights[a], c.Sets[b], c.Weights[b])
}

// jaccard returns the exact similarity of the sets of two documents, by the collection's features.
func (c *Collection) jaccard(a, b uint32) float64 { return sorted.Jaccard(c.Sets[a], c.Sets[b]) }

// setBytes returns how many bytes the set of features of a document takes in an index, on the average.
func (c *Collection) setBytes() float64 {
	features := 0
	for _, set := range c.Sets {
		features += len(set)
	}
	return 8 * float64(features) / float64(max(1, c.Len()))
}

// isNear reports whether a pair is in the truth at the usual threshold.
func (c *Collection) isNear(a, b uint32) bool {
	at, ok := slices.BinarySearchFunc(c.Truth, [2]uint32{min(a, b), max(a, b)}, func(p SimilarPair, pair [2]uint32) int {
		return cmp.Or(cmp.Compare(p.A, pair[0]), cmp.Compare(p.B, pair[1]))
	})
	return ok && c.Truth[at].Jaccard >= index.DefaultThreshold
}
