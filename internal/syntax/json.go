package syntax

import (
	"iter"
	"strconv"
	"strings"
)

// SkipSpace returns s without leading white space of JSON.
func SkipSpace(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\r' || s[0] == '\n') {
		s = s[1:]
	}
	return s
}

// Members yields the key and the value of each member of an object, not decoded. object must be
// valid JSON.
func Members(s []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		object(s, 1, func(key, value []byte, _ bool) bool { return yield(key, value) })
	}
}

// Items yields the elements of an array, not decoded. s must be valid JSON.
func Items(s []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) { array(s, 1, yield) }
}

// JSONKind returns the name of the type of a value.
func JSONKind(value []byte) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't':
		return "true"
	case 'f':
		return "false"
	case 'n':
		return "null"
	}
	return "number"
}

// Field returns the value of the member called name, not decoded, or nil if there is none. Dots
// reach into nested objects, but a member that has dots in its own name comes first. If several
// members have one name the last counts, as in most JSON parsers.
func (u *Unquoter) Field(object []byte, name string) []byte {
	if v := u.Child(object, name); v != nil {
		return v
	}
	if !strings.Contains(name, ".") {
		return nil
	}
	v := object
	for key := range strings.SplitSeq(name, ".") {
		if v = u.Child(v, key); v == nil {
			return nil
		}
	}
	return v
}

// Child returns the last member called name if value is an object, and the element with the number
// name, from 0, if it is an array. It returns nil if there is none.
func (u *Unquoter) Child(value []byte, name string) (found []byte) {
	switch value[0] {
	case '{':
		for key, v := range Members(value) {
			if string(u.Unquote(key)) == name {
				found = v
			}
		}
	case '[':
		n, err := strconv.Atoi(name)
		if err != nil {
			return nil
		}
		array(value, 1, func(v []byte) bool {
			if n == 0 {
				found = v
			}
			n--
			return n >= 0
		})
	}
	return found
}

// maxNames is the largest number of field names that an error lists.
const maxNames = 20

// Names returns the names of the first fields of an object.
func (u *Unquoter) Names(object []byte) (names []string) {
	for key := range Members(object) {
		if len(names) == maxNames {
			return append(names, "…")
		}
		names = append(names, Shorten(u.Unquote(key)))
	}
	return names
}

// Shorten makes text that an error message quotes one line of reasonable length.
func Shorten(text []byte) string {
	const most = 120
	head := text[:min(len(text), 4*most)]
	s := strings.Join(strings.Fields(string(head)), " ")
	if len(s) > most || len(head) < len(text) {
		s = strings.ToValidUTF8(s[:min(len(s), most)], "") + "…"
	}
	return s
}
