package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// maxDepth is how deep the brackets of a record may be nested.
const maxDepth = 300

// validate reports what is wrong with a line that should be JSON. It takes no memory to speak
// of, whatever the line is.
func validate(line []byte) error {
	// The validator calls itself for every bracket, and quotes all that follows an unknown
	// word: it must see neither many of them nor such a word.
	if err := checkTokens(line); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if err := fastjson.ValidateBytes(line); err != nil {
		return notJSON(err)
	}
	return nil
}

// checkTokens reports brackets that are nested deeper than maxDepth, and words other than true,
// false and null. The rest of the grammar is not looked at.
func checkTokens(line []byte) error {
	depth := 0
	for i := 0; i < len(line); {
		switch line[i] {
		case '"':
			i += stringLength(line[i:])
			continue
		case '[', '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("more than %d brackets inside one another", maxDepth)
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

// wordAt returns the length of the word true, false or null that s begins with, else 0.
func wordAt(s []byte) int {
	for _, word := range []string{"true", "false", "null"} {
		if len(s) >= len(word) && string(s[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}

// stringLength returns how many bytes the string takes that s begins with, quotes included; all
// of s if it does not end.
func stringLength(s []byte) int {
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

// valueLength returns how many bytes the value takes that s begins with, in valid JSON.
func valueLength(s []byte) int {
	switch s[0] {
	case '"':
		return stringLength(s)
	case '[', '{':
		depth := 0
		for i := 0; ; {
			switch s[i] {
			case '"':
				i += stringLength(s[i:])
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

// skipSpace returns s without the white space of JSON before it.
func skipSpace(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\r' || s[0] == '\n') {
		s = s[1:]
	}
	return s
}

// members yields the members of an object in valid JSON, each key and value as it stands.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := skipSpace(object[1:])
		for rest[0] != '}' {
			key := rest[:stringLength(rest)]
			rest = skipSpace(rest[len(key):])
			rest = skipSpace(rest[1:]) // the colon
			value := rest[:valueLength(rest)]
			if !yield(key, value) {
				return
			}
			if rest = skipSpace(rest[len(value):]); rest[0] == ',' {
				rest = skipSpace(rest[1:])
			}
		}
	}
}

// elements yields the elements of an array in valid JSON as they stand.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := skipSpace(array[1:])
		for rest[0] != ']' {
			value := rest[:valueLength(rest)]
			if !yield(value) {
				return
			}
			if rest = skipSpace(rest[len(value):]); rest[0] == ',' {
				rest = skipSpace(rest[1:])
			}
		}
	}
}

// kindOf names the type of a value.
func kindOf(value []byte) string {
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

// An unquoter reads strings.
type unquoter struct{ parser fastjson.Parser }

// unquote returns what a string in valid JSON says. It is a part of quoted, or valid until the
// next call.
func (u *unquoter) unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	v, err := u.parser.ParseBytes(quoted)
	if err != nil {
		return nil // not of a string in valid JSON
	}
	return v.GetStringBytes()
}

// field returns the value of the member called name as it stands, dots reaching into nested
// objects; a member whose own name has dots goes first. Of members of one name the last counts,
// as in most readers of JSON. It returns nil if there is none.
func (u *unquoter) field(object []byte, name string) []byte {
	if v := u.child(object, name); v != nil {
		return v
	}
	if !strings.Contains(name, ".") {
		return nil
	}
	v := object
	for key := range strings.SplitSeq(name, ".") {
		if v = u.child(v, key); v == nil {
			return nil
		}
	}
	return v
}

// child returns the last member of an object called name, or the element of an array that name
// is the number of, from 0; nil if there is none.
func (u *unquoter) child(value []byte, name string) (found []byte) {
	switch value[0] {
	case '{':
		for key, v := range members(value) {
			if string(u.unquote(key)) == name {
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

// maxNames is how many names of fields an error lists.
const maxNames = 20

// names returns the names of the first fields of an object.
func (u *unquoter) names(object []byte) (names []string) {
	for key := range members(object) {
		if len(names) == maxNames {
			return append(names, "…")
		}
		names = append(names, shorten(u.unquote(key)))
	}
	return names
}

// notJSON keeps what the validator says is wrong and leaves out the rest of the line,
// which it quotes, too.
func notJSON(err error) error {
	what, _, _ := strings.Cut(err.Error(), "; unparsed tail")
	return errors.New("not JSON: " + shorten([]byte(strings.TrimPrefix(what, "cannot parse JSON: "))))
}

// shorten keeps what an error message quotes on one line of reasonable length.
func shorten(text []byte) string {
	const most = 120
	head := text[:min(len(text), 4*most)]
	s := strings.Join(strings.Fields(string(head)), " ")
	if len(s) > most || len(head) < len(text) {
		s = strings.ToValidUTF8(s[:min(len(s), most)], "") + "…"
	}
	return s
}
