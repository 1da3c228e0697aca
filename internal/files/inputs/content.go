package inputs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"
)

// Decoded says how Decode has read a content.
type Decoded struct {
	Charset string // the name of its charset, or "" for UTF-8
	Guessed bool   // nothing names the charset: the letters tell it
	Unknown string // a name of a charset that is not known, which the container or the content has, or ""
	Other   string // the charset that the content names, if the container names another one, which counts
	Wrong   string // the charset that the container or the content names, and in which the content is not, or ""
}

// ErrForeign marks a content that names no charset, and that is in none that a guess can tell from others, such as
// KOI8-R or Shift JIS.
var ErrForeign = errors.New("neither UTF-8, UTF-16 nor a code page of Windows, by its letters: convert it to UTF-8 first, such as by iconv")

// Decode returns in UTF-8 a content that is one text. named is the charset that its container names, such as the
// header of an answer or of a part of a message, or "". markup says that it is HTML or XML, which may name its
// charset.
//
// A byte order mark counts most, then the zero bytes of UTF-16 and UTF-32, then named, then what the content names
// unless it is UTF-8, then the guess that files without a charset are read by. A name does not count if the content
// is in UTF-8 or would lose its letters. A content of which a name says that it is UTF-8, and of which most is not,
// has its other bytes read as letters of windows-1252, so that they do not vanish. The text is the content itself if
// nothing changes, and if there is an error.
func Decode(content []byte, named string, markup bool) (text []byte, how Decoded, err error) {
	if rest, ok := bytes.CutPrefix(content, []byte("\ufeff")); ok {
		return rest, how, nil
	}
	if c := marked(content); c != UTF8 {
		return decodeAll(content[2:], c), Decoded{Charset: c.String()}, nil
	}
	if isPlainASCII(content) {
		return content, how, nil
	}
	return decodeNamed(content, named, markup)
}

// decodeNamed is Decode for a content without a byte order mark.
func decodeNamed(content []byte, named string, markup bool) (text []byte, how Decoded, err error) {
	outer, inner := tidyName(named), ""
	if markup {
		if inner = namedInside(content); inner == "x-user-defined" {
			inner = "windows-1252" // the standard of the web says so
		}
	}
	header, known := find(outer)
	if !known {
		how.Unknown = outer
	}
	if text, how.Charset, err = byZeros(content, header); err != nil {
		return content, how, err
	}
	if how.Charset != "" {
		if known && !header.wide() {
			how.Wrong = outer
		}
		return text, how, nil
	}
	page, pageKnown := find(inner)
	if known {
		if text, ok := header.read(content); ok {
			how.Charset = header.name
			if pageKnown && page.name != header.name && !page.wide() && !bytes.Equal(page.decode(content), text) {
				how.Other = cmp.Or(page.name, "utf-8")
			}
			return text, how, nil
		}
		how.Wrong = outer
	}
	if !pageKnown {
		how.Unknown = cmp.Or(how.Unknown, inner)
	}
	if pageKnown && page.name != "" && !page.wide() { // in UTF-16 its name could not be read
		if text, ok := page.read(content); ok && (page.stateful() || !utf8.Valid(content)) {
			how.Charset = page.name
			return text, how, nil
		}
		how.Wrong = cmp.Or(how.Wrong, inner)
	}
	return decodeGuessed(content, how)
}

// decodeGuessed decodes a content by its letters.
func decodeGuessed(content []byte, how Decoded) ([]byte, Decoded, error) {
	if utf8.Valid(content) {
		return content, how, nil
	}
	foreign := ErrForeign
	if how.Wrong != "" {
		foreign = fmt.Errorf("not in %.40s, which is named for it, and %w", how.Wrong, ErrForeign)
	}
	if Foreign(content) {
		return content, how, foreign
	}
	c := (&decodingReader{raw: content, err: io.EOF}).detect(false)
	if c == UTF8 {
		return content, how, nil
	}
	text := decodeAll(content, c)
	if how.Wrong != "" && losesLetters(text, true) {
		return content, how, foreign
	}
	how.Charset, how.Guessed = c.String(), true
	return text, how, nil
}

// decodeAll returns text, which is in c, in UTF-8. A byte that is no part of a character is U+FFFD.
func decodeAll(text []byte, c Charset) []byte {
	decoded, _, err := transform.Bytes(decoderOf(c), text)
	if err != nil {
		return text
	}
	return bytes.ToValidUTF8(decoded, []byte("\ufffd"))
}

