package index

import (
	"cmp"

	"simsearch/internal/features/analysis"
	"simsearch/tables"
)

// A Kind is a kind of nearness: what is compared of two documents, and what can be asked by it. All that commands,
// rows, groups and tests know of a kind stands in its descriptor, which is in its file by….go. Kinds lists the
// descriptors.
type Kind struct {
	// Key is the key of the measure in JSON, the heading of its column, and the flag that asks for it by its least
	// value. Usage is what help says of the flag, with the word for its value in backquotes; "" if there is none of
	// its own. Told is the default.
	Key, Usage, Told string
	Aliases          []string // of the flag
	// Name is the measure with an article, before its value: a Jaccard similarity of 0.9. Short is its name in titles
	// and in keys of groups.
	Name, Short string

	// What an index must have. Within says that the fingerprints of near documents are within Predicate.Distance,
	// which is all that counts if Bare is set.
	Sets, Fingerprints, Within, Bare bool
	Texts                            bool // are kept, and compared

	// Banded says that bands of signatures can find candidates, and that signatures can verify them. Exactly says why
	// the flags about these are refused otherwise.
	Banded  bool
	Exactly string

	// NoDistance says why the kind cannot want a distance, too; "" if it can.
	NoDistance string

	// Why something cannot be asked by the kind; "" if it can: the nearest, however far; which records of an input
	// are new.
	NoNearest, NoNew string

	// OfWords is what is to be known of what is found among sets of single words; "" if nothing is.
	OfWords string

	// Compare compares two documents that have been analysed, as far as they have what is compared.
	Compare func(x, y *analysis.Result) Measures
	// open returns what finds what is near by p.
	open func(ix *Snapshot, p Predicate) criterion
}

// Kinds returns all kinds of nearness, in the order in which help shows their flags.
func Kinds() []*Kind { return []*Kind{Distance, Copy, Jaccard, Both, Contained} }

// Of returns the value by which the kind measures: an int, or a float64 of a share, more than 0 and at most 1.
func (k *Kind) Of(m *Measures) any {
	if k.Bare {
		return m.Distance
	}
	return m.Value
}

// Measure compares two texts by the kind, without an index: the reference of every search.
func (k *Kind) Measure(a *analysis.Analysis, textA, textB []byte) (Measures, error) {
	x, errX := analysed(a, textA)
	y, errY := analysed(a, textB)
	if err := cmp.Or(errX, errY); err != nil {
		return Measures{}, err
	}
	return k.Compare(&x, &y), nil
}

// Reached reports whether documents with measures m are near.
func (p Predicate) Reached(m *Measures) bool {
	return (!p.Kind.Within || m.Distance != NoDistance && m.Distance <= p.Distance) && (p.Kind.Bare || m.Value >= p.Threshold)
}

// analysed returns all that a kind may compare of a text, whatever an index by the settings of a would store.
func analysed(a *analysis.Analysis, text []byte) (r analysis.Result, err error) {
	var s analysis.Scratch
	r.Text, r.Set = text, append(r.Set, a.Set(&s, text)...)
	r.Fingerprint, r.HasFingerprint, err = a.Fingerprint(&s, text)
	return r, err
}

// distanceOf returns the distance of two documents, or NoDistance.
func distanceOf(x, y *analysis.Result) int {
	if !x.HasFingerprint || !y.HasFingerprint {
		return NoDistance
	}
	a, b := x.Long(), y.Long()
	return tables.Distance(a[:], b[:])
}
