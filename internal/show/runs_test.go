package show

import (
	"slices"
	"strings"
	"testing"

	"simsearch/internal/diff"
)

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		a, b  string
		kinds []diff.Kind
	}{
		{"the gate opens at nine", "the gate opens at ten", []diff.Kind{diff.Equal, diff.Deleted, diff.Inserted}},
		{"The gate opens at nine today", "THE GATE OPENS AT TEN TODAY", []diff.Kind{diff.Equal, diff.Deleted, diff.Inserted, diff.Equal}},
		{"", "", nil},
	} {
		var a, b strings.Builder
		var kinds []diff.Kind
		for _, r := range Runs(test.a, test.b) {
			a.WriteString(r.A)
			b.WriteString(r.B)
			kinds = append(kinds, r.Kind)
		}
		if a.String() != test.a || b.String() != test.b || !slices.Equal(kinds, test.kinds) {
			t.Errorf("%q and %q: runs %v of %q and %q, want %v", test.a, test.b, kinds, a.String(), b.String(), test.kinds)
		}
	}
}
