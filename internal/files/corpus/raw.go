package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/terminal"
)

// A rawSource is a file of fingerprints in binary.
type rawSource struct {
	lineSource       // line is the number of the fingerprint
	left       int64 // the number of fingerprints to come; less than 0 if only the end of the file tells
	layout     prints.Layout
	rows       []uint64 // that were read together
}

const (
	// rowsTogether is the largest number of fingerprints that are read together.
	rowsTogether = 1 << 9
	// mostRowName is the size of the longest name of a file of these, in bytes. The ids of all have the bounds that
	// the first one has.
	mostRowName = 1 << 10
)

// openRaw returns the source of a file whose name says that it has fingerprints in binary.
func openRaw(l lineSource) (source, error) {
	r, in := l.r, l.in
	switch {
	case !IsFingerprints(in.Path):
		return nil, nil
	case r.o.Format == Auto && !in.Named:
		return nil, fmt.Errorf("%w; --format fingerprints reads it", errBinary)
	}
	s, err := r.openStream(in)
	if err != nil {
		return nil, err
	}
	r.format, r.layout = Fingerprints, inParts
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
	size, n := s.layout.Bytes, s.together()
	s.start = s.s.Offset()
	raw, err := s.s.Peek(size * n)
	switch {
	case len(raw) >= size && s.left == 0:
		return errors.New("there is more behind the array")
	case len(raw) >= size: // an error comes again when what is left is read
	case !errors.Is(err, io.EOF):
		return err // it cannot be decompressed
	case len(raw) > 0:
		return fmt.Errorf("it ends with %s of a fingerprint, which has %d", terminal.Plural(len(raw), "byte"), size)
	case s.left > 0:
		return fmt.Errorf("%d of its fingerprints are missing", s.left)
	default:
		return io.EOF
	}
	n = len(raw) / size
	fp := s.layout.Decode(raw)
	s.rows = s.rows[:0]
	for at := 0; n > 1 && at < n; at++ {
		s.rows = append(s.rows, binary.LittleEndian.Uint64(raw[8*at:]))
	}
	_, _ = s.s.Discard(size * n) // it is buffered
	s.end = s.s.Offset()
	s.left -= int64(n)
	s.line++
	if s.r.bits < 64 && fp[0]>>s.r.bits != 0 {
		return s.bad(fmt.Errorf("%#x is not a fingerprint: want at most %d bits", fp[0], s.r.bits))
	}
	s.given(doc, s.place(doc.ID), fp)
	doc.Rows = s.rows
	s.line += n - 1
	return nil
}

// together returns how many fingerprints are read at a time: one if they must be looked at one by one.
func (s *rawSource) together() int {
	if s.r.together == nil || s.layout.Bytes != 8 || !s.layout.Words || s.r.bits != 64 || len(s.name) > mostRowName {
		return 1
	}
	n := min(rowsTogether, s.r.together())
	if s.left >= 0 {
		n = int(min(int64(n), s.left))
	}
	return max(1, n)
}

// IsFingerprints reports whether the name of a file says that it has nothing but fingerprints.
func IsFingerprints(name string) bool { return named(name) == Fingerprints }
