package preprocess

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode"
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

	firstMark, marked int // where the last marks of the text begin and end that follow each other
}

// fill makes text plain up to the first character that does not fit, and returns where that is.
func (p *plainText) fill(text []byte) int {
	p.runs, p.firstMark, p.marked = p.runs[:0], 0, 0
	out := slices.Grow(p.text[:0], 2*len(text)+plainSlack)
	out = out[:cap(out)]
	o := 0
	run := false // a run of unspaced characters is open
	i := 0
	for i < len(text) {
		c := text[i]
		if c < utf8.RuneSelf && (!run || !isSpace(c)) {
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
		switch k := classOf(e); {
		case k == alphabetic && !run:
		case k == unspacedRune:
			if !run {
				if o > 0 && out[o-1] != ' ' {
					out[o] = ' '
					o++
				}
				p.runs, run = append(p.runs, uint32(o)), true
			}
		default:
			length, read, open, v := p.special(out, o, text, i, r, n, run)
			if v == unfit {
				p.text = out[:o] // its memory is used again
				return i
			}
			o, n, run = length, read, open
			if v == done {
				i += n
				continue
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
		i += n
		out, o = runes.appendForm(out, o, e, 2*(len(text)-i)+plainSlack)
	}
	p.text = out[:o]
	return i
}

// oneSpace is the form of a character that becomes a space.
const oneSpace = ' ' | 1<<56

// blank returns the length of the white space at the beginning of text, with what is dropped inside, if an unspaced
// character follows, and otherwise 0.
func blank(text []byte) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		e := runes.look(r)
		k := classOf(e)
		isSpace := k == other && (runes.forms[e>>4] == oneSpace || unicode.IsSpace(r))
		switch {
		case k == unspacedRune || k == hard && isUnspaced(r):
			return n
		case !isSpace && k != dropped:
			return 0
		}
		n += size
	}
	return 0
}

// appendForm writes the form of a character to out at o, and returns out with room for more bytes behind it, and the
// end of the form.
func (t *runeTable) appendForm(out []byte, o int, e entry, more int) ([]byte, int) {
	f, long := t.forms[e>>4], ""
	if f>>56 == longForm {
		long = t.become[e>>4]
	}
	if len(out)-o < more+len(long) {
		out = append(out, make([]byte, len(out)+plainSlack+len(long))...)
	}
	if long != "" {
		return out, o + copy(out[o:], long)
	}
	binary.LittleEndian.PutUint64(out[o:], uint64(f))
	return out, o + int(f>>56)
}

// A verdict says what becomes of a character that may need a look at its neighbours.
type verdict uint8

const (
	unfit    verdict = iota // it does not fit
	asLetter                // it is added as a letter is
	done                    // all is done
)

// special decides on character r of n bytes at text[i:], which is no unspaced one, and a letter only behind a run of
// these, if run is true. o is the length of the plain text. special returns the new length, how many bytes of text it
// has taken, and whether a run is open.
func (p *plainText) special(out []byte, o int, text []byte, i int, r rune, n int, run bool) (length, read int, open bool, v verdict) {
	e := runes.look(r)
	k, next := classOf(e), text[i+n:]
	switch k {
	case hard, single:
		return o, n, run, unfit
	case mark:
		return p.marks(out, o, text, i, run)
	case jamo:
		if o = addJamo(out, o, r, run); o < 0 {
			return o, n, run, unfit
		}
		return o, n, run, done
	case dropped:
		if isMark(next) { // it belongs to the marks before
			return o, n, run, unfit
		}
		return o, n, run, done
	case extend:
		if !run {
			return p.extend(out, o, n)
		}
		out[o] = ' '
		return o + 1, n, false, done
	}
	if run {
		if n := blank(text[i:]); n > 0 {
			return o, n, true, done
		}
		out[o] = ' '
		o++
	}
	become := true
	switch {
	case k == other:
		become = false
	case k == alphabetic || k != hebrew && e>>4 != 0 && runes.become[e>>4][0] < utf8.RuneSelf:
	case k == hebrew:
		if !fits(next) {
			return o, n, false, unfit
		}
	default: // numeric, extendNumLet, between...
		var ok bool
		if become, ok = addOther(k, lastOf(out[:o]), next); !ok {
			return o, n, false, unfit
		}
	}
	if become {
		return o, n, false, asLetter
	}
	out[o] = ' '
	return o + 1, n, false, done
}

// extend decides on a character of n bytes that belongs to the character before, which is no unspaced one.
func (p *plainText) extend(out []byte, o, n int) (length, read int, open bool, v verdict) {
	switch lastOf(out[:o]) {
	case letter:
		return o, n, false, asLetter
	case 0: // it belongs to a character that is in no word
		return o, n, false, done
	}
	return o, n, false, unfit
}

// marks adds the marks at text[i:].
func (p *plainText) marks(out []byte, o int, text []byte, i int, run bool) (length, read int, open bool, v verdict) {
	if i != p.marked {
		p.firstMark = i
	}
	o, n, ok := addMarks(out, o, text[i:], run)
	if p.marked = i + n; !ok || p.marked-p.firstMark > maxMarkBytes {
		return o, n, run, unfit
	}
	return o, n, run, done
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
		case mark, extend, dropped: // they belong to the letter
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
