// Package prints reads and writes the forms of fingerprints that were made elsewhere: digits, numbers in binary,
// arrays of NumPy.
package prints

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/terminal"
)

// A Notation is how the text form of a fingerprint was understood.
type Notation uint8

// The notations.
const (
	Hexadecimal  Notation = iota
	HexOrDecimal          // decimal digits, as many as a hexadecimal has: taken for hexadecimal
	Decimal
)

// Parse reads the text form of a fingerprint of so many bits, in Widths:
//
//   - as many digits as it has in hexadecimal, such as 16, are hexadecimal, even if all of them are decimal digits;
//   - 0x and at most that number of digits are hexadecimal;
//   - digits behind a sign are decimal, and so are more digits than a hexadecimal has. A minus stands
//     for the signed integer of the same bits.
//
// Fewer digits without 0x or a sign are an error, since they may be either. Fingerprints of more than 64 bits are in
// hexadecimal.
func Parse(text []byte, bits int) (fp document.Long, as Notation, err error) {
	width, digits, long := bits/4, onlyDigits(text), bits > 64
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		if fp, ok := parseHexDigits(text[2:], bits); ok {
			return fp, Hexadecimal, nil
		}
	}
	if !long && len(text) > 1 && (text[0] == '+' || text[0] == '-') {
		n, ok := parseDecimalDigits(text[1:], bits)
		switch {
		case ok && text[0] == '+':
			return document.Long{n}, Decimal, nil
		case ok && n <= 1<<(bits-1):
			return document.Long{-n & (math.MaxUint64 >> (64 - bits))}, Decimal, nil
		}
	}
	switch {
	case len(text) == width:
		if fp, ok := parseHexDigits(text, bits); ok {
			if digits && !long {
				return fp, HexOrDecimal, nil
			}
			return fp, Hexadecimal, nil
		}
	case long:
	case digits && len(text) > width:
		if n, ok := parseDecimalDigits(text, bits); ok {
			return document.Long{n}, Decimal, nil
		}
	case digits:
		return fp, 0, fmt.Errorf("%q may be hexadecimal or decimal: want %d hexadecimal digits, or 0x or a sign before it",
			text, width)
	}
	other := slices.Contains(Widths, 4*len(text))
	if other {
		_, other = parseHexDigits(text, 4*len(text))
	}
	return fp, 0, fmt.Errorf("%q is not a fingerprint: want %d hexadecimal digits%s%s", syntax.Shorten(text), width,
		terminal.If(!long, ", or a decimal number of at most %d bits", bits),
		terminal.If(other, "; --bits %d reads it", 4*len(text)))
}

// Widths are the numbers of bits that fingerprints may have.
var Widths = []int{32, 64, 128, 256}

// ParseHex reads as many hexadecimal digits as a fingerprint of so many bits has.
func ParseHex(text string, bits int) (fp document.Long, err error) {
	if len(text) == bits/4 {
		if fp, as, err := Parse([]byte(text), bits); err == nil && as != Decimal {
			return fp, nil
		}
	}
	return fp, fmt.Errorf("%q is not a fingerprint: want %d hexadecimal digits", syntax.Shorten([]byte(text)), bits/4)
}

// Format returns the hexadecimal digits of a fingerprint of so many bits, lower-case, the most significant first.
func Format(fp *document.Long, bits int) string {
	text := ""
	for _, word := range fp[:max(bits, 64)/64] {
		text += fmt.Sprintf("%0*x", min(bits, 64)/4, word)
	}
	return text
}

// parseHexDigits reads hexadecimal digits, at most those that a fingerprint of so many bits has.
func parseHexDigits(digits []byte, bits int) (fp document.Long, ok bool) {
	var text [256 / 4]byte
	var raw [256 / 8]byte
	width := max(bits, 64) / 4
	if len(digits) == 0 || len(digits) > bits/4 {
		return fp, false
	}
	copy(text[:width], zeros)
	copy(text[width-len(digits):], digits)
	_, err := hex.Decode(raw[:], text[:width])
	return decodeBytes(raw[:width/2]), err == nil
}

var zeros = strings.Repeat("0", 256/4)

// parseDecimalDigits reads decimal digits of a number of at most so many bits.
func parseDecimalDigits(s []byte, bits int) (uint64, bool) {
	if !onlyDigits(s) || len(s) > 20 {
		return 0, false
	}
	x, err := strconv.ParseUint(string(s), 10, bits)
	return x, err == nil
}

// onlyDigits reports whether s is decimal digits.
func onlyDigits(s []byte) bool { return len(s) > 0 && len(bytes.Trim(s, "0123456789")) == 0 }

// Cut parts a line into an id and a fingerprint. The separator is the last tab, or, in a
// line without one, the last comma or space; it is 0 if there is none. An id before a comma may be
// in double quotes, as in CSV.
func Cut(line []byte) (id, number []byte, separator byte) {
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
