package inputs

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// decoderOf returns what makes UTF-8 of a charset, which is another one.
func decoderOf(c Charset) transform.Transformer {
	if c.isWide() {
		return wideDecoder{order: c.order()}
	}
	d := &pageDecoder{}
	for i := range d.letters {
		b := byte(i) + 0x80
		if char := c.page().DecodeByte(b); char != utf8.RuneError {
			d.letters[i] = utf8.AppendRune(nil, char)
		} else {
			d.letters[i] = appendEscaped(nil, b)
		}
	}
	return d
}

// A pageDecoder decodes a code page.
type pageDecoder struct {
	transform.NopResetter
	letters [128][]byte // the upper half of the page in UTF-8
}

// Transform is that of transform.Transformer.
func (d *pageDecoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for nSrc, b := range src {
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		if b < utf8.RuneSelf {
			dst[nDst] = b
			nDst++
		} else {
			nDst += copy(dst[nDst:], d.letters[b-0x80])
		}
	}
	return nDst, len(src), nil
}

// A wideDecoder decodes UTF-16. At the end, what is left is no character.
type wideDecoder struct {
	transform.NopResetter
	order byteOrder
}

// Transform is that of transform.Transformer.
func (d wideDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		rest := src[nSrc:]
		char, n := d.char(rest)
		switch {
		case n == 0 && len(rest) < 4 && !atEOF:
			return nDst, nSrc, transform.ErrShortSrc
		case nDst+4 > len(dst):
			return nDst, nSrc, transform.ErrShortDst
		}
		out := dst[:nDst]
		if n > 0 {
			out = utf8.AppendRune(out, char)
		} else {
			for _, b := range rest[:min(2, len(rest))] {
				out = appendEscaped(out, b)
				n++
			}
		}
		nDst, nSrc = len(out), nSrc+n
	}
	return nDst, nSrc, nil
}

// char returns the character that text begins with, and its length, or 0 if it is none.
func (d wideDecoder) char(text []byte) (char rune, n int) {
	if len(text) < 2 {
		return 0, 0
	}
	char = rune(d.order.Uint16(text))
	if !utf16.IsSurrogate(char) {
		return char, 2
	}
	if len(text) >= 4 {
		if char = utf16.DecodeRune(char, rune(d.order.Uint16(text[2:]))); char != utf8.RuneError {
			return char, 4
		}
	}
	return 0, 0
}

// A Writer writes in a charset what it is given in UTF-8: what Follow has read as it was. A character that a code
// page lacks is written as \u and four hexadecimal digits, or two of these beyond U+FFFF, as JSON writes it.
type Writer struct {
	to      io.WriteCloser
	charset func() Charset
	encoded *transform.Writer // to to, when the charset is known and not UTF-8
}

// NewWriter returns a Writer to to. charset is called for each Write, and at least before the first that has a byte
// that is not ASCII it must return the charset.
func NewWriter(to io.WriteCloser, charset func() Charset) *Writer {
	return &Writer{to: to, charset: charset}
}

// Write keeps the beginning of a character whose rest p does not have.
func (w *Writer) Write(p []byte) (int, error) {
	if w.encoded == nil {
		c := w.charset()
		if c == UTF8 {
			return w.to.Write(p)
		}
		w.encoded = transform.NewWriter(w.to, encoder{charset: c})
	}
	return w.encoded.Write(p)
}

// Close writes what is left, and closes what is written to.
func (w *Writer) Close() error {
	if w.encoded != nil {
		if err := w.encoded.Close(); err != nil {
			_ = w.to.Close() // the first error counts
			return err
		}
	}
	return w.to.Close()
}

// An encoder makes a charset of UTF-8.
type encoder struct {
	transform.NopResetter
	charset Charset
}

// Transform is that of transform.Transformer.
func (e encoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	const longest = len(`\u0000\u0000`)
	for nSrc < len(src) {
		rest := src[nSrc:]
		isEscape := rest[0] >= firstEscape
		if !atEOF && (isEscape && len(rest) < 2 || !isEscape && !utf8.FullRune(rest)) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if nDst+longest > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		out, n := dst[:nDst], 2
		if isEscape && len(rest) > 1 {
			out = append(out, rest[0]<<6|rest[1]&0x3f)
		} else {
			var char rune
			char, n = utf8.DecodeRune(rest)
			out = e.append(out, char)
		}
		nDst, nSrc = len(out), nSrc+n
	}
	return nDst, nSrc, nil
}

// append appends a character.
func (e encoder) append(dst []byte, char rune) []byte {
	if e.charset.isWide() {
		for _, unit := range utf16.AppendRune(nil, char) {
			dst = e.charset.order().AppendUint16(dst, unit)
		}
		return dst
	}
	if b, ok := e.charset.page().EncodeRune(char); ok {
		return append(dst, b)
	}
	for _, unit := range utf16.AppendRune(nil, char) {
		dst = fmt.Appendf(dst, `\u%04x`, unit)
	}
	return dst
}
