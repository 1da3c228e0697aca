package parts

import "github.com/spaolacci/murmur3"

const wordsPerNumber = 8 // words of a form beside each of its numbers

// Form returns the key of the form of words, in small letters, with a space behind or between them: that of the words without
// numbers. It is 0 if they have no number, or too many.
func Form(words []byte) uint64 {
	numbers, all := 0, 0
	for rest := words; len(rest) > 0; all++ {
		number, end := isNumber(rest)
		if number {
			numbers++
		}
		rest = rest[end:]
	}
	if numbers == 0 || all-numbers < wordsPerNumber*numbers {
		return 0
	}
	form := make([]byte, 0, len(words))
	for rest := words; len(rest) > 0; {
		number, end := isNumber(rest)
		if number {
			form = append(form, "0 "...)
		} else {
			form = append(form, rest[:end]...)
		}
		rest = rest[end:]
	}
	return max(1, murmur3.Sum64(form))
}

// isNumber reports whether the first of some words has a digit and no letter, and where the next one begins.
func isNumber(words []byte) (is bool, end int) {
	digits, letters := false, false
	for i, c := range words {
		switch {
		case c == ' ':
			return digits && !letters, i + 1
		case c >= '0' && c <= '9':
			digits = true
		case c >= 'a' && c <= 'z', c >= 0x80:
			letters = true
		}
	}
	return digits && !letters, len(words)
}
