package syntax

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// An Unquoter decodes JSON strings.
type Unquoter struct{ decoded []byte }

// Unquote decodes a string in valid JSON. The result is a part of quoted, or is valid until the
// next call.
//
// A \u of half a surrogate pair, which stands for no character, stays as it is written. Of two of them that are no
// pair, a replacement character stands for both.
func (u *Unquoter) Unquote(quoted []byte) []byte {
	s := quoted[1 : len(quoted)-1]
	n := bytes.IndexByte(s, '\\')
	if n < 0 {
		return s
	}
	u.decoded = appendDecoded(append(u.decoded[:0], s[:n]...), s[n:])
	return u.decoded
}

// appendDecoded appends what s, the inside of a string that begins with an escape, stands for.
func appendDecoded(dst, s []byte) []byte {
	for {
		var size int
		dst, size = appendEscape(dst, s)
		if s = s[size:]; len(s) > 0 && s[0] == '\\' {
			continue
		}
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:n]...), s[n:]
	}
}

// escapes are what the bytes behind a backslash stand for, but for u.
var escapes = [256]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '/': '/'}

// appendEscape appends what the escape at the beginning of s stands for. size is the length of the escape, or of the
// two of a surrogate pair.
func appendEscape(dst, s []byte) (_ []byte, size int) {
	if s[1] != 'u' {
		return append(dst, escapes[s[1]]), 2
	}
	x := hexOf(s[2:6])
	if !utf16.IsSurrogate(x) {
		return utf8.AppendRune(dst, x), 6
	}
	if len(s) < 12 || s[6] != '\\' || s[7] != 'u' {
		return append(dst, s[:6]...), 6
	}
	return utf8.AppendRune(dst, utf16.DecodeRune(x, hexOf(s[8:12]))), 12
}
