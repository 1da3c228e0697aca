package join

import (
	"cmp"
	"context"
	"math"
	"slices"

	"simsearch/tables"
)

// A Fingerprinted is a document that has a fingerprint and a set of features.
type Fingerprinted[I comparable] struct {
	Document    uint32
	Fingerprint uint64
	Identity    I // equal for documents with equal fingerprints and equal sets
}

// ByBoth calls yield with every pair of documents whose fingerprints, of up to width bits, are within distance k, and
// which verify keeps; it completes a pair, and reports whether it is one. Each pair comes once, ordered by A, then by
// B. documents is the number of all documents; of are those that can be near others, in ascending order.
//
// It verifies what ByFingerprints finds. Several goroutines call verify. With Options.Groups, documents with equal
// identities are a group: ByBoth joins the first documents of the groups, and puts the pairs of the others among
// theirs.
func ByBoth[I comparable](ctx context.Context, documents int, of []Fingerprinted[I], width, k int, o Options,
	verify func(p *Pair) (bool, error), yield func(Pair) error,
) error {
	if o.Only != nil {
		of = slices.DeleteFunc(slices.Clone(of), func(d Fingerprinted[I]) bool { return !o.Only[d.Document] })
	}
	var equal []Pair
	if o.Groups {
		of, equal = firsts(of)
		o.Groups, o.Many = false, nil
	}
	yieldEqual := func(before Pair) error {
		for len(equal) > 0 && byDocuments(equal[0], before) < 0 {
			if err := yield(equal[0]); err != nil {
				return err
			}
			equal = equal[1:]
		}
		return nil
	}
	docs, fps := make([]uint32, len(of)), make([]uint64, len(of))
	for i, d := range of {
		docs[i], fps[i] = d.Document, d.Fingerprint
	}
	o.keep = verify
	groups := tables.Group(fps, 1, docs)
	err := ByFingerprints(ctx, documents, Grouped(&groups), width, k, o, func(p Pair) error {
		if err := yieldEqual(p); err != nil {
			return err
		}
		return yield(p)
	})
	if err != nil {
		return err
	}
	return yieldEqual(Pair{A: math.MaxUint32, B: math.MaxUint32})
}

func byDocuments(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }

// firsts returns the documents that equal no earlier one, and the pairs of these with the documents that
// equal them, in order.
func firsts[I comparable](of []Fingerprinted[I]) (first []Fingerprinted[I], equal []Pair) {
	known := map[I]uint32{}
	for _, d := range of {
		if a, ok := known[d.Identity]; ok {
			equal = append(equal, Pair{a, d.Document, Measures{Value: 1}})
			continue
		}
		known[d.Identity] = d.Document
		first = append(first, d)
	}
	slices.SortFunc(equal, byDocuments)
	return first, equal
}
