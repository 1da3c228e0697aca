package inputs

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
)

// leastWide is the number of bytes of the shortest text without a mark that is taken for UTF-16.
const leastWide = 8

// Wide returns UTF16LE or UTF16BE if a file that begins with head is in UTF-16, by its byte order mark or by its zeros,
// and UTF8 otherwise.
func Wide(head []byte) Charset {
	if c := marked(head); c != UTF8 {
		return c
	}
	if len(head) < leastWide || bytes.IndexByte(head, 0) < 0 || bytes.HasPrefix(head, []byte(utf32Mark)) {
		return UTF8
	}
	for _, c := range []Charset{UTF16LE, UTF16BE} {
		if looksWide(head, c) {
			return c
		}
	}
	return UTF8
}

// utf32Mark is the byte order mark of UTF-32, or the beginning of what is no text.
const utf32Mark = "\xff\xfe\x00\x00"

// marked is Wide by a byte order mark alone.
func marked(head []byte) Charset {
	switch {
	case bytes.HasPrefix(head, []byte(utf32Mark)):
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return UTF16LE
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return UTF16BE
	}
	return UTF8
}

// looksWide reports whether head is text in c, which is UTF-16: all of its units are parts of characters that texts have,
// and one in eight or more has a zero as its upper byte, which those of Latin letters, digits and spaces have.
func looksWide(head []byte, c Charset) bool {
	zeros, n := 0, len(head)/2
	for i := 0; i < n; i++ {
		r := rune(c.order().Uint16(head[2*i:]))
		if r < 0x100 {
			zeros++
		}
		if utf16.IsSurrogate(r) {
			if i++; i == n {
				break // the rest may follow
			}
			r = utf16.DecodeRune(r, rune(c.order().Uint16(head[2*i:])))
		}
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
			return false
		}
	}
	return 8*zeros >= n
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// order returns the order of the bytes of c, which is UTF-16.
func (c Charset) order() byteOrder {
	if c == UTF16LE {
		return binary.LittleEndian
	}
	return binary.BigEndian
}
