// Package eval measures on a collection how often searches are wrong: which near pairs they miss, and
// which pairs they find that are not near. Near in truth is what has a large exact similarity, or what
// labels say.
//
//	c, err := eval.Load(ctx, documents, eval.LoadOptions{Name: "texts", Settings: analysis.Default(), Truth: "words"})
//	experiments, err := eval.FindExperiments([]string{"methods"}, false)
//	report, err := eval.Run(ctx, c, experiments, nil)
//	err = report.WriteBrief(os.Stdout, 0, "")
//
// Advise compares settings and recommends one.
package eval

import (
	"context"
	"errors"
	"fmt"
	"io"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
	"simsearch/minhash"
)

// A Collection is what experiments measure: documents with their exact features. Slices have an element for each
// document, in the order of Texts. Close removes what was made for it.
type Collection struct {
	Settings analysis.Settings

	Sets         [][]uint64    // hashes of the features, strictly ascending; empty without features
	Features     [][]uint64    // those that fingerprints are of, as Sets
	Weights      [][]int64     // of Features, once Weigh has been called
	Fingerprints []uint64      // 0 without features; nil for a collection that is for advice
	Labels       *truth.Labels // nil without labels

	// Truth has all pairs with an exact Jaccard similarity of 0.5 or more.
	// TruthFeatures names the features that the similarity is of.
	Truth         truth.Verdicts
	TruthFeatures string

	Words []int // number of features of each document, with repetitions

	o          LoadOptions
	texts      *texts
	index      *index.Snapshot  // of Index, once it is made
	signatures [][]byte         // of the documents with features, once sign has made them
	sketch     minhash.Sketcher // of signatures, once sign has been called
	best       *chosen          // of bestSearch, once it is known
	// drawnPairs are those of sample, once they are known.
	drawnPairs [][2]uint32
}

// pairBytes is about how much memory a pair takes in all lists that have it.
const pairBytes = 256

// mostPairs returns how many pairs of a kind fit into the memory.
func (c *Collection) mostPairs() int {
	return int(min(truth.MaxPairs, max(1<<10, c.o.Memory/pairBytes)))
}

// Close closes the index.
func (c *Collection) Close() error {
	if c.index == nil {
		return nil
	}
	return c.index.Close()
}

// Index returns an index of the documents of Load, which is made when it is first asked for. Its documents have the
// same numbers.
func (c *Collection) Index(ctx context.Context) (_ *index.Snapshot, err error) {
	if c.index != nil {
		return c.index, nil
	}
	s := c.Settings
	if !s.Signatures() { // an index has none of such sketches
		s.Positions, s.Seed, s.Sketch = 0, 0, 0
	}
	w, err := index.NewTemporary(s, index.WriterOptions{Threads: c.o.Threads, Memory: c.o.Memory / 4, Keep: index.KeepNothing})
	if err != nil {
		return nil, err
	}
	if w.Learns() {
		err = w.Learn(ctx, c.texts.documents)
	}
	if err == nil {
		err = w.Ingest(ctx, c.texts.documents)
	}
	if err == nil {
		_, err = w.Commit(ctx)
	}
	if err == nil {
		c.index, err = w.Open()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return c.index, c.index.VerifyChecksums()
}

// Judge reads labels, as ReadLabels does, and sets c.Labels.
func (c *Collection) Judge(r io.Reader) error {
	l, err := truth.ReadLabels(r, c.Find, min(truth.MaxLabels, c.mostPairs()))
	switch drawn := c.texts.drawn; {
	case drawn && errors.Is(err, truth.ErrLabels):
		return fmt.Errorf("%w (of the documents, only %s were drawn)", err, terminal.Thousands(c.Len()))
	case err != nil:
		return err
	case drawn:
		l.Unknown = 0 // documents that were not drawn are no mistake
	}
	c.Labels = l
	return nil
}

// Find returns the document with an id.
func (c *Collection) Find(id string) (doc uint32, ok bool) {
	doc, ok = c.texts.ids[id]
	return doc, ok
}

// Len returns the number of documents.
func (c *Collection) Len() int { return len(c.Sets) }

// joiner returns what finds the pairs that are evaluated.
func (c *Collection) joiner() truth.Joiner {
	return truth.Joiner{Threads: c.o.Threads, Memory: c.o.Memory, Most: c.mostPairs()}
}

// verdicts returns what is near: what the labels say or, without labels, an exact similarity of 0.8 or more.
func (c *Collection) verdicts() *truth.Verdicts {
	if c.Labels != nil {
		return &c.Labels.Verdicts
	}
	return &c.Truth
}

// distance returns the distance of the fingerprints of two documents. Both have features.
func (c *Collection) distance(a, b uint32) int {
	return hamming.Distance(c.Fingerprints[a], c.Fingerprints[b])
}

// cosine returns the exact cosine of the weighted features of two documents.
func (c *Collection) cosine(a, b uint32) float64 {
	return truth.CosineOf(c.Features[a], c.Weights[a], c.Features[b], c.Weights[b])
}

// jaccard returns the exact Jaccard similarity of two documents, over the features of their sets.
func (c *Collection) jaccard(a, b uint32) float64 { return ints.Jaccard(c.Sets[a], c.Sets[b]) }
