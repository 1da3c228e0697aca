package syntax

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// SkipSpace returns s without leading white space of JSON.
func SkipSpace(s []byte) []byte { return s[space(s, 0):] }

// Members yields the key and the value of each member of an object, not decoded. object must be
// valid JSON.
func Members(s []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		nested(s, func(key, value []byte, _ bool) bool { return yield(key, value) })
	}
}

// Items yields the elements of an array, not decoded. s must be valid JSON.
func Items(s []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		nested(s, func(_, value []byte, _ bool) bool { return yield(value) })
	}
}

// AJSONKind returns the name of the type of a value with its article.
func AJSONKind(value []byte) string {
	kind := JSONKind(value)
	if kind == "array" || kind == "object" {
		return "an " + kind
	}
	return "a " + kind
}

// jsonKinds are the names of types of values, by the first bytes of these.
var jsonKinds = map[byte]string{'{': "object", '[': "array", '"': "string", 't': "true", 'f': "false", 'n': "null"}

// JSONKind returns the name of the type of a value.
func JSONKind(value []byte) string { return cmp.Or(jsonKinds[value[0]], "number") }

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
		for v := range Items(value) {
			if n == 0 {
				return v
			}
			n--
		}
	}
	return found
}

// EachElement stands in a path behind the name of a list, for each of its elements.
const EachElement = "[]"

// Listed calls do with each value that a path leads to, in their order. A path is as Field has it, with EachElement.
// found is false if there is nothing at its first list. wrong is a value that is no list where the path has one; it
// is nil otherwise.
func (u *Unquoter) Listed(value []byte, path string, do func(value []byte)) (found bool, wrong []byte) {
	name, rest, _ := strings.Cut(path, EachElement)
	if name != "" {
		if value = u.Field(value, name); value == nil {
			return false, nil
		}
	}
	switch value[0] {
	case 'n':
		return true, nil
	case '[':
	default:
		return true, value
	}
	for item := range Items(value) {
		switch {
		case rest == "":
			do(item)
		case strings.Contains(rest, EachElement):
			if _, not := u.Listed(item, strings.TrimPrefix(rest, "."), do); not != nil {
				wrong = not
			}
		default:
			if v := u.Field(item, rest[1:]); v != nil {
				do(v)
			}
		}
	}
	return true, wrong
}

// TextPaths appends to dst the paths that lead from a value, which has a name, to strings in it: those of the first
// elements of lists.
func (u *Unquoter) TextPaths(dst []string, value []byte, name string) []string {
	const deepest, elements = 5, 4
	if strings.Count(name, ".")+strings.Count(name, EachElement) > deepest {
		return dst
	}
	switch value[0] {
	case '"':
		if len(dst) < maxNames && !slices.Contains(dst, name) {
			dst = append(dst, name)
		}
	case '[':
		n := 0
		for item := range Items(value) {
			if n++; n > elements {
				break
			}
			dst = u.TextPaths(dst, item, name+EachElement)
		}
	case '{':
		n := 0
		for key, v := range Members(value) {
			if n++; n > maxNames {
				break
			}
			dst = u.TextPaths(dst, v, name+"."+Shorten(u.Unquote(key)))
		}
	}
	return dst
}

// maxNames is the largest number of field names that an error lists.
const maxNames = 20

// Names returns the names of the first fields of an object, and of lists with texts in them the paths to these.
func (u *Unquoter) Names(object []byte) (names []string) {
	for key, value := range Members(object) {
		if len(names) >= maxNames {
			return append(names, "…")
		}
		name := Shorten(u.Unquote(key))
		if paths := u.TextPaths(nil, value, name); value[0] == '[' && len(paths) > 0 {
			names = append(names, paths...)
		} else {
			names = append(names, name)
		}
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
