package syntax

import (
	"bytes"
	"errors"
	"fmt"
)

// MaxDepth is the largest depth of nested brackets in a request.
const MaxDepth = 300

// ValidateJSON returns an error if line is not JSON, or has brackets that are nested too deeply. It takes little
// memory, whatever the line is.
func ValidateJSON(line []byte) error {
	if err := ValidateRecord(line); err != nil {
		return err
	}
	return strictly(line)
}

// strictly is ValidateJSON for what ValidateRecord takes.
func strictly(line []byte) error {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			n, _, _ := str(line[i:])
			i += n - 1
		case '{', '[':
			if depth++; depth > MaxDepth {
				return errors.New("not JSON: " + tooDeep)
			}
		case '}', ']':
			depth--
		case 'N', 'I':
			return errors.New("not JSON: " + noValue)
		}
	}
	return nil
}

// ValidateRecord is ValidateJSON for what programs write as JSON: with the numbers NaN, Infinity and -Infinity, as
// Python does, and any depth.
func ValidateRecord(line []byte) error { return whole(SkipSpace(line), nil) }

// whole returns an error unless s is one value. It calls member with the members of the value if that is an object.
func whole(s []byte, member func(key, value []byte, escaped bool) bool) error {
	var end int
	var wrong string
	if len(s) > 0 && s[0] == '{' {
		end, wrong = nested(s, member)
	} else {
		end, wrong = value(s)
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

// key is for a name in an object and the colon behind it, and returns where the value begins, and where the name ends.
func key(s []byte) (begin, end int, escaped bool, wrong string) {
	if len(s) == 0 || s[0] != '"' {
		return 0, 0, false, "want a name in quotes"
	}
	if end, escaped, wrong = str(s); wrong != "" {
		return 0, 0, false, wrong
	}
	i := space(s, end)
	if i == len(s) || s[i] != ':' {
		return 0, 0, false, "want a colon"
	}
	return space(s, i+1), end, escaped, ""
}

// value is for any value.
func value(s []byte) (end int, wrong string) {
	if len(s) == 0 {
		return 0, noValue
	}
	switch s[0] {
	case '"':
		end, _, wrong = str(s)
		return end, wrong
	case '{', '[':
		return nested(s, nil)
	case 't', 'f', 'n', 'N', 'I':
		end = word(s)
	default:
		end = number(s)
	}
	if end == 0 {
		return 0, noValue
	}
	return end, ""
}

// brackets are those that are open, the last one behind the others: a bit for each, which is set for that of an object.
type brackets struct {
	bits []byte
	n    int
}

func (b *brackets) open(object bool) {
	if b.n%8 == 0 {
		b.bits = append(b.bits[:b.n/8], 0)
	}
	bit := byte(1) << (b.n % 8)
	b.bits[b.n/8] &^= bit // of one that has been closed
	if object {
		b.bits[b.n/8] |= bit
	}
	b.n++
}

// inObject reports whether the last one is that of an object.
func (b *brackets) inObject() bool { return b.bits[(b.n-1)/8]>>((b.n-1)%8)&1 == 1 }

// nested is for an object or array, of any depth. It takes a bit of memory for each bracket that is open. It calls
// each, unless that is nil, with the values in it, and with their names if it is an object, until it returns false.
func nested(s []byte, each func(key, value []byte, escaped bool) bool) (end int, wrong string) {
	var few [16]byte
	open := brackets{bits: few[:0]}
	var name []byte // of the value that begins at begin, in the outermost brackets
	begin, escaped := 0, false
	named := func(i int) (n int, wrong string) {
		n, size, escapes, wrong := key(s[i:])
		if open.n == 1 {
			name, escaped = s[i:i+size], escapes
		}
		return i + n, wrong
	}
	for i := 0; ; {
		// A value begins at i.
		if open.n == 1 {
			begin = i
		}
		switch begins := i < len(s) && (s[i] == '{' || s[i] == '['); {
		case begins:
			open.open(s[i] == '{')
			closing := s[i] + 2 // } and ] are two behind { and [
			if i = space(s, i+1); i < len(s) && s[i] == closing {
				open.n--
				i++
				break
			}
			if closing == ']' {
				continue
			}
			if i, wrong = named(i); wrong != "" {
				return 0, wrong
			}
			continue
		default:
			n, wrong := value(s[i:])
			if wrong != "" {
				return 0, wrong
			}
			i += n
		}
		for ; ; i++ { // behind a value
			if open.n == 0 || open.n == 1 && each != nil && !each(name, s[begin:i], escaped) {
				return i, ""
			}
			if i = space(s, i); i < len(s) && s[i] == ',' {
				break
			}
			switch in := open.inObject(); {
			case in && (i == len(s) || s[i] != '}'):
				return 0, "want a comma or }"
			case !in && (i == len(s) || s[i] != ']'):
				return 0, "want a comma or ]"
			}
			open.n--
		}
		i = space(s, i+1)
		if open.inObject() {
			if i, wrong = named(i); wrong != "" {
				return 0, wrong
			}
		}
	}
}

const noValue = "want a value"

var tooDeep = fmt.Sprintf("more than %d brackets inside one another", MaxDepth)

// word returns the length of the word true, false, null, NaN or Infinity at the beginning of s, or 0.
func word(s []byte) int {
	for _, word := range []string{"true", "false", "null", "NaN", infinity} {
		if len(s) >= len(word) && string(s[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}

const infinity = "Infinity"

// number returns the length of the number at the beginning of s, or 0.
func number(s []byte) int {
	i := 0
	digits := func() (n int) { // moves behind digits
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
			n++
		}
		return n
	}
	if s[0] == '-' {
		if i = 1; bytes.HasPrefix(s[1:], []byte(infinity)) {
			return 1 + len(infinity)
		}
	}
	if n := digits(); n == 0 || s[i-n] == '0' && n > 1 {
		return 0
	}
	if i < len(s) && s[i] == '.' {
		if i++; digits() == 0 {
			return 0
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if digits() == 0 {
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
	switch {
	case len(s) >= 2 && escapes[s[1]] != 0:
		return 2
	case len(s) >= 6 && s[1] == 'u' && hexOf(s[2:6]) >= 0:
		return 6
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
