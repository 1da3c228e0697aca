package prints

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
)

// A Layout says how a file has fingerprints in binary, one after the other.
type Layout struct {
	Bytes int // of a fingerprint: 8, 16 or 32
	// Words says that they are numbers of 64 bits, little-endian, the first word first. Otherwise they are bytes in
	// the order of the hexadecimal digits.
	Words bool
	// Signed says that an array of NumPy calls the words signed. Their bits are the same.
	Signed bool
}

// layouts are those of files without a header, by their extensions.
var layouts = map[string]Layout{".u64": {Bytes: 8, Words: true}, ".u128": {Bytes: 16}, ".u256": {Bytes: 32}}

// Array is the extension of an array of NumPy.
const Array = ".npy"

// Extensions are those of files with fingerprints in binary.
var Extensions = []string{".u64", Array, ".u128", ".u256"}

// LayoutOf returns the layout of files without a header that have an extension. ok is false if there is none.
func LayoutOf(extension string) (l Layout, ok bool) {
	l, ok = layouts[extension]
	return l, ok
}

// Decode returns the fingerprint that l.Bytes bytes are.
func (l Layout) Decode(raw []byte) (fp document.Long) {
	if !l.Words {
		return decodeBytes(raw[:l.Bytes])
	}
	for i := range l.Bytes / 8 {
		fp[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return fp
}

// Append appends the bytes of a fingerprint.
func (l Layout) Append(dst []byte, fp *document.Long) []byte {
	for _, word := range fp[:l.Bytes/8] {
		if l.Words {
			dst = binary.LittleEndian.AppendUint64(dst, word)
		} else {
			dst = binary.BigEndian.AppendUint64(dst, word)
		}
	}
	return dst
}

// decodeBytes returns the fingerprint whose bytes are in the order of the hexadecimal digits.
func decodeBytes(raw []byte) (fp document.Long) {
	for i := range len(raw) / 8 {
		fp[i] = binary.BigEndian.Uint64(raw[8*i:])
	}
	return fp
}

// Check returns an error unless fingerprints of the layout can have so many bits.
func (l Layout) Check(bits int) error {
	if is := 8 * l.Bytes; is != bits && (is != 64 || bits != 32) {
		return fmt.Errorf("it has fingerprints of %d bits, and %d are wanted: give --bits %d", is, bits, is)
	}
	return nil
}

// NPYMagic is what an array begins with.
const NPYMagic = "\x93NUMPY"

// What the description of an array says. It is a dictionary in Python's notation.
var (
	typeOf  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`) })
	shapeOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`['"]shape['"]\s*:\s*\(\s*([0-9]+)\s*(?:,\s*([0-9]+)\s*)?,?\s*\)`)
	})
	fortran = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`['"]fortran_order['"]\s*:\s*True`) })
)

// ArrayLayout returns how an array of NumPy has fingerprints of so many bits: numbers of 64 bits, or rows of 16 or 32
// bytes.
func ArrayLayout(bits int) Layout {
	if bits <= 64 {
		return Layout{Bytes: 8, Words: true}
	}
	return Layout{Bytes: bits / 8}
}

// ReadNPYHeader reads what comes before the numbers of an array of NumPy, in version 1 or 2 of the format. It returns
// the number of fingerprints, and their layout. The array has one dimension of <u8 or <i8, or two dimensions, row by
// row: of fingerprints, and of their words or bytes (|u1).
func ReadNPYHeader(r io.Reader) (n int64, l Layout, err error) {
	const largest = 64 << 10 // one that is read here has less than a hundred bytes, and its padding
	var start [len(NPYMagic) + 4]byte
	_, err = io.ReadFull(r, start[:])
	switch {
	case string(start[:len(NPYMagic)]) != NPYMagic:
		return 0, l, errors.New("not an array of NumPy, which begins with \\x93NUMPY")
	case err != nil:
		return 0, l, errShortHeader
	}
	size := int(binary.LittleEndian.Uint16(start[len(NPYMagic)+2:]))
	switch major := start[len(NPYMagic)]; major {
	case 1:
	case 2: // with two more bytes of the size
		var upper [2]byte
		if _, err := io.ReadFull(r, upper[:]); err != nil {
			return 0, l, errShortHeader
		}
		size |= int(binary.LittleEndian.Uint16(upper[:])) << 16
	default:
		return 0, l, fmt.Errorf("an array of NumPy in version %d of its format: want 1 or 2", major)
	}
	if size > largest {
		return 0, l, fmt.Errorf("an array of NumPy with a description of %d bytes: want at most %d", size, largest)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return 0, l, errShortHeader
	}
	shape, descr := shapeOf().FindSubmatch(header), typeOf().FindSubmatch(header)
	kind := ""
	if descr != nil {
		kind = string(descr[1])
	}
	words, isBytes := kind == "<u8" || kind == "<i8", kind == "|u1" || kind == "<u1"
	if shape != nil && (words || isBytes) {
		n, errRows := strconv.ParseInt(string(shape[1]), 10, 64)
		columns, errColumns := 1, error(nil)
		if len(shape[2]) > 0 && !fortran().Match(header) {
			columns, errColumns = strconv.Atoi(string(shape[2]))
		} else if len(shape[2]) > 0 {
			columns = 0 // column by column
		}
		if l = (Layout{columns, words, kind == "<i8"}); l.Words && columns <= 4 {
			l.Bytes *= 8
		}
		if size := l.Bytes; errRows == nil && errColumns == nil && (size == 8 || size == 16 || size == 32) {
			return n, l, nil
		}
	}
	return 0, l, fmt.Errorf("an array of NumPy with %q: %swant one dimension of <u8 or <i8, numbers of 64 bits, or rows of 2 or 4 of them, or of "+
		"8, 16 or 32 of |u1, bytes", syntax.Shorten(header), refusedFor(kind, fortran().Match(header)))
}

// refusedFor says why an array of some type, as NumPy names it, has no fingerprints, or "".
func refusedFor(kind string, columns bool) string {
	order, number := kind[:min(1, len(kind))], kind[min(1, len(kind)):]
	switch {
	case strings.HasPrefix(number, "f"):
		return "floating-point numbers are no fingerprints; "
	case order == ">":
		return "it is big-endian, which astype('<u8') changes; "
	case strings.HasPrefix(number, "u") || strings.HasPrefix(number, "i"):
		if columns {
			return "it lies column by column, which np.ascontiguousarray changes; "
		}
		if bytes, err := strconv.Atoi(number[1:]); err == nil && bytes < 8 && number != "u1" {
			return fmt.Sprintf("its numbers have %d bits, which astype('<u8') changes; ", 8*bytes)
		}
	}
	return ""
}

var errShortHeader = errors.New("an array of NumPy that ends inside of its description")

// NPYHeader returns what comes before n fingerprints of a layout in an array of NumPy, in version 1 of the format.
func NPYHeader(n int64, l Layout) []byte {
	const align = 64
	descr, shape := "|u1", fmt.Sprintf("%d, %d", n, l.Bytes)
	switch {
	case l.Words && l.Bytes == 8:
		descr, shape = "<u8", fmt.Sprintf("%d,", n)
	case l.Words:
		descr, shape = "<u8", fmt.Sprintf("%d, %d", n, l.Bytes/8)
	}
	if l.Words && l.Signed {
		descr = "<i8"
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	begin := len(NPYMagic) + 4
	text += strings.Repeat(" ", (align-(begin+len(text)+1)%align)%align) + "\n"
	header := binary.LittleEndian.AppendUint16(append([]byte(NPYMagic), 1, 0), uint16(len(text)))
	return append(header, text...)
}
