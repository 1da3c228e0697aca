package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ids are written to places where some bytes are not allowed, and read back. An id is any string of bytes. A column,
// a JSON string or a terminal does not allow every byte.
//
// There is one scheme for all places, and there are no other escapes:
//
//   - A byte that a place does not allow is escaped: it is written as a mark, U+FFFD, followed by the byte
//     in two upper-case hexadecimal digits. A tab is \uFFFD09. All bytes of a character that is not
//     allowed are escaped. Everything else is written as it is, with backslashes.
//   - Marks of the id are written as they are, unless the next bytes would be read as such digits, or the
//     next byte is escaped. Then each of these marks is written twice.
//
// For reading, let n marks precede the two digits of a byte that the place escapes. They are n/2 marks of
// the id, and if n is odd, the digits are the byte. All other marks are marks of the id. So distinct ids
// have distinct texts, and reading is the inverse of writing, for every string of bytes.

// A Place is a kind of text to which an id is written.
type Place uint8

// The places.
const (
	// List is a line of a file with columns, which tabs separate. It does not allow NUL, tab, line feed
	// and carriage return. It does not allow a byte order mark at the beginning of an id, which would be
	// lost at the beginning of a file. It allows bytes that are not UTF-8.
	List Place = iota
	// String is a string of JSON or SQL before the quoting of that language. It does not allow NUL and
	// bytes that are not UTF-8.
	String
	// Terminal is a screen or a page. It does not allow bytes that are not UTF-8, control characters, the
	// separators U+2028 and U+2029, and characters without a shape of their own: those that change the direction
	// of writing, spaces without width, tags, soft hyphens, fillers, and all others of the category Cf or with the
	// property Default_Ignorable_Code_Point. Two kinds of these are needed to write some languages, and emoji:
	// U+200C and U+200D, which join letters or part them, and variation selectors. They are allowed right behind a
	// letter, a mark or a symbol from U+0590 on. So they stand in Persian and Hindi, and cannot hide in English.
	// The blank of Braille, U+2800, is allowed right behind a pattern of Braille.
	Terminal
)

// mark is U+FFFD in UTF-8.
const mark = "\uFFFD"

// AppendText appends the text of id in place p to dst.
func (p Place) AppendText(dst, id []byte) []byte { return p.append(dst, beginning, id, true) }

// append appends text, which stands behind the character before. If doubles is set, marks of the text that could be
// taken for those of escapes are written twice.
func (p Place) append(dst []byte, before rune, text []byte, doubles bool) []byte {
	for len(text) > 0 {
		r, size, fits := p.next(text, before)
		if marks := leadingMarks(text); doubles && marks > 0 {
			r, size, fits = utf8.RuneError, marks*len(mark), true
			if p.doubled(text[size:]) {
				dst = append(dst, text[:size]...)
			}
		}
		if fits {
			dst = append(dst, text[:size]...)
		} else {
			dst = appendEscaped(dst, text[:size])
			r = afterEscape
		}
		text, before = text[size:], r
	}
	return dst
}

// Text returns the text of id in place p. It allocates only if the text differs from the id or the
// id has bytes that may need escaping.
func (p Place) Text(id string) string {
	if !p.suspect(id) {
		return id
	}
	return string(p.AppendText(nil, []byte(id)))
}

// AppendID appends to dst the id that has the given text in a place. It accepts any text: bytes that
// AppendText would not write are taken as they are.
func (p Place) AppendID(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		marks := leadingMarks(text[i:])
		if marks == 0 {
			dst = append(dst, text[i])
			i++
			continue
		}
		end := i + marks*len(mark)
		b, ok := p.digits(text[end:])
		if !ok {
			dst = append(dst, text[i:end]...)
			i = end
			continue
		}
		dst = append(dst, text[i:i+marks/2*len(mark)]...)
		if i = end; marks%2 == 1 {
			dst = append(dst, b)
			i += 2
		}
	}
	return dst
}

