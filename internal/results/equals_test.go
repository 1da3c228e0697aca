package results

import "testing"

// Values are equal as texts, as numbers, and as elements of a list.
func TestEquals(t *testing.T) {
	for wanted, values := range map[string]map[string]bool{
		"1":                {"1": true, "1.0": true, "10e-1": true, "01": false, "1.": false, "2": false, "": false, "[1,2]": true, `["1"]`: true, `[1.0]`: true, "[[1]]": false, "[]": false, "[1": false, "one": false},
		"1.0":              {"1": true, "1.00": true},
		"007":              {"007": true, "7": false},
		"-0":               {"0": true},
		"9007199254740993": {"9007199254740992": false},
		"x":                {"x": true, "X": false, `["x","y"]`: true, ` ["y" , "x" ]`: true, `["xy"]`: false, `{"x":1}`: false, `[{"x":1},"x"]`: true},
		"":                 {"": true, `[""]`: true, "[null]": false},
		"null":             {"[null]": true},
		"true":             {"true": true, "[true]": true},
		`["x"]`:            {`["x"]`: true, `["x","y"]`: false},
		"é":                {`["\u00e9"]`: true},
		"0x10":             {"16": false},
		"1e999999999":      {"1e999999999": true},
		"Infinity":         {"inf": false},
	} {
		is := Equals(wanted)
		for value, want := range values {
			if got := is([]byte(value)); got != want {
				t.Errorf("%s is %s: %v, want %v", value, wanted, got, want)
			}
		}
	}
}
