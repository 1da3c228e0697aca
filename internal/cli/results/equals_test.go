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

// Values are compared as dates where both are, of which a short one is all of its time, and otherwise as numbers.
func TestAtLeastAndAtMost(t *testing.T) {
	for _, c := range []struct {
		wanted, value string
		least, most   bool
	}{
		{"2024-05", "2024-05-31T23:59:59Z", true, true}, {"2024-05", "2024-06-01", true, false}, {"2024-05", "2024-04-30", false, true},
		{"2024", "2024-07", true, true}, {"7.5", " 7.50 ", true, true}, {"7.5", "10", true, false}, {"7.5", "-3", false, true},
		{"7.5", "seven", false, false}, {"2024-05", "soon", false, false}, {"2024-05", "", false, false},
	} {
		if least, most := AtLeast(c.wanted)([]byte(c.value)), AtMost(c.wanted)([]byte(c.value)); least != c.least || most != c.most {
			t.Errorf("%q and %q: %v and %v", c.value, c.wanted, least, most)
		}
	}
	if AtLeast("soon") != nil || AtMost("") != nil {
		t.Error("what is no date and no number is taken")
	}
}
