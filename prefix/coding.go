package prefix

import (
	"encoding/binary"
	"errors"
	"math"
)

// A coded set is the number of its features and the number of those with a rank, then the ranks, each
// as the difference from the one before less one, and the first as it is; all of these as variable-length
// integers of seven bits a byte, the lowest first (LEB128). The features without a rank follow, eight
// bytes each, ascending; or nothing follows in sets for pairs only, which need no more than their number.

// appendCoded appends the code of a set.
func appendCoded(dst []byte, s *view, pairsOnly bool) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.len()))
	dst = binary.AppendUvarint(dst, uint64(len(s.ranks)))
	next := uint32(0)
	for _, r := range s.ranks {
		d := r - next
		for d >= 0x80 {
			dst = append(dst, byte(d)|0x80)
			d >>= 7
		}
		dst = append(dst, byte(d))
		next = r + 1
	}
	if pairsOnly {
		return dst
	}
	for _, f := range s.singles {
		dst = binary.LittleEndian.AppendUint64(dst, f)
	}
	return dst
}

// errCoded is the error of a code that appendCoded has not made.
var errCoded = errors.New("not the code of a set")

// A decoder reads a coded set. Its ranks come from next.
type decoder struct {
	b          []byte // what follows
	features   int    // of the set
	ranks      int    // that have not been read
	alone      int    // features without a rank
	rank       uint64 // the least that the next can be
	vocabulary uint64 // one more than the largest rank
}

// decode returns a decoder of a set, whose ranks are less than vocabulary.
func decode(code []byte, vocabulary int, pairsOnly bool) (d decoder, err error) {
	features, n := binary.Uvarint(code)
	if n <= 0 {
		return d, errCoded
	}
	ranks, m := binary.Uvarint(code[n:])
	if m <= 0 {
		return d, errCoded
	}
	code = code[n+m:]
	// Each rank takes a byte or more, each other feature eight.
	if features == 0 || ranks > features || features > math.MaxInt32 || ranks > uint64(len(code)) || !pairsOnly && features-ranks > (uint64(len(code))-ranks)/8 {
		return d, errCoded
	}
	return decoder{b: code, features: int(features), ranks: int(ranks), alone: int(features - ranks), vocabulary: uint64(vocabulary)}, nil
}

// next returns the next rank. There must be one.
func (d *decoder) next() (rank uint32, err error) {
	if len(d.b) == 0 {
		return 0, errCoded
	}
	x := uint64(d.b[0])
	i := 1
	if x >= 0x80 {
		x &= 0x7f
		for shift := 7; ; shift += 7 {
			if i >= len(d.b) || i >= binary.MaxVarintLen32 {
				return 0, errCoded
			}
			c := uint64(d.b[i])
			i++
			x |= c & 0x7f << shift
			if c < 0x80 {
				break
			}
		}
	}
	d.b = d.b[i:]
	x += d.rank
	if x >= d.vocabulary {
		return 0, errCoded
	}
	d.ranks--
	d.rank = x + 1
	return uint32(x), nil
}

// read reads the next ranks, as many as dst has. There must be as many.
func (d *decoder) read(dst []uint32) error {
	b, next := d.b, d.rank
	for at := range dst {
		var x uint64
		if len(b) >= 4 && b[0]&b[1] < 0x80 { // one byte, or two: without a branch that depends on it
			two := uint(b[0] >> 7)
			x = uint64(b[0]&0x7f) | uint64(b[1])<<7*uint64(two)
			b = b[1+two:]
		} else {
			var n int
			if x, n = binary.Uvarint(b); n <= 0 || n > binary.MaxVarintLen32 {
				return errCoded
			}
			b = b[n:]
		}
		if x += next; x >= d.vocabulary {
			return errCoded
		}
		dst[at] = uint32(x)
		next = x + 1
	}
	d.b, d.rank = b, next
	d.ranks -= len(dst)
	return nil
}

// singles returns the features without a rank, as bytes. All ranks must have been read.
func (d *decoder) singles() ([]byte, error) {
	if len(d.b) != 8*d.alone {
		return nil, errCoded
	}
	return d.b, nil
}
