package preprocess

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Text of any script is first made plain: a table has for most characters what normalising and folding make of
// them. Plain text is cut as ASCII is, 64 bytes at a time. These are its characters:
//
//   - ASCII, whose case is not folded yet;
//   - letters, and what belongs to the letter before, all of whose bytes are above 0x7f;
//   - runs of unspaced characters, with a space before and behind.
//
// Characters that are in no word become spaces. A character that does not fit is left to the general path. So is one
// that would be cut otherwise than a letter in its place, such as a number next to a full stop.

// plainSlack is the capacity behind plain text in bytes, so that 8 bytes can be written at any place, and the form of
// a character and a space.
const plainSlack = 64

// A plainText is text made plain.
type plainText struct {
	text []byte
	runs []uint32 // where the runs of unspaced characters begin
}

// fill makes text plain up to the first character that does not fit, and returns where that is.
func (p *plainText) fill(text []byte) int {
	p.runs = p.runs[:0]
	out := slices.Grow(p.text[:0], 2*len(text)+plainSlack)
	out = out[:cap(out)]
	o := 0
	run := false              // a run of unspaced characters is open
	firstMark, marked := 0, 0 // where the last marks begin and end that follow each other
	i := 0
	for i < len(text) {
		c := text[i]
		if c < utf8.RuneSelf {
			if run {
				out[o], run = ' ', false
				o++
			}
			n := copyASCII(out[o:], text[i:])
			i, o = i+n, o+n
			continue
		}
		r, n := rune(0), 0
		switch rest := text[i:]; {
		case len(rest) >= 2 && 0xc2 <= c && c < 0xe0 && rest[1]&0xc0 == 0x80:
			r, n = rune(c&0x1f)<<6|rune(rest[1]&0x3f), 2
		case len(rest) >= 3 && 0xe0 <= c && c < 0xf0 && rest[1]&0xc0 == 0x80 && rest[2]&0xc0 == 0x80:
			r, n = rune(c&0xf)<<12|rune(rest[1]&0x3f)<<6|rune(rest[2]&0x3f), 3
			if r < 0x800 || 0xd800 <= r && r < 0xe000 {
				r, n = utf8.RuneError, 1
			}
		default:
			r, n = utf8.DecodeRune(rest)
		}
		e := runes.look(r)
		was := o
		switch k := classOf(e); k {
		case unspacedRune:
			if !run {
				if o > 0 && out[o-1] != ' ' {
					out[o] = ' '
					o++
				}
				p.runs, run = append(p.runs, uint32(o)), true
			}
		case hard, single:
			p.text = out[:o]
			return i
		case mark:
			if i != marked {
				firstMark = i
			}
			var ok bool
			o, n, ok = addMarks(out, o, text[i:], run)
			if marked = i + n; !ok || marked-firstMark > maxMarkBytes {
				p.text = out[:was]
				return i
			}
			i += n
			continue
		case jamo:
			if o = addJamo(out, o, r, run); o < 0 {
				p.text = out[:was]
				return i
			}
			i += n
			continue
		case ignorable:
			if run {
				if i+n < len(text) && isMark(text[i+n:]) {
					p.text = out[:o]
					return i
				}
				i += n
				continue // dropped
			}
			if r == 0x200d && !joins(text[i+n:]) {
				p.text = out[:o]
				return i
			}
			fallthrough
		case extend:
			if run {
				out[o], run = ' ', false
				i, o = i+n, o+1
				continue
			}
			switch lastOf(out[:o]) {
			case letter:
			case 0: // it belongs to a character that is in no word
				i += n
				continue
			default:
				p.text = out[:o]
				return i
			}
		default:
			if run {
				out[o], run = ' ', false
				o++
			}
			switch k {
			case other:
				out[o] = ' '
				i, o = i+n, o+1
				continue
			case alphabetic:
			case hebrew:
				if !fits(text[i+n:]) {
					p.text = out[:o]
					return i
				}
			default: // numeric, extendNumLet, between...
				if e>>4 != 0 && runes.become[e>>4][0] < utf8.RuneSelf {
					break
				}
				become, ok := addOther(k, lastOf(out[:o]), text[i+n:])
				if !ok {
					p.text = out[:o]
					return i
				}
				if !become {
					out[o] = ' '
					i, o = i+n, o+1
					continue
				}
			}
		}
		if e < 16 { // the character itself
			char := text[i : i+n]
			out[o], out[o+1] = char[0], char[1]
			if n == 3 {
				out[o+2] = char[2]
			}
			i, o = i+n, o+n
			continue
		}
		f := runes.forms[e>>4]
		i += n
		if len(out)-o < 2*(len(text)-i)+plainSlack {
			out = append(out, make([]byte, len(out)+plainSlack)...)
		}
		if f>>56 == longForm {
			long := runes.become[e>>4]
			if len(out)-o < 2*(len(text)-i)+plainSlack+len(long) {
				out = append(out, make([]byte, len(out)+plainSlack+len(long))...)
			}
			o += copy(out[o:], long)
		} else {
			binary.LittleEndian.PutUint64(out[o:], uint64(f))
			o += int(f >> 56)
		}
	}
	p.text = out[:o]
	return i
}

