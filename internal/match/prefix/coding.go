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

// AppendCoded appends the code of a set.
func AppendCoded(dst []byte, s *View) []byte {
	dst = appendRanks(dst, s.len(), s.ranks)
	return appendSingles(dst, s.singles)
}

// appendUnranked appends the code of a set of which no feature has a rank.
func appendUnranked(dst []byte, features []uint64) []byte {
	return appendSingles(appendRanks(dst, len(features), nil), features)
}

// appendSingles appends features without a rank.
func appendSingles(dst []byte, features []uint64) []byte {
	for _, f := range features {
		dst = binary.LittleEndian.AppendUint64(dst, f)
	}
	return dst
}

// appendRanks appends the code of a set of size features without those that have no rank.
func appendRanks(dst []byte, size int, ranks []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(size))
	dst = binary.AppendUvarint(dst, uint64(len(ranks)))
	dst, _ = appendDeltas(dst, ranks)
	return dst
}

// appendDeltas appends ranks, and returns what the difference of the next one is from, too.
func appendDeltas(dst []byte, ranks []uint32) (_ []byte, next uint32) {
	for _, r := range ranks {
		d := r - next
		for d >= 0x80 {
			dst = append(dst, byte(d)|0x80)
			d >>= 7
		}
		dst = append(dst, byte(d))
		next = r + 1
	}
	return dst, next
}

// errCoded is the error of a code that AppendCoded has not made.
var errCoded = errors.New("not the code of a set")

// A Decoder reads a coded set: its ranks, and then its features without one. The caller must not change its fields.
type Decoder struct {
	code       []byte
	at         int    // of what has not been read: an offset, as storing a pointer costs more while garbage is collected
	Features   int    // of the set
	Ranks      int    // that have not been read
	Alone      int    // features without a rank
	Next       uint64 // the least that the next rank can be
	vocabulary uint64 // one more than the largest rank
}

// decode returns a decoder of a set, whose ranks are less than vocabulary.
func decode(code []byte, vocabulary int, pairsOnly bool) (d Decoder, err error) {
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
	return Decoder{code: code, Features: int(features), Ranks: int(ranks), Alone: int(features - ranks), vocabulary: uint64(vocabulary)}, nil
}

// Rest returns what has not been read.
func (d *Decoder) Rest() []byte { return d.code[d.at:] }

// Rank returns the next rank. There must be one.
func (d *Decoder) Rank() (rank uint32, err error) {
	at := d.at
	if at >= len(d.code) {
		return 0, errCoded
	}
	x := uint64(d.code[at])
	at++
	if x >= 0x80 {
		x &= 0x7f
		for shift := 7; ; shift += 7 {
			if at >= len(d.code) || shift >= 7*binary.MaxVarintLen32 {
				return 0, errCoded
			}
			c := uint64(d.code[at])
			at++
			x |= c & 0x7f << shift
			if c < 0x80 {
				break
			}
		}
	}
	d.at = at
	x += d.Next
	if x >= d.vocabulary {
		return 0, errCoded
	}
	d.Ranks--
	d.Next = x + 1
	return uint32(x), nil
}

// Read reads the next ranks, as many as dst has. There must be as many.
func (d *Decoder) Read(dst []uint32) error {
	b, next := d.Rest(), d.Next
	for at := 0; at < len(dst); {
		var x uint64
		switch {
		case len(b) >= 8 && len(dst)-at >= 8 && binary.LittleEndian.Uint64(b)&longer == 0:
			// Eight bytes of a rank each, as most are: none waits for the length of the one before.
			eight := dst[at : at+8]
			for i, c := range b[:8] {
				x = next + uint64(c)
				eight[i] = uint32(x)
				next = x + 1
			}
			if x >= d.vocabulary {
				return errCoded
			}
			b, at = b[8:], at+8
			continue
		case len(b) >= 4 && b[0]&b[1] < 0x80: // one byte, or two: without a branch that depends on it
			two := uint(b[0] >> 7)
			x = uint64(b[0]&0x7f) | uint64(b[1])<<7*uint64(two)
			b = b[1+two:]
		default:
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
		at++
	}
	d.at, d.Next = len(d.code)-len(b), next
	d.Ranks -= len(dst)
	return nil
}

// longer are the bits of eight bytes that say that more bytes of a number follow.
const longer = 0x8080808080808080

// Singles returns the features without a rank, as bytes. All ranks must have been read.
func (d *Decoder) Singles() ([]byte, error) {
	if len(d.Rest()) != 8*d.Alone {
		return nil, errCoded
	}
	return d.Rest(), nil
}
