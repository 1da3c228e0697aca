package eval

import (
	"errors"
	"fmt"
	"iter"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// ErrNotFingerprint is returned by LoadFingerprints for a document that is no ready-made fingerprint.
var ErrNotFingerprint = errors.New("a document without a fingerprint")

// LoadFingerprints reads a collection of ready-made fingerprints of so many bits, for the experiments that have
// Fingerprints set. Of several with one id it takes the first. Near in truth is what labels say; there are no exact
// similarities. The error is that of documents, ErrNotFingerprint or ErrEmpty. Close has nothing to remove.
func LoadFingerprints(documents iter.Seq2[*document.Document, error], bits int, o LoadOptions) (*Collection, error) {
	c := newCollection(&Texts{ids: map[string]uint32{}}, o)
	c.Settings, c.Floor, c.bare = analysis.Classic(), 1, true
	c.Settings.Bits = bits
	for d, err := range documents {
		switch {
		case err != nil:
			return nil, err
		case !d.HasFingerprint:
			return nil, ErrNotFingerprint
		}
		if _, known := c.texts.ids[string(d.ID)]; known {
			continue
		}
		c.texts.ids[string(d.ID)] = uint32(len(c.Sets))
		c.Sets = append(c.Sets, []uint64{d.Fingerprint}) // so that each has a feature
		c.Fingerprints = append(c.Fingerprints, d.Fingerprint)
	}
	if c.Len() == 0 {
		return nil, ErrEmpty
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
