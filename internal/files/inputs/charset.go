package inputs

import (
	"bytes"
	"io"
)

// Decode makes the stream one in UTF-8 of content that is in c. Nothing may have been consumed. Size is not known any
// more.
func (s *Stream) Decode(c Charset) {
	s.through(func(from io.Reader) io.Reader { return decoding(from, c) })
	s.Size = -1
}

// DetectCharset makes the stream one in UTF-8, if its content is in a code page. Nothing may have been consumed but
// what is ASCII. decided is called when the charset is known, unless there is nothing but ASCII. If live is set, what
// may not have been written yet is not waited for, unless what has come is not UTF-8.
func (s *Stream) DetectCharset(live bool, decided func(Charset)) {
	detect := func(from io.Reader) io.Reader { return detecting(from, live, decided) }
	head, _ := s.Peek(s.Buffered())
	switch {
	case countASCII(head) == len(head):
		s.plain.from = detect(s.plain.from)
	case isUTF8(head):
		decided(UTF8)
	default:
		s.through(detect)
	}
}

// through puts a reader between the buffer and what fills it, below what is in the buffer, too.
func (s *Stream) through(reader func(io.Reader) io.Reader) {
	s.plain.n = s.Offset()
	head, _ := s.Peek(s.Buffered())
	s.plain.from = reader(io.MultiReader(bytes.NewReader(bytes.Clone(head)), s.plain.from))
	s.Reset(&s.plain)
}
