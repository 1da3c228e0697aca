package syntax

import (
	"errors"
	"fmt"
)

// MaxDepth is the largest depth of nested brackets in a record.
const MaxDepth = 300

// ValidateJSON returns an error if line is not JSON. It takes little memory, whatever the line is.
func ValidateJSON(line []byte) error { return whole(SkipSpace(line), nil) }

// whole returns an error unless s is one value. It calls member with the members of the value if that is an object.
func whole(s []byte, member func(key, value []byte, escaped bool) bool) error {
	var end int
	var wrong string
	if len(s) > 0 && s[0] == '{' {
		end, wrong = object(s, 1, member)
	} else {
		end, wrong = value(s, 0)
	}
	if wrong == "" {
		if end = space(s, end); end == len(s) {
			return nil
		}
		wrong = "more behind the value"
	}
	return errors.New("not JSON: " + wrong)
}

// The functions below return the end of what begins s. If that is no JSON, wrong says why.

// space returns the index of the first byte of s from i on that is no white space.
func space(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
		i++
	}
	return i
}

// object is for an object, which begins with a bracket. It calls member, unless that is nil, with each member, until it returns
// false. depth is the number of brackets that are open with this one.
func object(s []byte, depth int, member func(key, value []byte, escaped bool) bool) (end int, wrong string) {
	i := space(s, 1)
	if i < len(s) && s[i] == '}' {
		return i + 1, ""
	}
	for {
		if i == len(s) || s[i] != '"' {
			return 0, "want a name in quotes"
		}
		n, escaped, wrong := str(s[i:])
		if wrong != "" {
			return 0, wrong
		}
		key := s[i : i+n]
		if i = space(s, i+n); i == len(s) || s[i] != ':' {
			return 0, "want a colon"
		}
		i = space(s, i+1)
		if n, wrong = value(s[i:], depth); wrong != "" {
			return 0, wrong
		}
		if member != nil && !member(key, s[i:i+n], escaped) {
			return i + n, ""
		}
		i = space(s, i+n)
		switch {
		case i < len(s) && s[i] == ',':
			i = space(s, i+1)
		case i < len(s) && s[i] == '}':
			return i + 1, ""
		default:
			return 0, "want a comma or }"
		}
	}
}

// array is object for an array.
func array(s []byte, depth int, element func(value []byte) bool) (end int, wrong string) {
	i := space(s, 1)
	if i < len(s) && s[i] == ']' {
		return i + 1, ""
	}
	for {
		n, wrong := value(s[i:], depth)
		if wrong != "" {
			return 0, wrong
		}
		if element != nil && !element(s[i:i+n]) {
			return i + n, ""
		}
		i = space(s, i+n)
		switch {
		case i < len(s) && s[i] == ',':
			i = space(s, i+1)
		case i < len(s) && s[i] == ']':
			return i + 1, ""
		default:
			return 0, "want a comma or ]"
		}
	}
}

// value is for any value, inside of depth brackets.
func value(s []byte, depth int) (end int, wrong string) {
	if len(s) == 0 {
		return 0, noValue
	}
	switch s[0] {
	case '"':
		end, _, wrong = str(s)
		return end, wrong
	case '{', '[':
		if depth == MaxDepth {
			return 0, tooDeep
		}
		if s[0] == '{' {
			return object(s, depth+1, nil)
		}
		return array(s, depth+1, nil)
	case 't', 'f', 'n':
		end = word(s)
	default:
		end = number(s)
	}
	if end == 0 {
		return 0, noValue
	}
	return end, ""
}

const noValue = "want a value"

var tooDeep = fmt.Sprintf("more than %d brackets inside one another", MaxDepth)

// word returns the length of the word true, false or null at the beginning of s, or 0.
func word(s []byte) int {
	for _, word := range []string{"true", "false", "null"} {
		if len(s) >= len(word) && string(s[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}

// number returns the length of the number at the beginning of s, or 0.
func number(s []byte) int {
	digits := func(i int) int {
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		return i
	}
	i := 0
	if s[0] == '-' {
		i = 1
	}
	begin := i
	if i = digits(i); i == begin || s[begin] == '0' && i > begin+1 {
		return 0
	}
	if i < len(s) && s[i] == '.' {
		begin = i + 1
		if i = digits(begin); i == begin {
			return 0
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		begin = i
		if i = digits(begin); i == begin {
			return 0
		}
	}
	return i
}

// str is for a string, which begins with a quotation mark, and says whether it has escapes.
func str(s []byte) (end int, escaped bool, wrong string) {
	for i := 1; ; {
		i += plain(s[i:])
		if i == len(s) {
			return 0, false, "a string without an end"
		}
		switch s[i] {
		case '"':
			return i + 1, escaped, ""
		case '\\':
			// Escapes often follow each other.
			for escaped = true; i < len(s) && s[i] == '\\'; {
				size := escapeLength(s[i:])
				if size == 0 {
					return 0, false, "a wrong escape"
				}
				i += size
			}
		default:
			return 0, false, "a control character in a string"
		}
	}
}

// escapeLength returns the length of the escape at the beginning of s, or 0 if there is none that JSON knows.
func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) >= 6 && hexOf(s[2:6]) >= 0 {
			return 6
		}
	}
	return 0
}

// hexDigits has the value of each hexadecimal digit, and -1 for other bytes.
var hexDigits = func() (values [256]int8) {
	for i := range values {
		values[i] = -1
	}
	for i := range int8(16) {
		values["0123456789abcdef"[i]], values["0123456789ABCDEF"[i]] = i, i
	}
	return values
}()

// hexOf returns the number of four hexadecimal digits, or a negative one if they are not that.
func hexOf(s []byte) rune {
	_ = s[3]
	return rune(hexDigits[s[0]])<<12 | rune(hexDigits[s[1]])<<8 | rune(hexDigits[s[2]])<<4 | rune(hexDigits[s[3]])
}
