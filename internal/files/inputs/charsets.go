package inputs

import (
	"golang.org/x/text/encoding/charmap"

	"simsearch/internal/ground/ints"
)

// Text in UTF-16 and in the code pages of Windows is read as UTF-8, and written back byte for byte.
//
// A file without a byte order mark does not say its charset. UTF-16 shows in its zeros (Wide). A file that is not
// UTF-8 is in a code page, and its letters tell in which one (guess.go). Until the first byte that is not ASCII, all
// code pages and UTF-8 are the same. So a decodingReader decides there, and no file is read twice for it.
//
// A byte that is no part of a character becomes two bytes that no UTF-8 has: 11111100 or'ed with its two upper bits,
// and 10000000 or'ed with the others. A Writer makes the byte of them again. So what has been read can be written as
// it was, whatever it was. Otherwise the two bytes are as any bytes that are not UTF-8.

// A Charset is how text is written as bytes. Its zero value is UTF-8, which stays as it is.
type Charset uint8

// The charsets.
const (
	UTF8 Charset = iota
	utf16LE
	utf16BE
	firstPage // Windows1250, and the others as pages has them
)

// pages are the code pages.
var pages = []*charmap.Charmap{
	charmap.Windows1250, charmap.Windows1251, charmap.Windows1252, charmap.Windows1253, charmap.Windows1254,
	charmap.Windows1255, charmap.Windows1256, charmap.Windows1257,
}

// names are the names of all charsets.
var names = &ints.Names{Type: "Charset", What: "charset", All: []string{
	"UTF-8", "UTF-16LE", "UTF-16BE",
	"windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
}}

// String returns the name of c, such as "UTF-16LE" or "windows-1252".
func (c Charset) String() string { return names.String(uint8(c)) }

// ParseCharset returns the charset with a name that String has returned.
func ParseCharset(name string) (c Charset, err error) {
	err = ints.ParseName(names, &c, []byte(name))
	return c, err
}

// isWide reports whether c is UTF-16.
func (c Charset) isWide() bool { return c == utf16LE || c == utf16BE }

// page returns the code page of c, which must be neither UTF-8 nor UTF-16.
func (c Charset) page() *charmap.Charmap { return pages[c-firstPage] }

// appendEscaped appends a byte that is no part of a character.
func appendEscaped(dst []byte, b byte) []byte { return append(dst, firstEscape|b>>6, 0x80|b&0x3f) }

// firstEscape is the least byte that begins two bytes of appendEscaped. No UTF-8 has it.
const firstEscape = 0xfc
