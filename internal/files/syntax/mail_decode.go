package syntax

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
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

// decodeQuoted appends to dst what body says in quoted-printable (RFC 2045, section 6.7). An = that begins nothing
// stays.
func decodeQuoted(dst, body []byte) []byte {
	for line := range bytes.Lines(body) {
		text := bytes.TrimRight(line, " \t\r\n")
		end := line[len(bytes.TrimRight(line, "\r\n")):]
		for {
			before, rest, ok := bytes.Cut(text, []byte("="))
			if dst = append(dst, before...); !ok {
				break
			}
			if text = rest; len(text) == 0 { // the line goes on
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
