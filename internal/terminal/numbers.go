package terminal

import (
	"fmt"
	"strconv"
)

// Plural returns "1 document", "2 documents" and so on, as Thousands writes the number.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

// Thousands returns n with commas between thousands.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Similarity returns a similarity in [0, 1] with four digits. Only 1 is 1.0000: what is less differs. The
// last bits do not count, since a cosine of equal texts is rounded.
func Similarity(x float64) string {
	if x < 1-1e-9 {
		x = min(x, 0.9999)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}
