package dedup

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A decimal is a number exactly as it is written: 0.DIGITS times ten to the power of exponent. The digits neither begin
// nor end with 0; those of zero are empty. Numbers beyond 2⁵³, such as ids, and those of many digits are not all floating-point numbers, so
// that two of them may have one key.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

const (
	mostDigits   = 1 << 10 // that are compared
	mostExponent = 1 << 30
)

// String returns d as parseDecimal reads it.
func (d decimal) String() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	return fmt.Sprintf("%s0.%s0e%d", sign, d.digits, d.exponent)
}

// parseDecimal reads a number such as -12.5e3. It returns false for other forms, such as infinity and hexadecimal numbers.
func parseDecimal(s string) (d decimal, ok bool) {
	if sign := strings.TrimLeft(s, "+-"); len(sign)+1 == len(s) {
		d.negative, s = s[0] == '-', sign
	}
	mantissa, power := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], s[i+1:]
		n, err := strconv.ParseInt(power, 10, 64)
		if err != nil && n == 0 {
			return decimal{}, false
		}
		d.exponent = int(max(-mostExponent, min(n, mostExponent)))
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, false
	}
	significant := strings.TrimLeft(digits, "0")
	d.exponent += len(whole) - (len(digits) - len(significant))
	d.digits = strings.TrimRight(significant[:min(len(significant), mostDigits)], "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// compare returns -1, 0 or 1.
func (d decimal) compare(other decimal) int {
	sign := func(d decimal) int {
		switch {
		case d.digits == "":
			return 0
		case d.negative:
			return -1
		}
		return 1
	}
	s := sign(d)
	if order := cmp.Compare(s, sign(other)); order != 0 {
		return order
	}
	return s * cmp.Or(cmp.Compare(d.exponent, other.exponent), strings.Compare(d.digits, other.digits))
}

// float returns the number of which k is the key for a way that compares numbers.
func (w Way) float(k key) float64 {
	if w == Lowest {
		k = -k
	}
	if k < 0 {
		return -math.Float64frombits(uint64(-k))
	}
	return math.Float64frombits(uint64(k))
}

// plainest returns the shortest decimal number that is read as f. It returns false for infinity.
func plainest(f float64) (decimal, bool) { return parseDecimal(strconv.FormatFloat(f, 'e', -1, 64)) }

// inexact returns the number that value is if its key k, which is not noKey, does not tell: others have that key, too.
func (w Way) inexact(value string, k key) (d decimal, ok bool) {
	if w.IsTime() {
		return d, false
	}
	if d, ok = parseDecimal(strings.TrimSpace(value)); !ok {
		return d, false
	}
	as, finite := plainest(w.float(k))
	return d, !finite || d != as
}

// compare returns 1 if document a is kept rather than b, -1 if b is, and 0 if their values are equal.
func (k *keys) compare(a, b uint32) int {
	if order := cmp.Compare(k.of[a], k.of[b]); order != 0 {
		return order
	}
	_, inexactA := k.inexact[a]
	_, inexactB := k.inexact[b]
	if !inexactA && !inexactB {
		return 0
	}
	order := k.compareExactly(a, b)
	if k.keep.Way == Lowest {
		order = -order
	}
	return order
}

// compareExactly returns the order of the numbers of two documents that have the same key.
func (k *keys) compareExactly(a, b uint32) int {
	f := k.keep.Way.float(k.of[a])
	exact := func(doc uint32) (decimal, bool) {
		if d, ok := k.inexact[doc]; ok {
			return d, true
		}
		return plainest(f)
	}
	x, finiteX := exact(a)
	y, finiteY := exact(b)
	if finiteX && finiteY {
		return x.compare(y)
	}
	// One is infinite, and the other one too large for a floating-point number.
	order := -1
	if !finiteX {
		order = 1
	}
	if f < 0 {
		order = -order
	}
	return order
}
