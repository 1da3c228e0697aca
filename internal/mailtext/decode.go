package mailtext

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
)

// decodeTransfer decodes a body as its Content-Transfer-Encoding says. The result is body itself if that is none that
// changes anything.
func decodeTransfer(body, how []byte) []byte {
	switch {
	case bytes.EqualFold(how, []byte("quoted-printable")):
		return decodeQuoted(make([]byte, 0, len(body)), body)
	case bytes.EqualFold(how, []byte("base64")):
		return decodeBase64(body)
	}
	return body
}

// decodeQuoted appends to dst what body says in quoted-printable (RFC 2045, section 6.7). An = that begins nothing stays.
func decodeQuoted(dst, body []byte) []byte {
	for line := range bytes.Lines(body) {
		text := bytes.TrimRight(line, " \t\r\n")
		end := line[len(bytes.TrimRight(line, "\r\n")):]
		for {
			i := bytes.IndexByte(text, '=')
			if i < 0 {
				dst = append(dst, text...)
				break
			}
			dst = append(dst, text[:i]...)
			text = text[i+1:]
			if len(text) == 0 { // the line goes on
				end = nil
				break
			}
			if high, low := hex(text[0]), hex(text[min(1, len(text)-1)]); len(text) > 1 && high < 16 && low < 16 {
				dst = append(dst, high<<4|low)
				text = text[2:]
				continue
			}
			dst = append(dst, '=')
		}
		dst = append(dst, end...)
	}
	return dst
}

// hex returns the value of a hexadecimal digit, or 16.
func hex(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 16
}

// decodeBase64 returns what body says in base64. What is no digit is passed over, as RFC 2045 asks, and so is a padding
// in the middle: some programs join texts that end with one.
func decodeBase64(body []byte) []byte {
	digits := make([]byte, 0, len(body))
	out := make([]byte, 0, base64.RawStdEncoding.DecodedLen(len(body)))
	flush := func() {
		if len(digits)%4 == 1 { // a digit alone is no byte
			digits = digits[:len(digits)-1]
		}
		n, _ := base64.RawStdEncoding.Decode(out[len(out):cap(out)], digits) // there are digits alone
		out, digits = out[:len(out)+n], digits[:0]
	}
	for _, c := range body {
		switch {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', isDigit(c), c == '+', c == '/':
			digits = append(digits, c)
		case c == '=':
			flush()
		}
	}
	flush()
	return out
}

// toUTF8 returns text, which is in the charset called name, in UTF-8. If there is no such charset, it is guessed. The
// result is text itself if nothing changes.
func toUTF8(text []byte, name string) []byte {
	name = strings.ToLower(strings.Trim(name, " \t\"'"))
	switch name {
	case "utf-8", "utf8":
		if utf8.Valid(text) {
			return text
		}
		return bytes.ToValidUTF8(text, []byte("\ufffd"))
	case "", "us-ascii", "ascii", "unknown-8bit", "x-unknown":
		return guessed(text)
	}
	known := charsetOf(name)
	if name == "utf-16" {
		known = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	if known == nil {
		return guessed(text)
	}
	decoded, err := known.NewDecoder().Bytes(text)
	if err != nil {
		return guessed(text)
	}
	return decoded
}

// guessed returns text in UTF-8, if its charset is not known: it is UTF-8 or else windows-1252, which has the letters
// of western Europe.
func guessed(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	return decoded
}

// aliases are names of charsets that programs write, and that no list has.
var aliases = map[string]string{
	"cp932": "shift_jis", "cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "ks_c_5601-1987": "euc-kr",
	"latin-1": "windows-1252", "cp-850": "ibm850", "cp850": "ibm850", "cp437": "ibm437",
}

// charsetOf returns the charset called name, or nil if it is not known. The standard of the web knows most, and means by
// iso-8859-1 what programs mean by it, windows-1252.
func charsetOf(name string) encoding.Encoding {
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	if e, err := htmlindex.Get(name); err == nil && e != encoding.Replacement {
		return e
	}
	if e, err := ianaindex.IANA.Encoding(name); err == nil && e != nil {
		return e
	}
	return nil
}
