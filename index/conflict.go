package index

import (
	"fmt"
	"slices"

	"simsearch/internal/segment"
)

// A Conflict says what becomes of an added document whose id stands for another text in the index. Its String is
// "replace", "skip" or "refuse".
type Conflict int

// What becomes of such a document.
const (
	Replace Conflict = iota // it takes the place of the one in the index
	Skip                    // the one in the index stays
	Refuse                  // the one in the index stays, and WriterOptions.Refused is told of the other
)

var conflictNames = [...]string{"replace", "skip", "refuse"}

// otherText is why a document is refused.
const otherText = "the id stands for another text already; an id names one document"

func (c Conflict) String() string { return conflictNames[c] }

// ParseConflict returns the Conflict called name, as String returns it.
func ParseConflict(name string) (Conflict, error) {
	for c, n := range conflictNames {
		if n == name {
			return Conflict(c), nil
		}
	}
	return 0, fmt.Errorf("unknown %q: want one of replace, skip, refuse", name)
}

// remember keeps the ids of the documents that have been committed, if those of all commits are parts of one input.
func (w *Writer) remember() {
	if w.o.Parts && w.pending.Len() > 0 {
		w.before = append(w.before, w.pending.IDHashes())
	}
}

// had reports whether an earlier part of the input had a document with this id, or with an id of the same hash of 64
// bits.
func (w *Writer) had(id []byte) bool {
	return slices.ContainsFunc(w.before, func(hashes []uint64) bool { return segment.HasIDHash(hashes, id) })
}
