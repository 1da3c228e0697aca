package preprocess

import (
	_ "embed"
	"encoding/binary"
	"sync"
)

// The table of characters is made by asking the libraries of the general path, and a test compares it with
// them for every character.

// A class is the effect of a normalised character on the words around it: its Word_Break property in
// UAX #29, and what it does to the characters before it, as far as the quick path needs that.
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
	unspacedRune              // of a script written without spaces, with a form of three bytes a character
	single                    // a word by itself, next to any character
	hebrew                    // Hebrew_Letter: alphabetic, except next to quotation marks
	mark                      // may compose or reorder with the characters before it; extend or unspacedRune otherwise
	jamo                      // a vowel or final consonant of Hangul, which may compose with the letter before it
	dropped                   // as IsDropped says
)

// unspacedMark is set in the entry of a mark of a script written without spaces. Below it is the canonical combining
// class of the mark.
const unspacedMark = 1 << 8

// An entry of the table has the class of a character in its 4 lowest bits. Above it is what a mark does, or
// the number of the form of another character.
type entry = uint16

// A form is what normalising and folding make of a character, if it has at most 7 bytes: a little-endian integer with
// the length in the highest byte. The length is longForm if there are more.
type form uint64

const longForm = 0xff

// A runeTable has the entry of each character up to U+FFFF, and its normalised, folded form.
type runeTable struct {
	index  [256]uint16 // where the block begins of the characters that share their upper byte
	blocks []entry     // 256 each
	forms  []form      // those of become
	become []string    // normalised and folded forms; "" is the character itself
	// pairs has what a character with a mark, in its 16 lowest bits, composes to, and parts has of what characters are
	// composed.
	pairs, parts pairTable
}

// A pairTable is a hash table of pairs. Empty places are zeros.
type (
	pairTable [1 << pairBits]pair
	pair      struct{ key, value uint32 }
)

const pairBits = 11

// runes.bin is made by a test: go test ./preprocess -run RuneTable -update.
//
//go:embed runes.bin
var runesFile string

// runes is empty until makeRunes fills it, which everything does that makes an Analyzer. A program that analyses
// nothing starts sooner.
var runes runeTable

var makeRunes = sync.OnceFunc(func() {
	t, b := &runes, runesFile
	for i := range t.index {
		t.index[i] = uint16(b[i]) << 8
	}
	b = b[256:]
	next := func() uint16 {
		n := uint16(b[0]) | uint16(b[1])<<8
		b = b[2:]
		return n
	}
	t.blocks = make([]entry, 256*int(next()))
	t.become = make([]string, next())
	t.forms = make([]form, len(t.become))
	for i := range t.blocks {
		t.blocks[i] = next()
	}
	for i := range t.become {
		n := int(b[0])
		t.become[i] = b[1 : 1+n]
		b = b[1+n:]
		t.forms[i] = formOf(t.become[i])
	}
	for range next() {
		parts, composed := pairKey(rune(next()), rune(next())), uint32(next())
		*t.pairs.at(parts), *t.parts.at(composed) = pair{parts, composed}, pair{composed, parts}
	}
})

func formOf(s string) form {
	if len(s) > 7 {
		return longForm << 56
	}
	var b [8]byte
	copy(b[:], s)
	b[7] = byte(len(s))
	return form(binary.LittleEndian.Uint64(b[:]))
}

// look returns the entry of r.
func (t *runeTable) look(r rune) entry {
	if r > 0xffff {
		// Pictographs are in no word, except with a joiner.
		if 0x1f300 <= r && r <= 0x1f3fa || 0x1f400 <= r && r <= 0x1f64f || 0x1f680 <= r && r <= 0x1f6ff || 0x1f900 <= r && r <= 0x1f9ff {
			return entry(other)
		}
		return entry(hard)
	}
	return t.blocks[t.index[uint8(r>>8)]|uint16(r)&0xff]
}

func classOf(e entry) class { return class(e & 15) }

// compose returns what r and a mark behind it compose to, or 0.
func (t *runeTable) compose(r, mark rune) rune {
	if uint32(r) > 0xffff {
		return 0
	}
	return rune(t.pairs.at(pairKey(r, mark)).value)
}

func pairKey(r, mark rune) uint32 { return uint32(r)<<16 | uint32(mark) }

// at returns the pair of a key, or the empty place where it would be, by multiplicative hashing (Knuth, TAOCP volume 3,
// section 6.4).
func (t *pairTable) at(key uint32) *pair {
	for i := key * 0x9e3779b1 >> (32 - pairBits); ; i++ {
		if p := &t[i%(1<<pairBits)]; p.key == key || p.key == 0 {
			return p
		}
	}
}
