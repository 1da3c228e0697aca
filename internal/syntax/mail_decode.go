package syntax

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
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
			var char [1]byte
			if _, err := hex.Decode(char[:], text[:min(2, len(text))]); err == nil {
				dst = append(dst, char[0])
				text = text[2:]
				continue
			}
			dst = append(dst, '=')
		}
		dst = append(dst, end...)
	}
	return dst
}

// decodeBase64 returns what body says in base64. What is no digit is passed over, as RFC 2045 asks, and so is a padding
// in the middle: some programs join texts that end with one.
func decodeBase64(body []byte) []byte {
	out := make([]byte, 0, base64.RawStdEncoding.DecodedLen(len(body)))
	for part := range bytes.SplitSeq(body, []byte("=")) {
		digits := bytes.Map(func(r rune) rune {
			switch {
			case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '+', r == '/':
				return r
			}
			return -1
		}, part)
		if len(digits)%4 == 1 { // a digit alone is no byte
			digits = digits[:len(digits)-1]
		}
		out, _ = base64.RawStdEncoding.AppendDecode(out, digits) // there are digits alone
	}
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
