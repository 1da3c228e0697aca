package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"simsearch/document"
	"simsearch/internal/idtext"
	"simsearch/internal/jsontext"
)

// A notation is how the text form of a fingerprint was understood.
type notation uint8

const (
	hexadecimal  notation = iota
	hexOrDecimal          // decimal digits, as many as a hexadecimal has: taken for hexadecimal
	decimal
)

// ParseFingerprint reads the text form of a fingerprint of so many bits, 64 or 32:
//
//   - 16 digits (8 for 32 bits) are hexadecimal, even if all of them are decimal digits;
//   - 0x and at most that number of digits are hexadecimal;
//   - digits behind a sign are decimal, and so are more digits than a hexadecimal has. A minus stands
//     for the signed integer of the same bits.
//
// Fewer digits without 0x or a sign are an error, since they may be either.
func ParseFingerprint(text string, bits int) (uint64, error) {
	fp, _, err := parseFingerprint([]byte(text), bits)
	return fp, err
}

func parseFingerprint(text []byte, bits int) (fp uint64, as notation, err error) {
	width := bits / 4
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		if fp, ok := parseHexDigits(text[2:], width); ok {
			return fp, hexadecimal, nil
		}
	}
	if len(text) > 1 && (text[0] == '+' || text[0] == '-') {
		n, ok := parseDecimalDigits(text[1:], bits)
		switch {
		case ok && text[0] == '+':
			return n, decimal, nil
		case ok && n <= 1<<(bits-1):
			return -n & (math.MaxUint64 >> (64 - bits)), decimal, nil
		}
	}
	digits := onlyDigits(text)
	switch {
	case len(text) == width:
		if fp, ok := parseHexDigits(text, width); ok {
			if digits {
				return fp, hexOrDecimal, nil
			}
			return fp, hexadecimal, nil
		}
	case digits && len(text) > width:
		if fp, ok := parseDecimalDigits(text, bits); ok {
			return fp, decimal, nil
		}
	case digits:
		return 0, 0, fmt.Errorf("%q may be hexadecimal or decimal: want %d hexadecimal digits, or 0x or a sign before it", text, width)
	}
	return 0, 0, fmt.Errorf("%q is not a fingerprint: want %d hexadecimal digits, or a decimal number of at most %d bits", jsontext.Shorten(text), width, bits)
}

// parseHexDigits reads 1 to width hexadecimal digits.
func parseHexDigits(s []byte, width int) (x uint64, ok bool) {
	if len(s) == 0 || len(s) > width {
		return 0, false
	}
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		x = x<<4 | uint64(c)
	}
	return x, true
}

// parseDecimalDigits reads decimal digits of a number of at most so many bits.
func parseDecimalDigits(s []byte, bits int) (uint64, bool) {
	if !onlyDigits(s) || len(s) > 20 {
		return 0, false
	}
	x, err := strconv.ParseUint(string(s), 10, bits)
	return x, err == nil
}

// onlyDigits reports whether s is decimal digits.
func onlyDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// A fingerprintSource is a file with one fingerprint a line. An id may come before the fingerprint,
// with a tab, a comma or a space between. The id is in its form for lists (package idtext).
type fingerprintSource struct {
	lineSource
	sure     bool // some number of the file is hexadecimal for sure
	doubtful int  // the first line that may be decimal, and was taken for hexadecimal; or 0
	decimal  int  // the first line with a decimal; or 0
}

func (f *fingerprintSource) next(doc *document.Document) error {
	line, err := f.readRecord()
	if err != nil {
		return err
	}
	idText, number, separator := cutFingerprint(line)
	id := doc.ID
	switch {
	case separator == 0:
		id = f.place(id)
	case len(idText) == 0:
		return bad(f.path, f.line, fmt.Errorf("no id before the %s", separatorNames[separator]))
	default:
		id = idtext.List.AppendID(id[:0], idText)
	}
	fp, as, err := parseFingerprint(number, f.r.bits)
	if err != nil {
		return bad(f.path, f.line, err)
	}
	if err := f.check(as, number); err != nil {
		return err
	}
	*doc = document.Document{ID: id, Fingerprint: fp, HasFingerprint: true, Line: f.line}
	return nil
}

// check returns an error if a number may be decimal and was taken for hexadecimal: this one, or one
// before.
func (f *fingerprintSource) check(as notation, number []byte) error {
	switch {
	case as == hexadecimal:
		f.sure = true
	case f.sure:
	case as == hexOrDecimal && f.decimal > 0:
		return bad(f.path, f.line, fmt.Errorf("%q may be decimal, as line %d is, or hexadecimal: want 0x or a sign before it", number, f.decimal))
	case as == hexOrDecimal && f.doubtful == 0:
		f.doubtful = f.line
	case as == decimal && f.doubtful > 0:
		return &InputError{f.path, fmt.Errorf("line %d is decimal, and line %d was taken for hexadecimal: want a sign before decimal numbers, or 0x before others", f.line, f.doubtful)}
	case as == decimal && f.decimal == 0:
		f.decimal = f.line
	}
	return nil
}

var separatorNames = map[byte]string{'\t': "tab", ',': "comma", ' ': "space"}

// cutFingerprint parts a line into an id and a fingerprint. The separator is the last tab, or, in a
// line without one, the last comma or space; it is 0 if there is none. An id before a comma may be
// in double quotes, as in CSV.
func cutFingerprint(line []byte) (id, number []byte, separator byte) {
	if tab := bytes.LastIndexByte(line, '\t'); tab >= 0 {
		return line[:tab], bytes.TrimSpace(line[tab+1:]), '\t'
	}
	line = bytes.TrimSpace(line)
	at := bytes.LastIndexAny(line, ", ")
	if at < 0 {
		return nil, line, 0
	}
	id, number, separator = line[:at], line[at+1:], line[at]
	if separator == ' ' {
		id = bytes.TrimRight(id, " ")
		if before, ok := bytes.CutSuffix(id, []byte(",")); ok {
			id, separator = before, ','
		}
	}
	if n := len(id); separator == ',' && n >= 2 && id[0] == '"' && id[n-1] == '"' {
		id = bytes.ReplaceAll(id[1:n-1], []byte(`""`), []byte(`"`))
	}
	return id, number, separator
}

// ErrFingerprints marks a table in a format that this version does not read, and with lines that are
// fingerprints.
var ErrFingerprints = errors.New("its lines are fingerprints")

// looksLikeFingerprints reports whether the lines of head are fingerprints. The first line may be a
// heading, and the last one be cut.
func (r *Reader) looksLikeFingerprints(head []byte, whole bool) bool {
	n, found := 0, 0
	for line := range bytes.Lines(head) {
		n++
		if !whole && line[len(line)-1] != '\n' || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		_, number, _ := cutFingerprint(bytes.TrimRight(line, "\r\n"))
		_, _, err := parseFingerprint(number, r.bits)
		switch {
		case err == nil:
			found++
		case n > 1:
			return false
		}
		if n == maxNamed {
			break
		}
	}
	return found > 0
}
