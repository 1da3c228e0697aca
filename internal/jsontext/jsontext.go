// Package jsontext looks into JSON without decoding it: it checks a value, finds its members, and
// makes text of strings. Memory is bounded by that of the value, whatever it holds.
package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// MaxDepth is the largest depth of nested brackets in a record.
const MaxDepth = 300

// Validate returns an error if line is not JSON. It takes little memory, whatever the line is.
func Validate(line []byte) error {
	// ValidateBytes calls itself for every bracket, and its error quotes all that follows an
	// unknown word. It must therefore not see deep nesting or unknown words.
	if err := checkTokens(line); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if err := fastjson.ValidateBytes(line); err != nil {
		return notJSON(err)
	}
	return nil
}

// checkTokens returns an error if brackets are nested deeper than MaxDepth, or if there is a word
// other than true, false and null. It does not check the rest of the grammar.
func checkTokens(line []byte) error {
	depth := 0
	for i := 0; i < len(line); {
		switch line[i] {
		case '"':
			i += StringLength(line[i:])
			continue
		case '[', '{':
			if depth++; depth > MaxDepth {
				return fmt.Errorf("more than %d brackets inside one another", MaxDepth)
			}
		case ']', '}':
			depth--
		case 't', 'f', 'n':
			word := wordAt(line[i:])
			if word == 0 {
				return fmt.Errorf("unexpected value found: %q", line[i:min(len(line), i+20)])
			}
			i += word
			continue
		}
		i++
	}
	return nil
}

// wordAt returns the length of the word true, false or null at the beginning of s, or 0.
func wordAt(s []byte) int {
	for _, word := range []string{"true", "false", "null"} {
		if len(s) >= len(word) && string(s[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}

// StringLength returns the length in bytes of the string at the beginning of s, with its quotes. If
// the string does not end, it returns len(s).
func StringLength(s []byte) int {
	for i := 1; i < len(s); {
		n := bytes.IndexByte(s[i:], '"')
		if n < 0 {
			break
		}
		end := i + n
		escapes := end
		for escapes > i && s[escapes-1] == '\\' {
			escapes--
		}
		if (end-escapes)%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return len(s)
}

// valueLength returns the length in bytes of the value at the beginning of s. s must be valid JSON.
func valueLength(s []byte) int {
	switch s[0] {
	case '"':
		return StringLength(s)
	case '[', '{':
		depth := 0
		for i := 0; ; {
			switch s[i] {
			case '"':
				i += StringLength(s[i:])
				continue
			case '[', '{':
				depth++
			case ']', '}':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	if n := bytes.IndexAny(s, ",]} \t\r\n"); n >= 0 {
		return n
	}
	return len(s)
}

// SkipSpace returns s without leading white space of JSON.
func SkipSpace(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\r' || s[0] == '\n') {
		s = s[1:]
	}
	return s
}

// Members yields the key and the value of each member of an object, not decoded. object must be
// valid JSON.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := SkipSpace(object[1:])
		for rest[0] != '}' {
			key := rest[:StringLength(rest)]
			rest = SkipSpace(rest[len(key):])
			rest = SkipSpace(rest[1:]) // the colon
			value := rest[:valueLength(rest)]
			if !yield(key, value) {
				return
			}
			if rest = SkipSpace(rest[len(value):]); rest[0] == ',' {
				rest = SkipSpace(rest[1:])
			}
		}
	}
}

// elements yields the elements of an array, not decoded. array must be valid JSON.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := SkipSpace(array[1:])
		for rest[0] != ']' {
			value := rest[:valueLength(rest)]
			if !yield(value) {
				return
			}
			if rest = SkipSpace(rest[len(value):]); rest[0] == ',' {
				rest = SkipSpace(rest[1:])
			}
		}
	}
}

// KindOf returns the name of the type of a value.
func KindOf(value []byte) string {
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
		i := 0
		for v := range elements(value) {
			if i == n {
				return v
			}
			i++
		}
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

// notJSON keeps what the validator says is wrong, and drops the rest of the line that it quotes.
func notJSON(err error) error {
	what, _, _ := strings.Cut(err.Error(), "; unparsed tail")
	return errors.New("not JSON: " + Shorten([]byte(strings.TrimPrefix(what, "cannot parse JSON: "))))
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
