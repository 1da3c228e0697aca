package dedup

import (
	"slices"

	"simsearch/internal/quality/explain"
)

// caughtFacts are the facts of the texts of some documents, which are caught while files are read. It is safe for concurrent use by
// readers of different documents. A nil one wants none. It takes 48 bytes a document.
type caughtFacts struct {
	wanted []uint32 // documents, ascending
	of     []explain.Facts
	texts  *caughtTexts // if not nil, takes the texts, in place of their facts
}

// newFacts returns the facts of documents, which are not known yet. It keeps the list.
func newFacts(wanted []uint32) *caughtFacts {
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	return &caughtFacts{wanted: wanted, of: make([]explain.Facts, len(wanted))}
}

// takeAll takes the facts of all documents that are wanted from those of all.
func (f *caughtFacts) takeAll(of []explain.Facts) {
	for i, doc := range f.wanted {
		f.of[i] = of[doc]
	}
}

// wants reports whether documents from one before another are wanted, and not known.
func (f *caughtFacts) wants(from, to uint32) bool { return len(f.unknown(from, to)) > 0 }

// unknown returns which of the documents from one before another are wanted, and not known.
func (f *caughtFacts) unknown(from, to uint32) (unknown []uint32) {
	if f == nil {
		return nil
	}
	i, _ := slices.BinarySearch(f.wanted, from)
	for ; i < len(f.wanted) && f.wanted[i] < to; i++ {
		if !f.of[i].Known() {
			unknown = append(unknown, f.wanted[i])
		}
	}
	return unknown
}

// Take takes the facts of a document if they are wanted.
func (f *caughtFacts) Take(doc uint32, is explain.Facts) {
	if f == nil {
		return
	}
	if i, ok := slices.BinarySearch(f.wanted, doc); ok {
		f.of[i] = is
	}
}

// Each calls do with the documents whose facts are known.
func (f *caughtFacts) Each(do func(doc uint32, is explain.Facts)) {
	if f == nil {
		return
	}
	for i, doc := range f.wanted {
		if f.of[i].Known() {
			do(doc, f.of[i])
		}
	}
}

// See takes the text of a document, or its facts, if they are wanted and not known.
func (f *caughtFacts) See(doc uint32, text []byte) {
	if f == nil {
		return
	}
	switch i, ok := slices.BinarySearch(f.wanted, doc); {
	case !ok || f.of[i].Known():
	case f.texts != nil:
		f.texts.see(doc, text)
	default:
		f.of[i] = explain.FactsOf(text)
	}
}

// At returns the facts of a document, which are not known if its text has not been seen.
func (f *caughtFacts) At(doc uint32) explain.Facts {
	if f != nil {
		if i, ok := slices.BinarySearch(f.wanted, doc); ok {
			return f.of[i]
		}
	}
	return explain.Facts{}
}
