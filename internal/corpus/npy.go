package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"

	"simsearch/internal/syntax"
)

// NPYMagic is what an array begins with.
const NPYMagic = "\x93NUMPY"

// What the description of an array says. It is a dictionary in Python's notation.
var (
	typeOf  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`['"]descr['"]\s*:\s*['"]<u8['"]`) })
	shapeOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`['"]shape['"]\s*:\s*\(\s*([0-9]+)\s*,?\s*\)`) })
)

// ReadNPYHeader reads what comes before the numbers of an array of NumPy, in version 1 or 2 of the
// format. It returns the length of the array, which must have one dimension and numbers of type
// <u8.
func ReadNPYHeader(r io.Reader) (int64, error) {
	const largest = 64 << 10 // one that is read here has less than a hundred bytes, and its padding
	var start [len(NPYMagic) + 4]byte
	_, err := io.ReadFull(r, start[:])
	switch {
	case string(start[:len(NPYMagic)]) != NPYMagic:
		return 0, errors.New("not an array of NumPy, which begins with \\x93NUMPY")
	case err != nil:
		return 0, errShortHeader
	}
	size := int(binary.LittleEndian.Uint16(start[len(NPYMagic)+2:]))
	switch major := start[len(NPYMagic)]; major {
	case 1:
	case 2: // with two more bytes of the size
		var upper [2]byte
		if _, err := io.ReadFull(r, upper[:]); err != nil {
			return 0, errShortHeader
		}
		size |= int(binary.LittleEndian.Uint16(upper[:])) << 16
	default:
		return 0, fmt.Errorf("an array of NumPy in version %d of its format: want 1 or 2", major)
	}
	if size > largest {
		return 0, fmt.Errorf("an array of NumPy with a description of %d bytes: want at most %d", size, largest)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return 0, errShortHeader
	}
	if shape := shapeOf().FindSubmatch(header); shape != nil && typeOf().Match(header) {
		if n, err := strconv.ParseInt(string(shape[1]), 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("an array of NumPy with %q: want one dimension of <u8, unsigned numbers of 64 bits", syntax.Shorten(header))
}

var errShortHeader = errors.New("an array of NumPy that ends inside of its description")

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
