package results

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"

	"simsearch/internal/dedup"
)

// number matches what JSON takes for a number. So 007 and 1.2.3 are none.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`) })

// Equals returns a function that reports whether a kept value is wanted: as a text, as a number, such as 1.0 for 1, or
// as an element of a list in JSON.
func Equals(wanted string) func(value []byte) bool {
	isNumber := number().MatchString(wanted)
	equal := func(value []byte) bool {
		return string(value) == wanted ||
			isNumber && number().Match(value) && dedup.Highest.Compare(string(value), wanted) == 0
	}
	return func(value []byte) bool {
		if equal(value) {
			return true
		}
		if list := bytes.TrimSpace(value); len(list) == 0 || list[0] != '[' {
			return false
		}
		var elements []json.RawMessage
		if json.Unmarshal(value, &elements) != nil {
			return false
		}
		for _, e := range elements {
			var text string
			if json.Unmarshal(e, &text) == nil && string(e) != "null" {
				e = []byte(text)
			}
			if equal(e) {
				return true
			}
		}
		return false
	}
}
