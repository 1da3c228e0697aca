package corpus

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"simsearch/internal/syntax"
)

// A Notation is how the text form of a fingerprint was understood.
type Notation uint8

// The notations.
const (
	Hexadecimal  Notation = iota
	HexOrDecimal          // decimal digits, as many as a hexadecimal has: taken for hexadecimal
	Decimal
)

// ParseFingerprint reads the text form of a fingerprint of so many bits, 64 or 32:
//
//   - 16 digits (8 for 32 bits) are hexadecimal, even if all of them are decimal digits;
//   - 0x and at most that number of digits are hexadecimal;
//   - digits behind a sign are decimal, and so are more digits than a hexadecimal has. A minus stands
//     for the signed integer of the same bits.
//
// Fewer digits without 0x or a sign are an error, since they may be either.
func ParseFingerprint(text []byte, bits int) (fp uint64, as Notation, err error) {
	width := bits / 4
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		if fp, ok := parseHexDigits(text[2:], width); ok {
			return fp, Hexadecimal, nil
		}
	}
	if len(text) > 1 && (text[0] == '+' || text[0] == '-') {
		n, ok := parseDecimalDigits(text[1:], bits)
		switch {
		case ok && text[0] == '+':
			return n, Decimal, nil
		case ok && n <= 1<<(bits-1):
			return -n & (math.MaxUint64 >> (64 - bits)), Decimal, nil
		}
	}
	digits := onlyDigits(text)
	switch {
	case len(text) == width:
		if fp, ok := parseHexDigits(text, width); ok {
			if digits {
				return fp, HexOrDecimal, nil
			}
			return fp, Hexadecimal, nil
		}
	case digits && len(text) > width:
		if fp, ok := parseDecimalDigits(text, bits); ok {
			return fp, Decimal, nil
		}
	case digits:
		return 0, 0, fmt.Errorf("%q may be hexadecimal or decimal: want %d hexadecimal digits, or 0x or a sign before it", text, width)
	}
	return 0, 0, fmt.Errorf("%q is not a fingerprint: want %d hexadecimal digits, or a decimal number of at most %d bits", syntax.Shorten(text), width, bits)
}

// parseHexDigits reads 1 to width hexadecimal digits.
func parseHexDigits(s []byte, width int) (x uint64, ok bool) {
	if len(s) == 0 || len(s) > width {
		return 0, false
	}
	x, err := strconv.ParseUint(string(s), 16, 64)
	return x, err == nil
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

// CutFingerprint parts a line into an id and a fingerprint. The separator is the last tab, or, in a
// line without one, the last comma or space; it is 0 if there is none. An id before a comma may be
// in double quotes, as in CSV.
func CutFingerprint(line []byte) (id, number []byte, separator byte) {
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
