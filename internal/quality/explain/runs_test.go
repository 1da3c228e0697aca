package explain

import (
	"slices"
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		a, b  string
		kinds []bool // whether they are equal
	}{
		{"the gate opens at nine", "the gate opens at ten", []bool{true, false}},
		{"The gate opens at nine today", "THE GATE OPENS AT TEN TODAY", []bool{true, false, true}},
		{"", "", nil},
	} {
		var a, b strings.Builder
		var kinds []bool
		for _, r := range Runs(test.a, test.b) {
			a.WriteString(r.A)
			b.WriteString(r.B)
			kinds = append(kinds, r.Equal)
		}
		if a.String() != test.a || b.String() != test.b || !slices.Equal(kinds, test.kinds) {
			t.Errorf("%q and %q: runs %v of %q and %q, want %v", test.a, test.b, kinds, a.String(), b.String(), test.kinds)
		}
	}
}
