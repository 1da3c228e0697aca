package corpus

import (
	"errors"
	"fmt"
	"io"

	"simsearch/internal/document"
	"simsearch/internal/inputs"
	"simsearch/internal/prints"
)

// A rawSource is a file of fingerprints in binary.
type rawSource struct {
	lineSource       // line is the number of the fingerprint
	left       int64 // the number of fingerprints to come; less than 0 if only the end of the file tells
	layout     prints.Layout
	room       [32]byte // for one
}

// openRaw returns the source of a file whose name says that it has fingerprints in binary.
func openRaw(r *Reader, l lineSource, in inputs.Input, _ bool) (source, error) {
	switch {
	case !IsFingerprints(in.Path):
		return nil, nil
	case r.o.Format == Auto && !in.Named:
		return nil, ErrBinary
	}
	s, err := r.openStream(in)
	if err != nil {
		return nil, err
	}
	r.format, r.layout = Fingerprints, InParts
	l.s = s
	numbers := &rawSource{lineSource: l, left: -1}
	if layout, ok := prints.LayoutOf(extensionOf(in.Path)); ok {
		numbers.layout = layout
	} else {
		r.layout = InArray
		numbers.left, numbers.layout, err = prints.ReadNPYHeader(s)
	}
	if err == nil {
		err = numbers.layout.Check(r.bits)
	}
	if r.binary = numbers.layout; err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return numbers, nil
}

// Numbers returns how fingerprints lie in the current file, InArray.
func (r *Reader) Numbers() prints.Layout { return r.binary }

func (s *rawSource) next(doc *document.Document) error {
	raw := s.room[:s.layout.Bytes]
	s.start = s.s.Offset()
	n, err := io.ReadFull(s.s, raw)
	switch {
	case errors.Is(err, io.EOF) && s.left <= 0:
		return io.EOF
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%d of its fingerprints are missing", s.left)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends with %d bytes of a fingerprint, which has %d", n, len(raw))
	case err != nil:
		return err
	case s.left == 0:
		return errors.New("there is more behind the array")
	}
	s.end = s.s.Offset()
	s.left--
	s.line++
	fp := s.layout.Decode(raw)
	if s.r.bits < 64 && fp[0]>>s.r.bits != 0 {
		return s.bad(fmt.Errorf("%#x is not a fingerprint: want at most %d bits", fp[0], s.r.bits))
	}
	s.given(doc, s.place(doc.ID), fp)
	return nil
}

// IsFingerprints reports whether the name of a file says that it has nothing but fingerprints.
func IsFingerprints(name string) bool { return named(name) == Fingerprints }
