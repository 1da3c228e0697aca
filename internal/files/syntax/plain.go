package syntax

import (
	"encoding/binary"
	"math/bits"
)

// plain is plainGeneric by vectors.
func plain(s []byte) int {
	if useAVX512 && len(s) > 0 {
		return plainAVX512(&s[0], len(s))
	}
	if useNEON && len(s) >= 16 {
		return plainNEON(&s[0], len(s))
	}
	return plainGeneric(s)
}

// plainAVX512 is plain for n > 0 bytes.
//
//go:noescape
func plainAVX512(s *byte, n int) int

// plainNEON is plain for n >= 16 bytes.
//
//go:noescape
func plainNEON(s *byte, n int) int

// plainGeneric returns the number of bytes of s before the first quotation mark, backslash or control character.
//
// It looks at eight bytes at a time. Taking 1 from a byte of zero, or 0x20 from a control character, sets its highest
// bit, which the byte did not have. A borrow may do so to the bytes behind it, but not to those before.
func plainGeneric(s []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(s); n += 8 {
		x := binary.LittleEndian.Uint64(s[n:])
		special := ((x - 0x20*ones) | ((x ^ '"'*ones) - ones) | ((x ^ '\\'*ones) - ones)) &^ x & high
		if special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for ; n < len(s); n++ {
		if c := s[n]; c == '"' || c == '\\' || c < 0x20 {
			break
		}
	}
	return n
}
