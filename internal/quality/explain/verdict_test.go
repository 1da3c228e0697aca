package explain

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	many := strings.Repeat("the harbour of the old town was closed by the council because ships had become too large for it. ", 5)
	const different = "Volunteers built stone walls around its northern and western sides during several winters"
	const few = "the harbour of the old town was closed"
	for _, c := range []struct {
		a, b  string
		near  bool
		want  Verdict
		kinds FactKinds
	}{
		{"👍", "👍", false, Same, 0},
		{"👍", "🎉", false, Different, 0},
		{few, strings.ToUpper(few) + "!", true, Same, 0},
		{"User prefers Python 3.12", "user prefers python3.12!", false, Same, 0},
		{few, "please note: " + few, false, Copy, 0},
		{few, few + " in 1950", true, Form, Numbers},
		{few, few + " in 1950", false, Different, Numbers},
		{many, strings.ToUpper(many), true, Same, 0},
		{many + "One more.", many + "Some more.", true, Copy, 0},
		{many + "In 1950.", many + "In 1951.", true, Form, Numbers},
		{many, many + "Later on 7 ferries, yachts, boats and an entirely new lighthouse arrived from Oslo.", true, Part, Numbers},
		{many, many + "Never did ferries, yachts, boats or an entirely new lighthouse arrive from Oslo.", true, Part, Negations},
		{many + different, many + "In 1950, seven of the ferries were sold to a merchant of Oslo. " + different, true, Part, Numbers},
		{many + different, many + "In 1950, " + different, true, Form, Numbers},
		{many + different, many + different + " In 1950.", true, Form, Numbers},
		{many, strings.ReplaceAll(many, " was ", " was not ") + "Later on ferries, yachts, boats and an entirely new lighthouse arrived from Oslo.", true, Form, Negations},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got, kinds := VerdictOf(pair[0], pair[1], c.near); got != c.want || kinds != c.kinds {
				t.Errorf("%.70q and %.70q: %s, differ in %q, want %s, %q", pair[0], pair[1], got, kinds, c.want, c.kinds)
			}
		}
	}
	a, b := FactsOf([]byte(many+"In 1950.")), FactsOf([]byte(many+"In 1951."))
	for _, got := range [][2]Verdict{{VerdictByFacts(a, a, false), Same}, {VerdictByFacts(a, b, false), Form}, {VerdictByFacts(a, b, true), Part}} {
		if got[0] != got[1] {
			t.Errorf("by facts: %s, want %s", got[0], got[1])
		}
	}
}
