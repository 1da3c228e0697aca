package jsontext

import (
	"errors"
	"strings"
)

// A Record is a JSON value that has been checked, with the places of its members if it is an object. The zero value is
// ready for Parse, which uses its memory again. It must not be used by several goroutines at once.
type Record struct {
	value   []byte
	members []member // of an object, in its order
	many    bool     // it has more than mostMembers, or they are not known: members is not used
	unquote Unquoter // of keys
}

// A member is a member of an object.
type member struct {
	key, value []byte // as they stand in the object
	escaped    bool   // the key has a backslash
}

// mostMembers is how many members a Record remembers. Those of an object with more are found again when they are asked for, so
// that memory does not grow with their number.
const mostMembers = 128

// quickDepth is the depth of brackets from which a value is left to Validate, which knows the limit.
const quickDepth = 64

// errUnsure says that a line may or may not be JSON.
var errUnsure = errors.New("jsontext: unsure")

// Parse checks line as Validate does, and returns its error. The Record refers to line, and is valid until line is
// changed.
//
// One pass checks a line and finds its members. What it does not understand, Validate decides.
func (r *Record) Parse(line []byte) error {
	if r.quick(line) {
		return nil
	}
	if err := Validate(line); err != nil {
		return err
	}
	r.many = true
	return nil
}

// Value returns the value without the white space before it.
func (r *Record) Value() []byte { return r.value }

// Field returns the value of a member as Unquoter.Field does. The value of r must be an object. The result is valid as long as r.
func (r *Record) Field(name string) []byte {
	if v := r.child(name); v != nil || strings.IndexByte(name, '.') < 0 {
		return v
	}
	return r.unquote.Field(r.value, name)
}

// child returns the last member of that name, or nil.
func (r *Record) child(name string) []byte {
	if r.many {
		return r.unquote.Child(r.value, name)
	}
	for i := len(r.members) - 1; i >= 0; i-- {
		m := &r.members[i]
		if !m.escaped {
			if string(m.key[1:len(m.key)-1]) == name {
				return m.value
			}
		} else if string(r.unquote.Unquote(m.key)) == name {
			return m.value
		}
	}
	return nil
}

// quick reports whether line is certainly an object in JSON, and finds its members.
func (r *Record) quick(line []byte) bool {
	r.value, r.members, r.many = SkipSpace(line), r.members[:0], false
	s := r.value
	if len(s) == 0 || s[0] != '{' {
		return false
	}
	end, err := quickObject(s, 1, func(key, value []byte, escaped bool) {
		if r.many = r.many || len(r.members) == mostMembers; !r.many {
			r.members = append(r.members, member{key, value, escaped})
		}
	})
	return err == nil && len(SkipSpace(s[end:])) == 0
}

// quickSpace returns the index of the first byte of s from i on that is no white space.
func quickSpace(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
		i++
	}
	return i
}

// quickObject returns the end of the object at the beginning of s, which begins with a bracket, and calls member with its
// members. depth is the number of brackets that are open with this one. The error is errUnsure.
func quickObject(s []byte, depth int, member func(key, value []byte, escaped bool)) (end int, err error) {
	i := quickSpace(s, 1)
	if i < len(s) && s[i] == '}' {
		return i + 1, nil
	}
	for {
		if i == len(s) || s[i] != '"' {
			return 0, errUnsure
		}
		n, escaped, ok := quickString(s[i:])
		if !ok {
			return 0, errUnsure
		}
		key := s[i : i+n]
		if i = quickSpace(s, i+n); i == len(s) || s[i] != ':' {
			return 0, errUnsure
		}
		i = quickSpace(s, i+1)
		if n, err = quickValue(s[i:], depth); err != nil {
			return 0, err
		}
		if member != nil {
			member(key, s[i:i+n], escaped)
		}
		if i = quickSpace(s, i+n); i == len(s) {
			return 0, errUnsure
		}
		switch s[i] {
		case ',':
			i = quickSpace(s, i+1)
		case '}':
			return i + 1, nil
		default:
			return 0, errUnsure
		}
	}
}

// quickArray is quickObject for an array.
func quickArray(s []byte, depth int) (end int, err error) {
	i := quickSpace(s, 1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		n, err := quickValue(s[i:], depth)
		if err != nil {
			return 0, err
		}
		if i = quickSpace(s, i+n); i == len(s) {
			return 0, errUnsure
		}
		switch s[i] {
		case ',':
			i = quickSpace(s, i+1)
		case ']':
			return i + 1, nil
		default:
			return 0, errUnsure
		}
	}
}

// quickValue returns the end of the value at the beginning of s, inside of depth brackets.
func quickValue(s []byte, depth int) (end int, err error) {
	if len(s) == 0 || depth >= quickDepth {
		return 0, errUnsure
	}
	switch s[0] {
	case '"':
		if n, _, ok := quickString(s); ok {
			return n, nil
		}
	case '{':
		return quickObject(s, depth+1, nil)
	case '[':
		return quickArray(s, depth+1)
	case 't', 'f', 'n':
		if n := wordAt(s); n > 0 {
			return n, nil
		}
	default:
		if n := quickNumber(s); n > 0 {
			return n, nil
		}
	}
	return 0, errUnsure
}

// quickNumber returns the length of the number at the beginning of s, or 0.
func quickNumber(s []byte) int {
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

// quickString returns the length of the string at the beginning of s, which begins with a quotation mark, and whether it has
// escapes. ok is false if it has no end, a control character or a wrong escape.
func quickString(s []byte) (n int, escaped, ok bool) {
	for i := 1; ; {
		i += plain(s[i:])
		if i == len(s) {
			return 0, false, false
		}
		switch s[i] {
		case '"':
			return i + 1, escaped, true
		case '\\':
			// Escapes often follow each other.
			for escaped = true; i < len(s) && s[i] == '\\'; {
				size := escapeLength(s[i:])
				if size == 0 {
					return 0, false, false
				}
				i += size
			}
		default:
			return 0, false, false
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
