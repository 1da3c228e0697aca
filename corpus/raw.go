package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"simsearch/document"
	"simsearch/internal/jsontext"
)

// The extensions of files with numbers of 64 bits.
const (
	rawExtension = ".u64" // nothing but numbers, little-endian
	npyExtension = ".npy" // an array of NumPy
)

// isRaw reports whether a file has numbers of 64 bits by its name.
func isRaw(name string) bool {
	ext := extensionOf(name)
	return ext == rawExtension || ext == npyExtension
}

// A rawSource is a file of fingerprints as little-endian numbers of 64 bits.
type rawSource struct {
	lineSource       // line is the number of the fingerprint
	left       int64 // the number of fingerprints to come; less than 0 if only the end of the file tells
}

// newRawSource returns the source of a file whose name says that it has numbers.
func newRawSource(l lineSource) (*rawSource, error) {
	source := &rawSource{l, -1}
	if extensionOf(l.path) != npyExtension {
		return source, nil
	}
	n, err := readNPYHeader(l.s)
	source.left = n
	return source, err
}

func (s *rawSource) next(doc *document.Document) error {
	var number [8]byte
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
	s.left--
	s.line++
	fp := binary.LittleEndian.Uint64(number[:])
	if s.r.bits < 64 && fp>>s.r.bits != 0 {
		return bad(s.path, s.line, fmt.Errorf("%#x is not a fingerprint: want at most %d bits", fp, s.r.bits))
	}
	*doc = document.Document{ID: s.place(doc.ID), Fingerprint: fp, HasFingerprint: true, Line: s.line}
	return nil
}

const (
	npyMagic = "\x93NUMPY"
	// maxNPYHeader is the largest accepted length of the description of an array. One that is
	// read here has less than a hundred bytes, and its padding.
	maxNPYHeader = 64 << 10
)

// What the description of an array says. It is a dictionary in Python's notation.
var (
	npyType  = regexp.MustCompile(`['"]descr['"]\s*:\s*(?:'([^']*)'|"([^"]*)"|(\[))`)
	npyShape = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^)]*)\)`)
	npyCount = regexp.MustCompile(`^\s*([0-9]+)\s*,?\s*$`)
)

// readNPYHeader reads what comes before the numbers of an array of NumPy, in version 1 or 2 of the
// format. It returns the length of the array, which must have one dimension and numbers of type
// <u8.
func readNPYHeader(r io.Reader) (int64, error) {
	var start [len(npyMagic) + 2]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:len(npyMagic)]) != npyMagic {
		return 0, errors.New("not an array of NumPy, which begins with \\x93NUMPY")
	}
	var size [4]byte
	major, minor := start[len(npyMagic)], start[len(npyMagic)+1]
	sizeBytes := 2
	switch major {
	case 1:
	case 2:
		sizeBytes = 4
	default:
		return 0, fmt.Errorf("an array of NumPy in version %d.%d of its format: want 1 or 2", major, minor)
	}
	if _, err := io.ReadFull(r, size[:sizeBytes]); err != nil {
		return 0, errShortHeader
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxNPYHeader {
		return 0, fmt.Errorf("an array of NumPy with a description of %d bytes: want at most %d", n, maxNPYHeader)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return 0, errShortHeader
	}
	return parseNPYHeader(header)
}

var errShortHeader = errors.New("an array of NumPy that ends inside of its description")

// parseNPYHeader returns the length of the array that header describes.
func parseNPYHeader(header []byte) (int64, error) {
	kind, shape := npyType.FindSubmatch(header), npyShape.FindSubmatch(header)
	if kind == nil || shape == nil {
		return 0, fmt.Errorf("an array of NumPy without descr and shape: %q", jsontext.Shorten(header))
	}
	of := string(kind[1]) + string(kind[2])
	if len(kind[3]) > 0 {
		of = "records"
	}
	if of != "<u8" {
		return 0, fmt.Errorf("an array of %q: want <u8, unsigned numbers of 64 bits", jsontext.Shorten([]byte(of)))
	}
	count := npyCount.FindSubmatch(shape[1])
	if count == nil {
		return 0, fmt.Errorf("an array of shape (%s): want one dimension", jsontext.Shorten(shape[1]))
	}
	n, err := strconv.ParseInt(string(count[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("an array of shape (%s): that is too long", jsontext.Shorten(shape[1]))
	}
	return n, nil
}

// IsFingerprints reports whether the name of a file says that it has nothing but fingerprints.
func IsFingerprints(name string) bool {
	ext := extensionOf(name)
	return ext == rawExtension || ext == npyExtension
}