// isPlainASCII reports whether all charsets read content alike.
func isPlainASCII(content []byte) bool {
	return countASCII(content) == len(content) && bytes.IndexByte(content, 0) < 0 && bytes.IndexByte(content, 0x1b) < 0 &&
		!bytes.Contains(content, []byte("~{"))
}

// A named charset is one that Decode can read.
type namedCharset struct {
	name     string // "" for UTF-8
	encoding encoding.Encoding
}

func (e namedCharset) wide() bool { return strings.HasPrefix(e.name, "utf-16") }

// stateful reports whether a text in the charset is in ASCII for who does not know better.
func (e namedCharset) stateful() bool {
	return e.name == "iso-2022-jp" || strings.HasPrefix(e.name, "hz-")
}

// several are the charsets in which a character may have several bytes, but for UTF-8 and UTF-16.
var several = append([]encoding.Encoding{simplifiedchinese.GBK, simplifiedchinese.HZGB2312, japanese.ISO2022JP}, eastern...)

// read returns content in UTF-8. ok is false if it is not in the charset: it is in UTF-8, or its letters would get
// lost.
func (e namedCharset) read(content []byte) (text []byte, ok bool) {
	text = e.decode(content)
	if countASCII(content) == len(content) {
		return text, true
	}
	valid, bad := countUTF8(content, true)
	if e.name == "" && valid >= bad {
		return text, true
	}
	alone := !slices.Contains(several, e.encoding)
	loses := losesLetters(text, alone && !e.wide())
	if valid > 10*bad && (alone || loses || valid >= notByLuck || bytes.ContainsRune(text, utf8.RuneError)) {
		return nil, false
	}
	return text, !loses
}

// notByLuck is the number of characters of UTF-8 that no text in a charset of East Asia has by luck, and no other
// bytes.
const notByLuck = 6

// losesLetters reports whether an eighth of the characters of a text beyond ASCII, or a quarter of few, are none that
// a text has. Those of another charset become such characters, and different texts would be alike without them. alone
// says that each character was one byte. Then a sign between two letters is one, too, as are signs of which frames
// are drawn.
func losesLetters(text []byte, alone bool) bool {
	lost, all, before := 0, 0, ' '
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		after, n := utf8.DecodeRune(text)
		if n == 0 {
			after = ' '
		}
		if r >= utf8.RuneSelf {
			all++
			if isLost(before, r, after, alone) {
				lost++
			}
		}
		before = r
	}
	return lost > 0 && 4*lost >= all || lost > 2 && 8*lost >= all
}

// A class says what a character is.
type class uint8

const (
	letter      class = iota // a letter, a digit or a space
	sign                     // such as a comma
	noCharacter              // of control, of private use, not assigned, or in place of what cannot be read
)

func classOf(r rune) class {
	switch {
	case r == utf8.RuneError:
		return noCharacter
	case unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Z, unicode.Cf):
		return letter
	case unicode.In(r, unicode.P, unicode.S):
		return sign
	}
	return noCharacter
}

// mostClasses is the number of characters whose classes are kept, since finding them takes long.
const mostClasses = 0x3000

var classes = sync.OnceValue(func() *[mostClasses]class {
	var all [mostClasses]class
	for r := range rune(mostClasses) {
		all[r] = classOf(r)
	}
	return &all
})

// isLost reports whether a character beyond ASCII, between two others, is none that a text has: see losesLetters.
func isLost(before, r, after rune, alone bool) bool {
	var c class
	if r < mostClasses {
		c = classes()[r]
	} else {
		c = classOf(r)
	}
	switch {
	case c != sign:
		return c == noCharacter
	case !alone, r == before, r == after:
		return false
	case 0x2500 <= r && r < 0x25a0: // of frames, which have lines
		const lines = "─│═║"
		return (before >= utf8.RuneSelf || after >= utf8.RuneSelf) && !strings.ContainsAny(lines, string([]rune{before, r, after}))
	}
	return before >= utf8.RuneSelf && after >= utf8.RuneSelf
}

