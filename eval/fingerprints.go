package eval

import (
	"errors"
	"fmt"
	"iter"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/memory"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// ErrNotFingerprint is returned by LoadFingerprints for a document that is no ready-made fingerprint.
var ErrNotFingerprint = errors.New("a document without a fingerprint")

// LoadFingerprints reads a collection of ready-made fingerprints of so many bits, as Load does, for the experiments that have
// Fingerprints set. Near in truth is what labels say; there are no exact similarities. The error is that of documents,
// ErrNotFingerprint or ErrEmpty. Close has nothing to remove.
func LoadFingerprints(documents iter.Seq2[*document.Document, error], bits int, o LoadOptions) (*Collection, error) {
	checked := func(yield func(*document.Document, error) bool) {
		for d, err := range documents {
			if err == nil && !d.HasFingerprint {
				err = ErrNotFingerprint
			}
			if !yield(d, err) {
				return
			}
		}
	}
	t, err := readTexts(checked, o.Seed, memory.Or(o.Memory)/4*3, func([]byte) int64 { return 0 })
	if err != nil {
		return nil, err
	}
	c := newCollection(t, o)
	c.Settings, c.Floor, c.bare = analysis.Classic(), 1, true
	c.Settings.Bits = bits
	c.Fingerprints = t.fingerprints
	for i := range c.Fingerprints {
		c.Sets = append(c.Sets, c.Fingerprints[i:i+1]) // so that each has a feature
	}
	return c, nil
}

// fingerprintFacts is facts of a collection of ready-made fingerprints.
func fingerprintFacts(c *Collection) []report.Fact {
	facts := []report.Fact{{Name: "documents", Value: fmt.Sprintf("%s of %d bits, %s of them distinct", terminal.Plural(c.Len(), "ready-made fingerprint"), c.Settings.Bits, terminal.Thousands(len(distinctOf(c))))}}
	if l := c.Labels; l != nil {
		facts = append(facts, report.Fact{Name: "labels", Value: fmt.Sprintf("%s labelled near, %s not near", terminal.Plural(l.Near, "pair"), terminal.Thousands(l.Apart))})
	}
	return facts
}
