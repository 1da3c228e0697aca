package dedup

import (
	"context"
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/join"
	"simsearch/section"
)

// Documents are compared by their fingerprints if Options.Settings are those of mode simhash. Then the distinct set of a
// document has its fingerprint alone. So what is done with sets is done with fingerprints: distinct ones are kept once, a
// journal and a state have them, and groups are made in the same way. Only a relation knows how near they are. Their
// similarity is the share of bits in which they agree, as that of join.Fingerprints.

// DefaultFingerprints returns the settings of fingerprints as an index has them by default.
func DefaultFingerprints() analysis.Settings { return analysis.Classic() }

// MaxDistance is the largest Options.Distance: at the next one, all fingerprints would be near.
const MaxDistance = 63

// byDistance reports whether near goes by the distance of fingerprints.
func (o *Options) byDistance() bool { return o.Settings.Mode == analysis.SimHash }

// checkDistance checks what options say of distances, and sets the threshold that stands for it.
func (o *Options) checkDistance() error {
	switch {
	case !o.byDistance():
		return nil
	case o.Distance < 0 || o.Distance > MaxDistance:
		return fmt.Errorf("a distance of %d bits: want 0 to %d", o.Distance, MaxDistance)
	case o.Settings.Bits != 64:
		return fmt.Errorf("fingerprints of %d bits: want 64", o.Settings.Bits)
	case o.Contained > 0 || o.MaxDF > 0 || o.Ignore != "" || o.By != Documents:
		return errors.New("fingerprints tell nothing of parts and features: leave out Contained, MaxDF, Ignore and By")
	}
	o.Threshold = join.SimilarityAt(o.Distance)
	return nil
}

// errFingerprint returns the error for a ready-made fingerprint where sets are compared.
func errFingerprint(id []byte) error {
	return fmt.Errorf("%s is a fingerprint, which has no words to compare: give --k, such as --k 3", id)
}

// compared returns what is compared of a document: its set, or its fingerprint as one.
func (c *Collection) compared(r analysis.Result) analysis.Result {
	if !c.o.byDistance() {
		return r
	}
	if r.Set = nil; r.HasFingerprint {
		c.one[0] = r.Fingerprint
		r.Set, r.Digest = c.one[:], analysis.Digest{r.Fingerprint}
	}
	return r
}

// digestOf identifies what a document was read as: its text, the file of a picture, or its fingerprint.
func digestOf(doc *document.Document) uint64 {
	switch {
	case doc.Picture.Digest != 0:
		return doc.Picture.Digest
	case doc.HasFingerprint:
		return doc.Fingerprint
	}
	return digest(doc.Text)
}

// nearFingerprints are near by their distance.
type nearFingerprints struct{ *join.Fingerprints }

// collectFingerprints returns the relation of the fingerprints.
func (c *Collection) collectFingerprints(ctx context.Context) (relation, error) {
	all := make([]uint64, 0, len(c.sizes))
	err := c.eachSet(ctx, 0, 1, func(_ uint32, one []uint64) { all = append(all, one[0]) })
	if err != nil {
		return nil, err
	}
	return nearFingerprints{join.NewFingerprints(all)}, nil
}

func (f nearFingerprints) nearness(set, other uint32) (similarity, inside float64, err error) {
	return join.SimilarityAt(f.Distance(set, other)), 0, nil
}

const secFingerprints = "fingerprints"

func (f nearFingerprints) write(w *section.Writer, _ func(set uint32) bool) error {
	w.Begin(secFingerprints)
	w.Uint64s(f.All())
	return nil
}

// loadFingerprints returns the n fingerprints that nearFingerprints has written.
func loadFingerprints(f *section.File, n int) (relation, error) {
	all, err := f.Uint64s(secFingerprints, uint64(n))
	if err != nil {
		return nil, err
	}
	known := make(map[uint64]bool, n)
	for i, x := range all {
		if known[x] {
			return nil, f.Corruptf(secFingerprints, 8*uint64(i), "fingerprint %016x stands there twice", x)
		}
		known[x] = true
	}
	return nearFingerprints{join.NewFingerprints(all)}, nil
}

// distance returns the distance of a document to the one that is kept for it, in bits.
func (d *Decisions) distance(doc uint32) int { return join.DistanceAt(d.similarity(doc)) }

// distanceOf returns the distance that a similarity stands for, or nil if near goes by the similarity of sets.
func (c *Collection) distanceOf(similarity float64) *int {
	if !c.o.byDistance() {
		return nil
	}
	distance := join.DistanceAt(similarity)
	return &distance
}