// decode returns content in UTF-8.
func (e namedCharset) decode(content []byte) []byte {
	switch {
	case e.name == "":
		return mostlyUTF8(content)
	case e.name == "utf-16be", e.name == "utf-16" && zerosFirst(content):
		return decodeAll(content, utf16BE)
	case e.wide():
		return decodeAll(content, utf16LE)
	}
	decoded, err := e.encoding.NewDecoder().Bytes(content)
	if err != nil {
		return mostlyUTF8(content)
	}
	return decoded
}

// zerosFirst reports whether the zeros of spaces, digits and letters of Latin in UTF-16 stand before what is not zero.
func zerosFirst(content []byte) bool {
	var zeros [2]int
	for i, b := range content {
		if b == 0 {
			zeros[i%2]++
		}
	}
	return zeros[0] > zeros[1]
}

// mostlyUTF8 returns content as it is, unless most of what is not ASCII is no UTF-8. Then it has letters of
// windows-1252 for these bytes.
func mostlyUTF8(content []byte) []byte {
	if valid, bad := countUTF8(content, true); valid >= bad {
		return content
	}
	out := make([]byte, 0, 2*len(content))
	for len(content) > 0 {
		char, n := utf8.DecodeRune(content)
		if char == utf8.RuneError && n == 1 {
			char = charmap.Windows1252.DecodeByte(content[0])
		}
		out = utf8.AppendRune(out, char)
		content = content[n:]
	}
	return out
}

// noCharset are names that say nothing.
var noCharset = []string{"us-ascii", "ascii", "unknown-8bit", "x-unknown", "unknown", "none", "binary", "8bit",
	"utf-32", "utf-32le", "utf-32be"} // the zeros tell UTF-32

// aliases are names of charsets that programs write, and that no list has.
var aliases = map[string]string{
	"cp932": "shift_jis", "cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "ks_c_5601-1987": "euc-kr", "utf8mb4": "utf-8",
	"latin-1": "windows-1252", "cp-850": "ibm850", "cp850": "ibm850", "cp437": "ibm437", "utf-16": "utf-16", "utf16": "utf-16",
	"ucs-2": "utf-16", "unicode": "utf-16",
}

// tidyName returns a name as find wants it, or "" if it says nothing.
func tidyName(name string) string {
	name = strings.ToLower(strings.Trim(name, " \t\r\n\"';"))
	if slices.Contains(noCharset, name) {
		return ""
	}
	return name
}

// find returns the charset called name, which tidyName has returned. The standard of the web knows most, and means by
// iso-8859-1 what programs mean by it, windows-1252.
func find(name string) (e namedCharset, known bool) {
	if name == "" {
		return e, false
	}
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	if name == "utf-16" {
		return namedCharset{name: name}, true
	}
	if e.encoding, _ = htmlindex.Get(name); e.encoding != nil && e.encoding != encoding.Replacement {
		e.name, _ = htmlindex.Name(e.encoding)
	} else if e.encoding, _ = ianaindex.IANA.Encoding(name); e.encoding != nil {
		e.name = name
	} else {
		return e, false
	}
	if e.name == "utf-8" {
		e.name = ""
	}
	return e, true
}

// insideAt is how many bytes of a page may lie before the name of its charset.
const insideAt = 64 << 10

// declaration is that of XML.
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([^"'>]+)["']`)

// inContent is the name of a charset in the content of a meta element, as for a header.
var inContent = regexp.MustCompile(`(?i)charset\s*=\s*["']?\s*([^\s"';,]+)`)

// namedInside returns the charset that a page of HTML or XML names, as tidyName has it, or "".
func namedInside(page []byte) string {
	page = page[:min(len(page), insideAt)]
	if m := declaration.FindSubmatch(page); m != nil {
		return tidyName(string(m[1]))
	}
	if !bytes.Contains(bytes.ToLower(page), []byte("charset")) {
		return ""
	}
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "body" {
				return ""
			}
			if string(name) != "meta" {
				continue
			}
			if charset := ofMeta(z, more); charset != "" {
				return charset
			}
		}
	}
}

// ofMeta returns the charset that the attributes of a meta element name, or "".
func ofMeta(z *html.Tokenizer, more bool) string {
	content, is := "", false
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			return tidyName(string(value))
		case "http-equiv":
			is = strings.EqualFold(strings.TrimSpace(string(value)), "content-type")
		case "content":
			content = string(value)
		}
	}
	if m := inContent.FindStringSubmatch(content); is && m != nil {
		return tidyName(m[1])
	}
	return ""
}
