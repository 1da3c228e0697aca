package inputs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// leastWide is the number of bytes of the shortest text without a mark that is taken for UTF-16.
const leastWide = 8

// Wide returns utf16LE or utf16BE if a file that begins with head is in UTF-16, by its byte order mark or by its zeros,
// and UTF8 otherwise.
func Wide(head []byte) Charset {
	if c := marked(head); c != UTF8 {
		return c
	}
	if len(head) < leastWide || bytes.IndexByte(head, 0) < 0 || bytes.HasPrefix(head, []byte(utf32Mark)) {
		return UTF8
	}
	for _, c := range []Charset{utf16LE, utf16BE} {
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
		return utf16LE
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return utf16BE
	}
	return UTF8
}

// errZeros marks bytes with so many zeros that they are no text with single bad bytes.
var errZeros = errors.New("not text: it has many zero bytes, and is neither in UTF-16 nor in UTF-32")

// byZeros decodes a content without a mark of UTF-16, in which zeros show that it is in UTF-16 or UTF-32. charset is
// "" if they do not, or if it is in UTF-16 as it is named.
func byZeros(content []byte, named namedCharset) (text []byte, charset string, err error) {
	zeros := bytes.Count(content, []byte{0})
	if zeros == 0 {
		return nil, "", nil
	}
	for _, c := range []Charset{utf16LE, utf16BE} {
		if text, ok := decode32(content, c.order()); ok {
			return text, "UTF-32" + c.String()[len("UTF-16"):], nil
		}
	}
	if c := Wide(content); c != UTF8 && named.name != "utf-16" && (named.name != "utf-16be" || !looksWide(content, utf16BE)) {
		return decodeAll(content, c), c.String(), nil
	}
	if !named.wide() && zeros > 2 && 20*zeros > len(content) {
		return nil, "", errZeros
	}
	return nil, "", nil
}

// decode32 decodes a content if it is in UTF-32: all of it, but for what is cut off at the end, is characters that
// texts have.
func decode32(content []byte, order byteOrder) (text []byte, ok bool) {
	if len(content) < leastWide {
		return nil, false
	}
	for at := 0; at+4 <= len(content); at += 4 {
		r := order.Uint32(content[at:])
		switch {
		case at == 0 && r == '\ufeff':
			continue
		case r > unicode.MaxRune || !isOfText(rune(r)):
			return nil, false
		}
		text = utf8.AppendRune(text, rune(r))
	}
	return text, true
}

// isOfText reports whether texts have a character.
func isOfText(r rune) bool {
	return r != unicode.ReplacementChar && (unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r))
}

// looksWide reports whether head is text in c, which is UTF-16: all of its units are parts of characters that texts
// have, and one in eight or more has a zero as its upper byte, which those of Latin letters, digits and spaces have.
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
		if !isOfText(r) {
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
	if c == utf16LE {
		return binary.LittleEndian
	}
	return binary.BigEndian
}
