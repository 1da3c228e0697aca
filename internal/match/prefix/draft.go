package prefix

import "encoding/binary"

// A Draft is a set that was coded by a vocabulary of some features, before it was known which of its other features
// have ranks. A second vocabulary, of these, comes before the first: what neither has belongs to one set.
type Draft struct {
	Features int    // of the set
	ranks    int    // of the first vocabulary
	coded    []byte // these
	rest     []byte // the features that the first vocabulary has not, eight bytes each, ascending
}

// allRanks is one more than any rank. It is no constant, since it would not fit an int of 32 bits.
var allRanks uint64 = 1 << 32

// readDraft returns the draft whose code AppendCoded has made. It refers to code.
func readDraft(code []byte) (Draft, error) {
	d, err := decode(code, int(allRanks), false)
	if err != nil {
		return Draft{}, err
	}
	code = d.Rest()
	at := len(code) - 8*d.Alone
	return Draft{d.Features, d.Ranks, code[:at], code[at:]}, nil
}

// Rest returns how many features the first vocabulary has not.
func (d *Draft) Rest() int { return len(d.rest) / 8 }

// AppendRest appends the features that the first vocabulary has not, ascending.
func (d *Draft) AppendRest(dst []uint64) []uint64 {
	for rest := d.rest; len(rest) > 0; rest = rest[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(rest))
	}
	return dst
}

// AppendFirst appends the features that the first vocabulary has, in the order of their ranks. features has the
// feature of each rank. scratch is overwritten. The error is errCoded.
func (d *Draft) AppendFirst(dst, features []uint64, scratch *[]uint32) ([]uint64, error) {
	*scratch = room(*scratch, d.ranks)
	decoder := Decoder{code: d.coded, Ranks: d.ranks, vocabulary: uint64(len(features))}
	if err := decoder.Read(*scratch); err != nil || len(decoder.Rest()) > 0 {
		return dst, errCoded
	}
	for _, r := range *scratch {
		dst = append(dst, features[r])
	}
	return dst, nil
}

// AppendCoded appends the code of the set. s is the view of the rest by the second vocabulary, which has the given
// number of ranks. The error is errCoded.
func (d *Draft) AppendCoded(dst []byte, s *View, ranks int) ([]byte, error) {
	dst = binary.AppendUvarint(dst, uint64(d.Features))
	dst = binary.AppendUvarint(dst, uint64(len(s.ranks)+d.ranks))
	dst, next := appendDeltas(dst, s.ranks)
	if d.ranks > 0 {
		first, n := binary.Uvarint(d.coded)
		if n <= 0 {
			return dst, errCoded
		}
		dst = binary.AppendUvarint(dst, first+uint64(ranks)-uint64(next))
		dst = append(dst, d.coded[n:]...)
	}
	return appendSingles(dst, s.singles), nil
}