// copyASCII copies text up to the first byte above 0x7f, and returns how many bytes it has copied. It may write 7 bytes
// more.
func copyASCII(dst, text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		binary.LittleEndian.PutUint64(dst[i:], w)
		if high := w & 0x8080808080808080; high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
		dst[i] = text[i]
	}
	return i
}

// lastOf returns the class of the last byte of plain text: that of asciiClass, where all that is in no word is 0.
func lastOf(plain []byte) uint8 {
	if len(plain) == 0 {
		return 0
	}
	return asciiClass[plain[len(plain)-1]]
}

// The ASCII characters that may join letters or digits on both sides.
const mid = midLetter | midNum | midBoth

// fits reports whether the characters that follow a Hebrew letter or a digit that is not ASCII treat it as any letter.
func fits(next []byte) bool {
	for len(next) > 0 {
		if next[0] < utf8.RuneSelf {
			return asciiClass[next[0]]&mid == 0 && next[0] != '"'
		}
		r, n := utf8.DecodeRune(next)
		switch e := runes.look(r); classOf(e) {
		case other:
			return e>>4 == 0 || n == 1
		case alphabetic, hebrew, unspacedRune:
			return true
		case numeric:
			return e>>4 == 0
		case mark, extend: // they belong to the letter
			next = next[n:]
			continue
		}
		return false
	}
	return true
}

// addOther decides on a character that is no letter and not ASCII, in plain text of which the last byte has the class
// before. ok reports whether it fits, and become whether it is like a letter in this place. If not, it
// parts words.
func addOther(k class, before uint8, next []byte) (become, ok bool) {
	switch k {
	case numeric:
		return true, before&mid == 0 && fits(next)
	case extendNumLet:
		return false, false
	}
	if before != letter && before != digit { // a character that joins two others needs both
		return false, true
	}
	if len(next) == 0 {
		return false, true
	}
	after := numeric
	if c := next[0]; c < utf8.RuneSelf {
		switch asciiClass[c] {
		case letter:
			after = alphabetic
		case digit:
		default:
			after = other
		}
	} else {
		r, _ := utf8.DecodeRune(next)
		e := runes.look(r)
		after = classOf(e)
	}
	switch after {
	case other, unspacedRune, single:
		return false, true
	case alphabetic:
		return before == letter && k != betweenNum, true
	case numeric:
		return false, before == letter && next[0] < utf8.RuneSelf
	}
	return false, false
}

// isMark reports whether text begins with a mark.
func isMark(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return classOf(runes.look(r)) == mark
}

// joins reports whether a zero width joiner is like a mark before text: no pictograph follows.
func joins(text []byte) bool {
	if len(text) == 0 || text[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRune(text)
	return classOf(runes.look(r)) == alphabetic
}
