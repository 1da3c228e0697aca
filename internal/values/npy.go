package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"simsearch/internal/jsontext"
)

// NPYMagic is what an array begins with.
const NPYMagic = "\x93NUMPY"

// maxNPYHeader is the largest accepted length of the description of an array. One that is
// read here has less than a hundred bytes, and its padding.
const maxNPYHeader = 64 << 10

// What the description of an array says. It is a dictionary in Python's notation.
var (
	typeOf  = regexp.MustCompile(`['"]descr['"]\s*:\s*(?:'([^']*)'|"([^"]*)"|(\[))`)
	shapeOf = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^)]*)\)`)
	countOf = regexp.MustCompile(`^\s*([0-9]+)\s*,?\s*$`)
)

// ReadNPYHeader reads what comes before the numbers of an array of NumPy, in version 1 or 2 of the
// format. It returns the length of the array, which must have one dimension and numbers of type
// <u8.
func ReadNPYHeader(r io.Reader) (int64, error) {
	var start [len(NPYMagic) + 2]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:len(NPYMagic)]) != NPYMagic {
		return 0, errors.New("not an array of NumPy, which begins with \\x93NUMPY")
	}
	var size [4]byte
	major, minor := start[len(NPYMagic)], start[len(NPYMagic)+1]
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
	kind, shape := typeOf.FindSubmatch(header), shapeOf.FindSubmatch(header)
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
	count := countOf.FindSubmatch(shape[1])
	if count == nil {
		return 0, fmt.Errorf("an array of shape (%s): want one dimension", jsontext.Shorten(shape[1]))
	}
	n, err := strconv.ParseInt(string(count[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("an array of shape (%s): that is too long", jsontext.Shorten(shape[1]))
	}
	return n, nil
}

// NPYHeader returns what comes before the n numbers of type <u8 of an array of NumPy, in version 1 of the format.
func NPYHeader(n int64) []byte {
	const align = 64
	text := fmt.Sprintf("{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }", n)
	begin := len(NPYMagic) + 4
	for (begin+len(text)+1)%align != 0 {
		text += " "
	}
	text += "\n"
	header := binary.LittleEndian.AppendUint16(append([]byte(NPYMagic), 1, 0), uint16(len(text)))
	return append(header, text...)
}
