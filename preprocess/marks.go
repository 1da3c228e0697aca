package preprocess

import (
	"slices"
	"unicode/utf8"
)

// The largest number of marks on a character in the quick path, and their length in bytes. The normaliser parts more
// than 30.
const (
	maxMarks     = 24
	maxMarkBytes = 2 * maxMarks
)

// A placedMark is a mark with its canonical combining class.
type placedMark struct {
	r     rune
	order uint8
}

// readMarks reads the marks at the beginning of text into stack, in canonical order. It returns how many they are,
// how many of them are of scripts written without spaces, and their length in text. ok is false if there are too
// many.
func readMarks(stack []placedMark, text []byte) (count, unspaced, n int, ok bool) {
	for n < len(text) && text[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(text[n:])
		e := runes.look(r)
		order := uint8(e >> 4)
		if classOf(e) != mark || order == 0 && count > 0 { // which is like a letter for the marks behind it
			break
		}
		if count == maxMarks {
			return count, unspaced, n, false
		}
		if e>>4&unspacedMark != 0 {
			unspaced++
		}
		at := count
		for at > 0 && stack[at-1].order > order {
			stack[at] = stack[at-1]
			at--
		}
		stack[at] = placedMark{r, order}
		count++
		n += size
		if order == 0 {
			break
		}
	}
	return count, unspaced, n, true
}

// addMarks adds the marks at the beginning of text to plain text of length o. It brings them into canonical order and
// composes them with the character before them (Unicode, section 3.11). It returns the new length of the plain text,
// the length of the marks in text, and whether they fit. run reports whether a run of unspaced characters is open.
func addMarks(out []byte, o int, text []byte, run bool) (length, n int, ok bool) {
	var stack [maxMarks + 4]placedMark
	count, unspaced, n, ok := readMarks(stack[:], text)
	before := lastOf(out[:o])
	switch {
	case !ok:
		return o, 0, false
	case run:
	case unspaced > 0:
		return o, 0, false
	case before == letter:
	case before == 0: // they belong to a character that is in no word
		return o, n, true
	default:
		return o, 0, false
	}
	marks := stack[:count]
	base, size := utf8.DecodeLastRune(out[:o])
	if base < utf8.RuneSelf {
		base = rune(asciiLower[base])
	}
	was, first := base, uint8(0)
	for marks[0].order > 0 && len(marks) < len(stack) { // the marks of the base may come behind those of text
		of := runes.parts.at(uint32(base)).value
		if of == 0 {
			break
		}
		base = rune(of >> 16)
		m := placedMark{rune(of & 0xffff), uint8(runes.look(rune(of&0xffff)) >> 4)}
		at := 0
		for at < len(marks) && marks[at].order < m.order {
			at++
		}
		marks = slices.Insert(marks, at, m)
	}
	kept := marks[:0]
	for _, m := range marks {
		if len(kept) == 0 || first < m.order {
			if c := runes.compose(base, m.r); c != 0 {
				base = c
				continue
			}
		}
		kept = append(kept, m)
		first = m.order
	}
	if run && unspaced < count && len(kept) > 0 {
		return o, 0, false
	}
	if base != was {
		o -= size
		o += utf8.EncodeRune(out[o:], base)
	}
	for _, m := range kept {
		o += utf8.EncodeRune(out[o:], m.r)
	}
	return o, n, true
}

// Hangul syllables are composed of letters by arithmetic (Unicode, section 3.12).
const (
	firstSyllable, lastSyllable = 0xac00, 0xd7a3
	firstInitial, lastInitial   = 0x1100, 0x1112
	firstVowel, lastVowel       = 0x1161, 0x1175
	firstFinal, lastFinal       = 0x11a8, 0x11c2
	vowels                      = lastVowel - firstVowel + 1
	finals                      = lastFinal - firstFinal + 2 // one of them is none
)

func isVowel(r rune) bool { return firstVowel <= r && r <= lastVowel }
func isFinal(r rune) bool { return firstFinal <= r && r <= lastFinal }

// addJamo composes a vowel or a final consonant with the last character of plain text of length o. It returns the new
// length, or -1 if they do not compose.
func addJamo(out []byte, o int, r rune, run bool) int {
	if run || o < 3 {
		return -1
	}
	last := out[o-3 : o : o]
	base, size := utf8.DecodeRune(last)
	switch {
	case size != 3:
		return -1
	case isVowel(r) && firstInitial <= base && base <= lastInitial:
		base = firstSyllable + ((base-firstInitial)*vowels+r-firstVowel)*finals
	case isFinal(r) && firstSyllable <= base && base <= lastSyllable && (base-firstSyllable)%finals == 0:
		base += r - firstFinal + 1
	default:
		return -1
	}
	last[0], last[1], last[2] = 0xe0|byte(base>>12), 0x80|byte(base>>6&0x3f), 0x80|byte(base&0x3f)
	return o
}
