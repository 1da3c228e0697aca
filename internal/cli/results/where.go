package results

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/files/corpus"
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

// AtLeast returns a function that reports whether a kept value is wanted or more, as a date or as a number, and nil
// if wanted is neither. A date of less than a day, such as 2024-05, is all of its time.
func AtLeast(wanted string) func(value []byte) bool {
	return beside(wanted, func(x, from, _ int64) bool { return x >= from }, func(order int) bool { return order >= 0 })
}

// AtMost is AtLeast for wanted or less.
func AtMost(wanted string) func(value []byte) bool {
	return beside(wanted, func(x, _, behind int64) bool { return x < behind }, func(order int) bool { return order <= 0 })
}

// beside compares values with a wanted one: as dates if both are, and otherwise as numbers.
func beside(wanted string, date func(x, from, behind int64) bool, order func(int) bool) func(value []byte) bool {
	from, behind, noDate := corpus.DateSpan(wanted)
	isNumber := number().MatchString(wanted)
	if noDate != nil && !isNumber {
		return nil
	}
	return func(value []byte) bool {
		if value = bytes.TrimSpace(value); noDate == nil {
			if x, err := corpus.ParseDate(string(value)); err == nil {
				return date(x, from, behind)
			}
		}
		return isNumber && number().Match(value) && order(dedup.Highest.Compare(string(value), wanted))
	}
}
