package preprocess

import (
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

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

// normalised returns the normalised, folded form of s.
func normalised(s string) string {
	return norm.NFKC.String(strings.Map(simplified, foldString(norm.NFKC.String(s))))
}

// classifyMark returns the class of a character that may compose or reorder with those before it, and what a mark
// does.
func classifyMark(r rune) (class, uint16) {
	if normalised(string(r)) != string(r) {
		return hard, 0
	}
	if isVowel(r) || isFinal(r) {
		return jamo, 0
	}
	ccc := uint16(norm.NFKC.PropertiesString(string(r)).CCC())
	switch breakClass(r) {
	case extend:
		return mark, ccc
	case unspacedRune:
		return mark, ccc | unspacedMark
	}
	return hard, 0
}

// classify returns the class of a character of a text, and its normalised, folded form.
func classify(r rune) (class, string) {
	s := string(r)
	if 0xd800 <= r && r < 0xe000 {
		return hard, ""
	}
	if strings.Contains(norm.NFD.String(s), "\u0345") {
		return hard, "" // a mark behind it goes in front of the iota, which is a letter of its own when folded
	}
	became := normalised(s)
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
	if len(classes) == 1 && (classes[0] != unspacedRune || len(became) == 0 || len(became) == 3) {
		return classes[0], became
	}
	mids := 0
	for _, c := range classes {
		if c == betweenAlpha || c == betweenNum || c == betweenBoth || c == other {
			mids++
		}
	}
	switch {
	case len(slices.Compact(slices.Clone(classes))) == 1 && classes[0] == unspacedRune && len(became) == 3*len(classes):
		return unspacedRune, became
	case mids == len(classes): // two marks separate words, whatever one does
		return other, became
	case len(slices.Compact(slices.Clone(classes))) == 1 && (classes[0] == alphabetic || classes[0] == numeric):
		return classes[0], became
	}
	return hard, ""
}

// runeFile returns the contents of runes.bin.
func runeFile(t *testing.T) []byte {
	var index [256]byte
	var blocks [][256]uint16
	become := []string{""}
	numbers := map[string]uint16{"": 0}
	for hi := range 256 {
		var b [256]uint16
		for lo := range 256 {
			r := rune(hi<<8 | lo)
			if IsDropped(r) {
				b[lo] = uint16(dropped)
				continue
			}
			if p := norm.NFKC.PropertiesString(string(r)); p.CCC() != 0 || !p.BoundaryBefore() {
				c, does := classifyMark(r)
				b[lo] = does<<4 | uint16(c)
				continue
			}
			c, s := classify(r)
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
	all := compositions(t)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(all)))
	for _, c := range all {
		for _, r := range c {
			out = binary.LittleEndian.AppendUint16(out, r)
		}
	}
	return out
}

// compositions returns each letter or mark, the mark that may follow it, and what they compose to.
func compositions(t *testing.T) (all [][3]uint16) {
	for r := rune(0x80); r <= 0xffff; r++ {
		decomposed := []rune(norm.NFD.String(string(r)))
		if len(decomposed) < 2 || normalised(string(r)) != string(r) {
			continue
		}
		before := []rune(norm.NFC.String(string(decomposed[:len(decomposed)-1])))
		after := decomposed[len(decomposed)-1]
		if len(before) != 1 || norm.NFC.String(string(before)+string(after)) != string(r) {
			continue
		}
		if c, _ := classifyMark(after); c != mark {
			continue
		}
		was, is := breakClass(before[0]), breakClass(r)
		if was == other && is == other {
			continue // in no word, composed or not
		}
		if was != is || is != alphabetic && is != unspacedRune && is != extend {
			t.Fatalf("%U of class %d and %U compose to %U of class %d", before[0], was, after, r, is)
		}
		all = append(all, [3]uint16{uint16(before[0]), uint16(after), uint16(r)})
	}
	return all
}

// The table agrees with the segmenter and the normaliser about each character.
func TestRuneTable(t *testing.T) {
	want := runeFile(t)
	if *update {
		if err := os.WriteFile("runes.bin", want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if runesFile != string(want) {
		t.Error("runes.bin is not current; run go test ./preprocess -run RuneTable -update")
	}
}

func init() { makeRunes() }
