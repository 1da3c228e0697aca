package charset

import (
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// window is how many bytes from the first one on that is not ASCII are looked at.
const window = 256 << 10

// A Reader returns in UTF-8 what it reads in another charset. It must not be used by several goroutines at once.
type Reader struct {
	from io.Reader
	// ask returns the charset. It is nil when that is known.
	ask     func(*Reader) Charset
	charset Charset
	letters *[128][]byte // of the code page
	raw     []byte       // read, and not decoded
	buf     []byte       // of raw
	out     []byte       // decoded, and not returned
	outBuf  []byte       // of out
	err     error        // of from, behind raw
}

// NewReader returns a Reader of what from has, which is in c.
func NewReader(from io.Reader, c Charset) *Reader {
	r := &Reader{from: from}
	r.decide(c)
	return r
}

// Detect returns a Reader of text in UTF-8 or in a code page. decided is called with the charset when the first byte that
// is not ASCII has been read, and before it is returned. If live is set, from is a pipe whose next bytes may not have been written yet:
// they are waited for only if what has come is not UTF-8.
func Detect(from io.Reader, live bool, decided func(Charset)) *Reader {
	return &Reader{from: from, ask: func(r *Reader) Charset {
		c := r.detect(live)
		decided(c)
		return c
	}}
}

// Follow returns a Reader that is told the charset. charset is called before the first byte that is not ASCII, and at the
// beginning, where it must return UTF-16 if it ever does.
func Follow(from io.Reader, charset func() Charset) *Reader {
	r := &Reader{from: from}
	if c := charset(); c != UTF8 {
		r.decide(c)
	} else {
		r.ask = func(*Reader) Charset { return charset() }
	}
	return r
}

// decide begins to decode c.
func (r *Reader) decide(c Charset) {
	r.charset, r.ask = c, nil
	if c >= firstPage {
		r.letters = lettersOf(c)
	}
}

// lettersOf returns the characters of the upper half of a code page in UTF-8.
func lettersOf(c Charset) *[128][]byte {
	var all [128][]byte
	for i := range all {
		b := byte(i) + 0x80
		if char := c.page().DecodeByte(b); char != utf8.RuneError {
			all[i] = utf8.AppendRune(nil, char)
		} else {
			all[i] = appendEscaped(nil, b)
		}
	}
	return &all
}

// Read returns errors of the reader below.
func (r *Reader) Read(p []byte) (int, error) {
	for {
		switch {
		case len(p) == 0:
			return 0, nil
		case len(r.out) > 0:
			n := copy(p, r.out)
			r.out = r.out[n:]
			return n, nil
		case len(r.raw) > 0 && r.ask != nil:
			r.decide(r.ask(r))
		case len(r.raw) > 0 && r.charset == UTF8:
			n := copy(p, r.raw)
			r.raw = r.raw[n:]
			return n, nil
		case r.err != nil && len(r.raw) == 0:
			return 0, r.err
		case r.charset == UTF8:
			return r.pass(p)
		default:
			r.decode()
		}
	}
}

// pass reads what need not be decoded, up to the first byte that is not ASCII if the charset is not known.
func (r *Reader) pass(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if r.ask == nil {
		r.err = err
		return n, err
	}
	ascii := CountASCII(p[:n])
	if ascii == n {
		r.err = err
		return n, err
	}
	r.buf = append(r.buf[:0], p[ascii:n]...)
	r.raw, r.err = r.buf, err
	if ascii > 0 {
		return ascii, nil
	}
	return r.Read(p)
}

// CountASCII returns how many bytes of ASCII p begins with.
func CountASCII(p []byte) int {
	i := 0
	for ; i+8 <= len(p); i += 8 {
		if binary.LittleEndian.Uint64(p[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(p) && p[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// more reads more behind raw, and reports whether there may be more still.
func (r *Reader) more() bool {
	if r.err != nil {
		return false
	}
	if len(r.raw) == 0 || cap(r.raw)-len(r.raw) < 4096 { // it is at the end of buf
		if cap(r.buf) < 2*len(r.raw)+(32<<10) {
			r.buf = make([]byte, 0, 2*len(r.raw)+(64<<10))
		}
		r.raw = append(r.buf[:0], r.raw...)
	}
	n, err := r.from.Read(r.raw[len(r.raw):cap(r.raw)])
	r.raw, r.err = r.raw[:len(r.raw)+n], err
	return err == nil
}

// decode decodes some of raw to out. At the end, what is left is no character.
func (r *Reader) decode() {
	if len(r.raw) < 4 {
		for r.more() && len(r.raw) < 4 {
		}
	}
	r.out = r.outBuf[:0]
	if r.charset.IsWide() {
		r.decodeWide()
	} else {
		for _, b := range r.raw {
			if b < utf8.RuneSelf {
				r.out = append(r.out, b)
			} else {
				r.out = append(r.out, r.letters[b-0x80]...)
			}
		}
		r.raw = r.raw[:0]
	}
	r.outBuf = r.out
}

// decodeWide decodes UTF-16. It leaves what may be the beginning of a character.
func (r *Reader) decodeWide() {
	order := r.charset.order()
	for len(r.raw) >= 2 {
		char, n := rune(order.Uint16(r.raw)), 2
		switch {
		case !utf16.IsSurrogate(char):
			r.out = utf8.AppendRune(r.out, char)
		case len(r.raw) < 4 && r.err == nil:
			return
		default:
			pair := utf8.RuneError
			if len(r.raw) >= 4 {
				pair = utf16.DecodeRune(char, rune(order.Uint16(r.raw[2:])))
			}
			if pair == utf8.RuneError {
				r.out = appendEscaped(appendEscaped(r.out, r.raw[0]), r.raw[1])
			} else {
				r.out, n = utf8.AppendRune(r.out, pair), 4
			}
		}
		r.raw = r.raw[n:]
	}
	if len(r.raw) == 1 && r.err != nil {
		r.out, r.raw = appendEscaped(r.out, r.raw[0]), nil
	}
}

// detect returns the charset of raw and of what follows. It reads more if that may decide.
func (r *Reader) detect(live bool) Charset {
	for {
		sample := r.raw[:min(len(r.raw), window)]
		valid, bad := countUTF8(sample, r.ended())
		switch {
		case IsUTF8(sample), live && valid > 0 && valid >= bad:
			return UTF8
		case r.err == nil && len(r.raw) < window && (!live || bad < leastBad):
			for twice := 2 * len(r.raw); r.more() && !live && len(r.raw) < min(twice, window); {
			}
		case valid >= bad, bad < leastBad && !r.ended():
			return UTF8
		default:
			return guess(sample)
		}
	}
}

// Of returns the charset of text that is UTF-8 or in a code page.
func Of(text []byte) Charset {
	return (&Reader{raw: text, err: io.EOF}).detect(false)
}

// ended reports whether nothing follows raw.
func (r *Reader) ended() bool { return errors.Is(r.err, io.EOF) }

const (
	// leastBad is how many bytes that are not UTF-8 there are in the window if the text is in a code page, and longer than
	// the window.
	leastBad = 8
	// enoughUTF8 is how many more characters of UTF-8 there are than other bytes, at some place of a text that is in UTF-8
	// whatever follows.
	enoughUTF8 = 16
)

// IsUTF8 reports whether the first characters of text that are not ASCII show that it is in UTF-8, but for some bytes, and
// so is what follows.
func IsUTF8(text []byte) bool {
	surplus := 0
	for len(text) > 0 && surplus < enoughUTF8 {
		if text[0] < utf8.RuneSelf {
			text = text[CountASCII(text):]
			continue
		}
		char, n := utf8.DecodeRune(text)
		if char != utf8.RuneError || n > 1 {
			surplus++
		} else {
			surplus--
		}
		text = text[n:]
	}
	return surplus == enoughUTF8
}

// countUTF8 returns how many characters that are not ASCII text has in UTF-8, and how many bytes of none. whole says that
// nothing follows.
func countUTF8(text []byte, whole bool) (valid, bad int) {
	for {
		if text = text[CountASCII(text):]; len(text) == 0 {
			return valid, bad
		}
		char, n := utf8.DecodeRune(text)
		switch {
		case char != utf8.RuneError || n > 1:
			valid++
		case !whole && !utf8.FullRune(text):
			return valid, bad
		default:
			bad++
		}
		text = text[n:]
	}
}
