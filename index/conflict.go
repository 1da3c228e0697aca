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

// An outcome is what becomes of an added document whose id is taken.
type outcome int

const (
	unchanged outcome = iota
	replaces
	skipped
	refused // as otherText says
)

// of decides for Writer and Live alike. same says that the id stands for the same text, and sameInput that an
// earlier document of the same input has the id: two texts with one id are a mistake of the input.
func (c Conflict) of(same, sameInput bool) outcome {
	switch {
	case same:
		return unchanged
	case sameInput || c == Refuse:
		return refused
	case c == Skip:
		return skipped
	}
	return replaces
}

// count counts a document of an outcome.
func (r *Result) count(o outcome) {
	switch o {
	case unchanged:
		r.Unchanged++
	case replaces:
		r.Replaced++
	case skipped:
		r.Skipped++
	case refused:
		r.Refused++
	}
}

// A OneInput remembers which ids the documents of one input have had, by hashes of 64 bits, which take about 20 bytes
// of memory each. The zero value is an input of which no document has come yet. It must not be used by several goroutines
// at once.
type OneInput struct{ hashes map[uint64]struct{} }

// has reports whether a document of the input has had an id, or one of the same hash.
func (in *OneInput) has(id []byte) bool {
	_, ok := in.hashes[segment.HashID(id)]
	return ok
}

// note notes an id. It reports whether it is new.
func (in *OneInput) note(id []byte) bool {
	if in.hashes == nil {
		in.hashes = map[uint64]struct{}{}
	}
	others := len(in.hashes)
	in.hashes[segment.HashID(id)] = struct{}{}
	return len(in.hashes) > others
}

// forget takes back ids that were new.
func (in *OneInput) forget(ids [][]byte) {
	for _, id := range ids {
		delete(in.hashes, segment.HashID(id))
	}
}

// remember keeps the ids of the documents that have been committed: of all of them, if those of all commits are parts of
// one input, and otherwise of those that were added.
func (w *Writer) remember(added *segment.Builder) {
	if w.o.Parts {
		added = w.pending
	}
	if added.Len() > 0 {
		w.before = append(w.before, added.IDHashes())
	}
}

// had reports whether such a document had this id, or an id of the same hash of 64 bits.
func (w *Writer) had(id []byte) bool {
	return slices.ContainsFunc(w.before, func(hashes []uint64) bool { return segment.HasIDHash(hashes, id) })
}
