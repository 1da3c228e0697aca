package corpus

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
)

// bufferSize is the size of the read buffers in bytes.
const bufferSize = inputs.BufferSize

// sniffSize is the number of bytes at the beginning of a file that say whether it is binary.
const sniffSize = 8 << 10

// byteOrderMark is the character that some texts begin with.
const byteOrderMark = "\ufeff"

// open returns the source of the documents of a file.
func (r *Reader) open(in inputs.Input) (source, error) {
	format := formatOf(r.o, in.Path)
	r.origin = document.Origin{}
	lines := lineSource{r: r, in: in, name: r.Name(in.Path)}
	if open := kinds[format].openFile; open != nil {
		source, err := open(lines)
		if r.o.Format == Auto && errors.Is(err, columns.ErrNotParquet) {
			format = Text // as others that do not say what they are
		} else if source != nil || err != nil {
			return source, err
		}
	}
	s, err := r.openStream(in)
	if err != nil {
		return nil, err
	}
	lines.s = s
	head := s.Beginning(sniffSize, in.Once())
	switch {
	case in.Path == "-" && len(head) == 0:
		r.format = format
		return &lines, nil // whatever the format: nobody has named a document, as an empty file is one
	case format != Arrow || in.Once() || len(head) == 0 || columns.LooksLikeArrow(head):
	case r.o.Format == Auto:
		format = Text
	default:
		return nil, errors.Join(errNoArrow, s.Close())
	}
	byName := format
	if r.o.Format == Auto && kinds[format].charsets != noCharset {
		if i := slices.IndexFunc(kinds, func(k *kind) bool { return k.begins != nil && k.begins(in.Path, head) }); i >= 0 {
			format = Format(i)
		}
		if open := kinds[format].openFile; open != nil {
			r.decided(in, format, format)
			if err := s.Close(); err != nil {
				return nil, err
			}
			if s.Packing != "" {
				return nil, errParquetOnce
			}
			lines.guessed = true
			return open(lines)
		}
	}
	if err := refusal(format, head); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if r.decodeWide(in, s, format, head) {
		head = s.Beginning(sniffSize, in.Once())
	}
	if err := r.noText(in, format, head); err != nil {
		if in.Path == "-" && r.o.Format == Auto && inputs.NamesFiles(s.Fill()) {
			err = wrongInput(in.Path, ErrNames)
		}
		return nil, errors.Join(err, s.Close())
	}
	skipByteOrderMark(s, head)
	if format, err = r.decide(in, s, format); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := r.decodePage(in, s, format); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	r.begin(in, format)
	lines.guessed = format != byName
	source, err := kinds[format].open(lines)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return source, nil
}

// begin notes how the documents of a file are read.
func (r *Reader) begin(in inputs.Input, format Format) {
	r.format, r.layout = format, kinds[format].layout
	r.setOrigin(in)
}

// skipByteOrderMark moves behind the mark at the beginning of a stream, of which head has arrived. It
// is not part of the text.
func skipByteOrderMark(s *inputs.Stream, head []byte) {
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		_, _ = s.Discard(len(byteOrderMark))
	}
}

// openStream opens a file, and decompresses it.
func (r *Reader) openStream(in inputs.Input) (*inputs.Stream, error) {
	o := inputs.StreamOptions{Context: r.o.Context, Window: r.limits.window, Done: &r.done}
	if in.Path == "-" {
		return inputs.NewUnpacked(inputs.Interruptibly(r.o.Context, r.o.Stdin), o)
	}
	return inputs.Open(in.Path, in.Irregular, o)
}

// decodeWide decodes a stream in UTF-16, which begins with head, or in the charset of the options. It reports whether
// it is one.
func (r *Reader) decodeWide(in inputs.Input, s *inputs.Stream, format Format, head []byte) bool {
	c := inputs.Wide(head)
	if r.o.Charset != "" {
		c, _ = inputs.ParseCharset(r.o.Charset) // newReader has checked it
	}
	if c == inputs.UTF8 || kinds[format].charsets != oneCharset {
		return false
	}
	s.Decode(c)
	r.tellCharset(in, c)
	return true
}

// decodePage makes a stream one in UTF-8 if it is in a code page, which its first character beyond ASCII may tell
// later. A byte order mark of UTF-8 must have been consumed. A page that names its charset is decoded as a whole.
func (r *Reader) decodePage(in inputs.Input, s *inputs.Stream, format Format) error {
	if kinds[format].charsets != oneCharset || r.charset != inputs.UTF8 || r.o.Charset != "" || s.Offset() > 0 {
		return nil
	}
	if head, _ := s.Peek(s.Buffered()); inputs.Foreign(head) {
		return errCharset
	}
	s.DetectCharset(in.Once(), func(c inputs.Charset) {
		if c != inputs.UTF8 {
			r.tellCharset(in, c)
			r.setOrigin(in)
		}
	})
	return nil
}

// tellCharset notes the charset of a file, and tells of it.
func (r *Reader) tellCharset(in inputs.Input, c inputs.Charset) {
	r.charset = c
	r.o.Decided(Decision{Path: in.Path, Charset: c.String()})
}

// setOrigin sets the origin of the documents of a file.
func (r *Reader) setOrigin(in inputs.Input) {
	if in.Once() {
		return
	}
	r.origin = document.Origin{Path: r.Absolute(in.Path), Format: r.format.String()}
	if r.charset != inputs.UTF8 {
		r.origin.Format += ";" + r.charset.String()
	}
}

// noText returns an error if a file that begins with head is no text. One zero byte says so, as for git and grep,
// unless the name of the file or the options say that it is a text. Then the file is one with damage: lines and
// records with zero bytes are bad, and a file that is one document is a text if it has few characters of control. So
// is a file without zero bytes that is not in UTF-8.
func (r *Reader) noText(in inputs.Input, format Format, head []byte) error {
	switch is := kinds[format].charsets; {
	case format == Code && (codeOf(in.Path) == nil || named(in.Path) == Notebook):
		return ErrNoCode
	case is == ownCharsets, is == noCharset && bytes.IndexByte(head, 0) < 0, is == pageCharset && inputs.Wide(head) != inputs.UTF8:
		return nil
	}
	controls := 0
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b", rune(b)) {
			controls++
		}
	}
	garbled := 20*controls > len(head) // bytes by chance have twice as many
	if bytes.IndexByte(head, 0) < 0 {
		if garbled && controls > 2 && !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]) {
			return errControls
		}
		return nil
	}
	named := isTextName(in.Path)
	damaged := named || r.o.Format != Auto && in.Named // if it is no text, then one with damage
	if damaged && (!garbled || named && !kinds[format].layout.isWhole()) {
		return nil
	}
	return errBinary
}

// errControls is returned for bytes that are neither a text nor of a known kind.
var errControls = &foreign{errBinary, "a file in no charset, with many characters of control", ""}

// decoded makes a stream one in UTF-8, behind its byte order mark, as a Reader reads it.
func decoded(s *inputs.Stream, c inputs.Charset) *inputs.Stream {
	if c != inputs.UTF8 {
		s.Decode(c)
	}
	skipByteOrderMark(s, s.Beginning(sniffSize, false))
	return s
}
