package preprocess

import "unicode/utf8"

// Classes of ASCII characters by UAX #29 (Unicode 15, table 3).
const (
	letter     = 1 << iota // ALetter
	digit                  // Numeric
	underscore             // ExtendNumLet
	midLetter              // between letters: ':'
	midNum                 // between digits: ',' ';'
	midBoth                // MidNumLet and Single_Quote: '.' '\''
)

var asciiClass = func() (class [256]uint8) {
	for c := range 26 {
		class['a'+c], class['A'+c] = letter, letter
	}
	for c := range 10 {
		class['0'+c] = digit
	}
	class['_'] = underscore
	class[':'] = midLetter
	class[','], class[';'] = midNum, midNum
	class['.'], class['\''] = midBoth, midBoth
	for c := utf8.RuneSelf; c < len(class); c++ {
		class[c] = letter // plain text has letters only, of the characters that are not ASCII
	}
	return class
}()

var asciiLower = func() (lower [256]byte) {
	for c := range lower {
		lower[c] = byte(c)
	}
	for c := range 26 {
		lower['A'+c] = byte('a' + c)
	}
	return lower
}()

// chunk is about the number of bytes that are segmented at a time. What is computed of them stays
// in the first cache.
const chunk = 8 << 10

// grown returns a slice of length n or more with undefined contents. It uses the memory of s if that is
// enough.
func grown[T any](s []T, n int) []T {
	if len(s) < n {
		return make([]T, n+n/4)
	}
	return s
}
