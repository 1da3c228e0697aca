package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/document"
	"simsearch/internal/inputs"
)

// The extensions of files with numbers of 64 bits.
const (
	rawExtension = ".u64" // nothing but numbers, little-endian
	npyExtension = ".npy" // an array of NumPy
)

// A rawSource is a file of fingerprints as little-endian numbers of 64 bits.
type rawSource struct {
	lineSource       // line is the number of the fingerprint
	left       int64 // the number of fingerprints to come; less than 0 if only the end of the file tells
}

// openRaw returns the source of a file whose name says that it has numbers.
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
	numbers := &rawSource{l, -1}
	if extensionOf(in.Path) == npyExtension {
		r.layout = InArray
		if numbers.left, err = ReadNPYHeader(s); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return numbers, nil
}

func (s *rawSource) next(doc *document.Document) error {
	var number [8]byte
	s.start = s.s.Offset()
	n, err := io.ReadFull(s.s, number[:])
	switch {
	case errors.Is(err, io.EOF) && s.left <= 0:
		return io.EOF
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%d of its fingerprints are missing", s.left)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends with %d bytes of a fingerprint, which has 8", n)
	case err != nil:
		return err
	case s.left == 0:
		return errors.New("there is more behind the array")
	}
	s.end = s.s.Offset()
	s.left--
	s.line++
	fp := binary.LittleEndian.Uint64(number[:])
	if s.r.bits < 64 && fp>>s.r.bits != 0 {
		return s.bad(fmt.Errorf("%#x is not a fingerprint: want at most %d bits", fp, s.r.bits))
	}
	*doc = document.Document{ID: s.place(doc.ID), Fingerprint: fp, HasFingerprint: true, Line: s.line}
	return nil
}

// IsFingerprints reports whether the name of a file says that it has nothing but fingerprints.
func IsFingerprints(name string) bool { return named(name) == Fingerprints }
