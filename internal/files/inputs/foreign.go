package inputs

import (
	"bytes"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// The charsets that Foreign knows: those of East Asia, in which a letter has several bytes, and those of Cyrillic
// letters.
var (
	eastern  = []encoding.Encoding{japanese.ShiftJIS, japanese.EUCJP, korean.EUCKR, simplifiedchinese.GB18030, traditionalchinese.Big5}
	cyrillic = []*charmap.Charmap{charmap.KOI8R, charmap.KOI8U, charmap.CodePage866, charmap.ISO8859_5}
)

const (
	leastForeign = 16   // bytes that a text is judged by; fewer may be of another charset by luck
	fits         = 3.9  // a byte of a text costs about as much, or less, in the charset that it is in
	better       = 0.45 // by how much less a byte costs in another charset
)

// Foreign reports whether the beginning of a text is in a charset that this package does not read, so that guess would
// read wrong letters.
func Foreign(text []byte) bool {
	if valid, bad := countUTF8(text, false); valid >= bad || bad < leastForeign {
		return false
	}
	judged := judgedBytes(text)
	if len(judged) < leastForeign {
		return false
	}
	least, other := math.Inf(1), math.Inf(1)
	for _, l := range languages() {
		least = min(least, l.costAt(text, judged))
		if l.charset == firstPage+1 {
			for _, l.page = range cyrillic {
				other = min(other, l.costAt(text, judged))
			}
		}
	}
	n := float64(len(judged))
	return other < fits*n && other+better*n < least ||
		least > fits*n && slices.ContainsFunc(eastern, func(e encoding.Encoding) bool { return isEastern(e, text) })
}

// isEastern reports whether all of a text is in a charset of East Asia, but for what may be cut off at the end, and
// nine in ten of its characters beyond ASCII are letters or marks of there.
func isEastern(e encoding.Encoding, text []byte) bool {
	decoded, err := e.NewDecoder().Bytes(text)
	decoded = bytes.TrimRight(decoded, string(utf8.RuneError))
	if err != nil || bytes.ContainsRune(decoded, utf8.RuneError) {
		return false
	}
	letters, all := 0, 0
	for _, r := range string(decoded) {
		if r < utf8.RuneSelf {
			continue
		}
		all++
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && r < 0xff00 || 0x3000 <= r && r < 0x3040 ||
			0xff00 < r && r < 0xff61 {
			letters++
		}
	}
	return 10*letters >= 9*all
}
