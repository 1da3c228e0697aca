package preprocess

import (
	_ "embed"
	"encoding/binary"
)

// The table of characters is made by asking the libraries of the general path, and a test compares it with
// them for every character. It makes the analysis of mixed text four times as fast.

// A class is the effect of a normalised character on the words around it: its Word_Break property in
// UAX #29, as far as the quick path needs it.
type class uint8

const (
	hard         class = iota // only the general path knows
	other                     // in no word
	alphabetic                // ALetter
	numeric                   // Numeric
	extendNumLet              // ExtendNumLet: '_' and similar characters
	betweenAlpha              // MidLetter
	betweenNum                // MidNum
	betweenBoth               // MidNumLet, Single_Quote
	extend                    // Extend, Format: belongs to the character before
	unspacedRune              // of a script written without spaces
	single                    // a word by itself, next to any character
	hebrew                    // Hebrew_Letter: alphabetic, except next to quotation marks
)

// A runeTable has the class of each character up to U+FFFF, and its normalised, folded form.
type runeTable struct {
	index  [256]uint8    // the block of the characters that share their upper byte
	blocks [][256]uint16 // the class in the 4 lowest bits, and above it the index of the form in become
	become []string      // normalised and folded forms; "" is the character itself
}

// runes.bin is made by a test: go test ./preprocess -run RuneTable -update.
//
//go:embed runes.bin
var runesFile []byte

var runes = func() (t runeTable) {
	b := runesFile
	copy(t.index[:], b)
	b = b[256:]
	t.blocks = make([][256]uint16, binary.LittleEndian.Uint16(b))
	t.become = make([]string, binary.LittleEndian.Uint16(b[2:]))
	b = b[4:]
	for i := range t.blocks {
		for j := range t.blocks[i] {
			t.blocks[i][j] = binary.LittleEndian.Uint16(b)
			b = b[2:]
		}
	}
	for i := range t.become {
		n := int(b[0])
		t.become[i] = string(b[1 : 1+n])
		b = b[1+n:]
	}
	return t
}()

// look returns the class of r and its normalised, folded form, where "" is r itself.
func (t *runeTable) look(r rune) (class, string) {
	if r > 0xffff {
		// Pictographs are in no word, except with a joiner, which is hard.
		if 0x1f300 <= r && r <= 0x1f3fa || 0x1f400 <= r && r <= 0x1f64f || 0x1f680 <= r && r <= 0x1f6ff || 0x1f900 <= r && r <= 0x1f9ff {
			return other, ""
		}
		return hard, ""
	}
	e := t.blocks[t.index[uint8(r>>8)]][uint8(r)]
	return class(e & 15), t.become[e>>4]
}
