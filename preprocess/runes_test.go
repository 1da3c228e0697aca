package preprocess

import (
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

var update = flag.Bool("update", false, "write runes.bin anew")

// segments returns the number of segments of s by UAX #29.
func segments(s string) int {
	n := 0
	for it := words.FromString(s); it.Next(); {
		n++
	}
	return n
}

// breakClass returns the class of a normalised, folded character, by what the segmenter makes of it.
func breakClass(r rune) class {
	s := string(r)
	is := func(text string, n int) bool { return segments(text) == n }
	isWord := unicode.IsLetter(r) || unicode.IsNumber(r)
	switch {
	case isIgnorable(r) || r == utf8.RuneError:
		return hard
	case isUnspaced(r):
		return unspacedRune
	case unicode.Is(unicode.Hebrew, r):
		if isWord && is(s+"a", 1) && is("a"+s, 1) && is(s+"\"", 2) && is(s+"\""+s, 1) {
			return hebrew
		}
		return hard
	case is("a"+s+"a", 1) && is("a"+s, 1) && is(s+"a", 2): // it extends the character before
		return extend
	case is("a"+s+"a", 1) && is("a:"+s+"a", 1) && is(s+"1", 1) && is(s+s, 1) && isWord && is(s+"'a", 1):
		return alphabetic
	case is("1,"+s+",1", 1) && is("a"+s+"a", 1) && is(s+s, 1) && isWord:
		return numeric
	case is("a"+s+"a", 1) && is("1"+s+"1", 1) && is(s+s, 1) && is("a:"+s, 3) && is("1,"+s, 3) && !isWord:
		return extendNumLet
	case is("a"+s+"a", 1) && is("1"+s+"1", 3) && is("a"+s, 2) && is(s+s, 2):
		return betweenAlpha
	case is("a"+s+"a", 3) && is("1"+s+"1", 1) && is("1"+s, 2) && is(s+s, 2):
		return betweenNum
	case is("a"+s+"a", 1) && is("1"+s+"1", 1) && is("a"+s, 2) && is("1"+s, 2) && is(s+s, 2):
		return betweenBoth
	case is("a"+s+"a", 3) && is("1"+s+"1", 3) && is("_"+s+"_", 3):
		if isWord {
			if is(s+s, 2) {
				return single
			}
			return hard
		}
		return other
	}
	return hard
}

// classify returns the class of a character of a text, and its normalised, folded form.
func classify(r rune) (class, string) {
	s := string(r)
	if !norm.NFKC.PropertiesString(s).BoundaryBefore() || 0xd800 <= r && r < 0xe000 {
		return hard, ""
	}
	became := norm.NFKC.String(strings.ReplaceAll(norm.NFKC.String(foldString(norm.NFKC.String(s))), "\u2019", "'"))
	var classes []class
	for _, m := range became {
		if p := norm.NFKC.PropertiesString(string(m)); !p.BoundaryBefore() || p.CCC() != 0 {
			return hard, ""
		}
		classes = append(classes, breakClass(m))
	}
	if p := norm.NFKC.PropertiesString(s); p.CCC() != 0 || len(classes) == 0 || slices.Contains(classes, hard) {
		return hard, ""
	}
	if became == s {
		became = ""
	}
	if len(classes) == 1 {
		return classes[0], became
	}
	mids := 0
	for _, c := range classes {
		if c == betweenAlpha || c == betweenNum || c == betweenBoth || c == other {
			mids++
		}
	}
	switch {
	case mids == len(classes): // two marks separate words, whatever one does
		return other, became
	case len(slices.Compact(slices.Clone(classes))) == 1 && (classes[0] == alphabetic || classes[0] == numeric):
		return classes[0], became
	}
	return hard, ""
}

// runeFile returns the contents of runes.bin.
func runeFile() []byte {
	var index [256]byte
	var blocks [][256]uint16
	become := []string{""}
	numbers := map[string]uint16{"": 0}
	for hi := range 256 {
		var b [256]uint16
		for lo := range 256 {
			c, s := classify(rune(hi<<8 | lo))
			n, ok := numbers[s]
			if !ok {
				n = uint16(len(become))
				numbers[s] = n
				become = append(become, s)
			}
			b[lo] = n<<4 | uint16(c)
		}
		i := slices.Index(blocks, b)
		if i < 0 {
			i = len(blocks)
			blocks = append(blocks, b)
		}
		index[hi] = byte(i)
	}
	out := index[:]
	out = binary.LittleEndian.AppendUint16(out, uint16(len(blocks)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(become)))
	for _, b := range blocks {
		for _, e := range b {
			out = binary.LittleEndian.AppendUint16(out, e)
		}
	}
	for _, s := range become {
		out = append(append(out, byte(len(s))), s...)
	}
	return out
}

// The table agrees with the segmenter and the normaliser about each character.
func TestRuneTable(t *testing.T) {
	want := runeFile()
	if *update {
		if err := os.WriteFile("runes.bin", want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !slices.Equal(runesFile, want) {
		t.Error("runes.bin is not current; run go test ./preprocess -run RuneTable -update")
	}
}
