package index

import "simsearch/internal/index/segment"

// A Conflict says what becomes of an added document whose id stands for another text in the index.
type Conflict int

// What becomes of such a document.
const (
	Replace Conflict = iota // it takes the place of the one in the index
	Refuse                  // the one in the index stays, and WriterOptions.Refused is told of the other
)

// otherText is why a document is refused.
const otherText = "the id stands for another text already; an id names one document"

// decide says what becomes of an added document whose id is taken, and counts it, for Writer and Live alike: it takes
// the place of the other one, is refused as otherText says, or is left out. same says that the id stands for the same
// text, and sameInput that an earlier document of the same input has the id: two texts with one id are a mistake of
// the input.
func (r *Result) decide(c Conflict, same, sameInput bool) (replaces, refused bool) {
	switch {
	case same:
		r.Unchanged++
	case sameInput || c == Refuse:
		r.Refused++
		return false, true
	default:
		r.Replaced++
		return true, false
	}
	return false, false
}

// A OneInput remembers which ids the documents of one input have had, by hashes of 64 bits, which take about 20 bytes
// of memory each. The zero value is an input of which no document has come yet. It must not be used by several
// goroutines at once.
type OneInput struct{ hashes map[uint64]struct{} }

// note notes an id. It reports whether it is new: no document of the input has had it, or one of the same hash.
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
