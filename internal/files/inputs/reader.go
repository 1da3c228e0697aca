package inputs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// window is how many bytes from the first one on that is not ASCII are looked at.
const window = 256 << 10

// A decodingReader returns in UTF-8 what it reads in another charset. It must not be used by several goroutines at
// once.
type decodingReader struct {
	from    io.Reader
	ask     func(*decodingReader) Charset // returns the charset
	raw     []byte                        // read, and not returned, from the first byte on that is not ASCII
	err     error                         // of from, behind raw
	decoded io.Reader                     // raw and what follows, when the charset is known
}

// decoding returns what from has, which is in c, in UTF-8.
func decoding(from io.Reader, c Charset) io.Reader {
	if c == UTF8 {
		return from
	}
	return transform.NewReader(from, decoderOf(c))
}

// detecting returns a reader of text in UTF-8 or in a code page. decided is called with the charset when the first
// byte that is not ASCII has been read, and before it is returned. If live is set, from is a pipe whose next bytes
// may not have been written yet: they are waited for only if what has come is not UTF-8.
func detecting(from io.Reader, live bool, decided func(Charset)) io.Reader {
	return &decodingReader{from: from, ask: func(r *decodingReader) Charset {
		c := r.detect(live)
		decided(c)
		return c
	}}
}

// Follow returns in UTF-8 what from has in a charset that it is told. charset is called before the first byte that is
// not ASCII, and at the beginning, where it must return UTF-16 if it ever does.
func Follow(from io.Reader, charset func() Charset) io.Reader {
	if c := charset(); c != UTF8 {
		return decoding(from, c)
	}
	return &decodingReader{from: from, ask: func(*decodingReader) Charset { return charset() }}
}

// Read returns errors of the reader below.
func (r *decodingReader) Read(p []byte) (int, error) {
	if r.decoded == nil && len(r.raw) > 0 {
		c := r.ask(r)
		if r.err != nil {
			r.from = failing{r.err}
		}
		r.decoded = decoding(io.MultiReader(bytes.NewReader(r.raw), r.from), c)
	}
	if r.decoded != nil {
		return r.decoded.Read(p)
	}
	n, err := r.from.Read(p)
	ascii := countASCII(p[:n])
	if ascii == n {
		return n, err
	}
	r.raw, r.err = bytes.Clone(p[ascii:n]), err
	if ascii > 0 {
		return ascii, nil
	}
	return r.Read(p)
}

// countASCII returns how many bytes of ASCII p begins with.
func countASCII(p []byte) int {
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
func (r *decodingReader) more() bool {
	if r.err != nil {
		return false
	}
	r.raw = slices.Grow(r.raw, 32<<10)
	var n int
	n, r.err = r.from.Read(r.raw[len(r.raw):cap(r.raw)])
	r.raw = r.raw[:len(r.raw)+n]
	return r.err == nil
}

// detect returns the charset of raw and of what follows. It reads more if that may decide.
func (r *decodingReader) detect(live bool) Charset {
	for {
		sample := r.raw[:min(len(r.raw), window)]
		valid, bad := countUTF8(sample, r.ended())
		switch {
		case isUTF8(sample), live && valid > 0 && valid >= bad:
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

// ended reports whether nothing follows raw.
func (r *decodingReader) ended() bool { return errors.Is(r.err, io.EOF) }

const (
	// leastBad is how many bytes that are not UTF-8 there are in the window if the text is in a code page, and longer
	// than the window.
	leastBad = 8
	// enoughUTF8 is how many more characters of UTF-8 there are than other bytes, at some place of a text that is in
	// UTF-8 whatever follows.
	enoughUTF8 = 16
)

// isUTF8 reports whether the first characters of text that are not ASCII show that it is in UTF-8, but for some
// bytes, and so is what follows.
func isUTF8(text []byte) bool {
	surplus := 0
	for len(text) > 0 && surplus < enoughUTF8 {
		if text[0] < utf8.RuneSelf {
			text = text[countASCII(text):]
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

// countUTF8 returns how many characters that are not ASCII text has in UTF-8, and how many bytes of none. whole says
// that nothing follows.
func countUTF8(text []byte, whole bool) (valid, bad int) {
	for {
		if text = text[countASCII(text):]; len(text) == 0 {
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
