package charset

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A Writer writes in a charset what it is given in UTF-8: a Reader's text as it was. A character that a code page lacks is
// written as \u and four hexadecimal digits, or two of these beyond U+FFFF, as JSON writes it.
type Writer struct {
	to      io.WriteCloser
	charset func() Charset
	begun   []byte // of a character whose rest has not come
	out     []byte
}

// NewWriter returns a Writer to to. charset is called for each Write, and at least before the first that has a byte that
// is not ASCII it must return the charset.
func NewWriter(to io.WriteCloser, charset func() Charset) *Writer {
	return &Writer{to: to, charset: charset}
}

// Write keeps the beginning of a character whose rest p does not have.
func (w *Writer) Write(p []byte) (int, error) {
	c := w.charset()
	if c == UTF8 && len(w.begun) == 0 {
		return w.to.Write(p)
	}
	text := p
	if len(w.begun) > 0 {
		text = append(w.begun, p...)
	}
	w.out = w.out[:0]
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			w.append(c, rune(text[0]))
			text = text[1:]
			continue
		}
		if text[0] >= firstEscape {
			if len(text) < 2 {
				break
			}
			w.out = append(w.out, text[0]<<6|text[1]&0x3f)
			text = text[2:]
			continue
		}
		if !utf8.FullRune(text) {
			break
		}
		char, n := utf8.DecodeRune(text)
		w.append(c, char)
		text = text[n:]
	}
	w.begun = append([]byte(nil), text...)
	if len(w.out) == 0 {
		return len(p), nil
	}
	if _, err := w.to.Write(w.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what is left, and closes what is written to.
func (w *Writer) Close() error {
	if len(w.begun) == 0 {
		return w.to.Close()
	}
	w.out, w.begun = w.out[:0], nil
	w.append(w.charset(), utf8.RuneError)
	_, err := w.to.Write(w.out)
	return errors.Join(err, w.to.Close())
}

// append appends a character to out.
func (w *Writer) append(c Charset, char rune) {
	if c == UTF8 {
		w.out = utf8.AppendRune(w.out, char)
		return
	}
	if c.IsWide() {
		if high, low := utf16.EncodeRune(char); high != utf8.RuneError {
			w.out = c.order().AppendUint16(c.order().AppendUint16(w.out, uint16(high)), uint16(low))
			return
		}
		w.out = c.order().AppendUint16(w.out, uint16(char))
		return
	}
	if b, ok := c.page().EncodeRune(char); ok {
		w.out = append(w.out, b)
		return
	}
	for _, unit := range utf16.Encode([]rune{char}) {
		w.out = fmt.Appendf(w.out, `\u%04x`, unit)
	}
}