// appendHarmless appends a message to dst, and escapes what a terminal does not allow. It does not double
// marks, so that the message may have ids that are escaped for a terminal. before is the character in front of
// the message, or 0.
func appendHarmless(dst []byte, before rune, text []byte) []byte {
	return Terminal.append(dst, before, text, false)
}

// Harmless returns the result of appendHarmless as a string.
func Harmless(text string) string {
	if !Terminal.suspect(text) {
		return text
	}
	return string(appendHarmless(nil, beginning, []byte(text)))
}

// doubled reports whether marks of an id are written twice if rest follows them.
func (p Place) doubled(rest []byte) bool {
	if _, ok := p.digits(rest); ok {
		return true
	}
	if len(rest) == 0 {
		return false
	}
	_, _, fits := p.next(rest, utf8.RuneError)
	return !fits
}

// What can stand before a character, if it is no other character.
const (
	beginning   rune = -1
	afterEscape rune = '0' // a hexadecimal digit
)

// next returns the first character or byte of s, which is not empty, its size, and whether the place allows it
// behind the character before.
func (p Place) next(s []byte, before rune) (r rune, size int, fits bool) {
	if p == List {
		if before == beginning && len(s) >= 3 && s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF {
			return 0xFEFF, 3, false
		}
		return 0, 1, s[0] != 0 && s[0] != '\t' && s[0] != '\n' && s[0] != '\r'
	}
	r, size = utf8.DecodeRune(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return r, size, false
	case p == String:
		return r, size, r != 0
	}
	return r, size, !control(before, r)
}

// control reports whether a character that stands behind another one can have another effect on a terminal than
// being shown. before is that other one, or 0.
func control(before, r rune) bool {
	switch {
	case r < 0x300: // most characters of most texts
		return unicode.IsControl(r) || r == softHyphen
	case unicode.Is(unicode.Join_Control, r):
		return !shaped(before)
	case unicode.Is(unicode.Variation_Selector, r):
		return !shaped(before) || unicode.Is(unicode.Variation_Selector, before)
	case r == brailleBlank: // parts words of Braille
		return before < brailleBlank || before > lastBraille
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // of the category Cf, and with a shape
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

const (
	softHyphen   = 0xAD
	firstShaped  = 0x590  // behind Latin, Greek and Cyrillic
	brailleBlank = 0x2800 // the first pattern of Braille, which has no dot
	lastBraille  = 0x28FF
)

// shaped reports whether a character that joins letters, or selects a variant, may stand behind r.
func shaped(r rune) bool {
	return r >= firstShaped && r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.S)
}

// digits returns the byte of the two digits at the beginning of s, if there are such digits and the place
// escapes the byte.
func (p Place) digits(s []byte) (b byte, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, s[0]), strings.IndexByte(hexDigits, s[1])
	b = byte(high<<4 | low)
	return b, high >= 0 && low >= 0 && p.escapes(b)
}

// escapes reports whether there are ids in which a place escapes the byte b.
func (p Place) escapes(b byte) bool {
	switch p {
	case List:
		return b == 0 || b == '\t' || b == '\n' || b == '\r' || b == 0xEF || b == 0xBB || b == 0xBF
	case String:
		return b == 0 || b >= utf8.RuneSelf
	default:
		return b < ' ' || b >= 0x7F
	}
}

// suspect reports whether the text of an id may differ from the id.
func (p Place) suspect(id string) bool {
	for i := range len(id) {
		if p.escapes(id[i]) {
			return true
		}
	}
	return false
}

const hexDigits = "0123456789ABCDEF"

func appendEscaped(dst, bytes []byte) []byte {
	for _, b := range bytes {
		dst = append(dst, mark...)
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// leadingMarks returns the number of marks at the beginning of s.
func leadingMarks(s []byte) (n int) {
	for len(s) >= len(mark) && string(s[:len(mark)]) == mark {
		s = s[len(mark):]
		n++
	}
	return n
}

// OneLine returns a text on one line that is Harmless: with one space for each run of white space, and none at the
// ends.
func OneLine(text string) string { return Harmless(strings.Join(strings.Fields(text), " ")) }
