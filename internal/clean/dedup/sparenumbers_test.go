package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
)

// Of texts whose quantity, version or date differs, none goes for the other one by --spare numbers, and of copies
// nearly all do.
func TestSpareNumbers(t *testing.T) {
	t.Parallel()
	pairs := testkit.Of(200, 1000)
	r := rand.New(rand.NewPCG(55, 5))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	number := func(least, most int) int { return least + r.IntN(most-least) }
	months := strings.Fields("January February March April May June July August September October November December")
	// quantity returns a quantity, version or date, another one, and another form of the first one.
	quantity := func() (is, other, form string) {
		n, m := number(2, 90), 0
		for m = n; m == n; {
			m = number(2, 90)
		}
		unit := one("mg", "kg", "km", "GB", "ms", "years", "°C", "%", "px")
		switch r.IntN(12) {
		case 0:
			return fmt.Sprint(n, " ", unit), fmt.Sprint(m, " ", unit), fmt.Sprint(n, "  ", unit)
		case 1:
			return fmt.Sprint(n, " mg"), fmt.Sprint(n, " g"), fmt.Sprint(n, " mg,")
		case 2:
			return fmt.Sprintf("%d,%03d euros", n, m), fmt.Sprintf("%d,%03d euros", m, n), fmt.Sprintf("%d%03d euros", n, m)
		case 3:
			return fmt.Sprintf("%d.%d", n, m), fmt.Sprintf("%d%d", n, m), fmt.Sprintf("(%d.%d)", n, m)
		case 4:
			return fmt.Sprintf("version v%d.%d.1", n, m), fmt.Sprintf("version v%d.%d.1", m, n), fmt.Sprintf("Version V%d.%d.1", n, m)
		case 5:
			return fmt.Sprintf("release %d.%d", n, m), fmt.Sprintf("release %d.%d", n, m+1), fmt.Sprintf("release %d.%d,", n, m)
		case 6:
			return fmt.Sprintf("2024-%02d-%02d", n%12+1, m%28+1), fmt.Sprintf("2025-%02d-%02d", n%12+1, m%28+1), fmt.Sprintf("“2024-%02d-%02d”", n%12+1, m%28+1)
		case 7:
			return fmt.Sprint(n%28+1, " ", months[m%12], " 2024"), fmt.Sprint((n+1)%28+1, " ", months[m%12], " 2024"), fmt.Sprint(n%28+1, " ", months[m%12], ", 2024")
		case 8:
			return fmt.Sprint("-", n, " degrees"), fmt.Sprint("+", n, " degrees"), fmt.Sprint("−", n, " degrees")
		case 9:
			return one("two", "three", "five", "twelve"), one("four", "six", "nine", "twenty"), ""
		case 10:
			return fmt.Sprintf("$%d", n), fmt.Sprintf("$%d", m), fmt.Sprintf("$ %d", n)
		}
		return fmt.Sprint("B", n), fmt.Sprint("B", m), fmt.Sprint("b", n)
	}
	var all []string
	for i := range 2 * pairs {
		words := make([]string, 40)
		for j := range words {
			words[j] = wordOf(r.IntN(8000) + 1)
		}
		words[0] = "It is said by the people of the town that this is what they have of it:"
		at := 1 + r.IntN(len(words)-1)
		is, other, form := quantity()
		if form == "" {
			form = strings.ToUpper(is)
		}
		text := func(quantity string) string {
			return strings.Join(slices.Insert(slices.Clone(words), at, quantity), " ") + "."
		}
		if all = append(all, text(is)); i < pairs {
			all = append(all, text(other))
			continue
		}
		if r.IntN(2) > 0 {
			words[1+r.IntN(len(words)-1)] = wordOf(r.IntN(8000) + 1)
		}
		all = append(all, one(strings.ToUpper(text(is)), text(form), text(is)+"\n"))
	}
	o := options()
	o.Spare = explain.Numbers
	lists, _ := ran(t, nil, []string{files(t, all)}, o)
	removed := map[int]bool{}
	for _, row := range rowsOf[removedRow](t, lists[run.RemovedName]) {
		var a, b int
		if _, err := fmt.Sscanf(row.ID+" "+row.KeptID, "d%d d%d", &a, &b); err != nil || a/2 != b/2 {
			t.Fatalf("%+v, %v", row, err)
		}
		if removed[a/2] = true; a/2 < pairs {
			t.Errorf("%q goes for %q", all[a], all[b])
		}
	}
	spared := 0
	for i := pairs; i < 2*pairs; i++ {
		if !removed[i] {
			if spared++; spared < 5 {
				t.Logf("%q and %q stay", all[2*i], all[2*i+1])
			}
		}
	}
	if t.Logf("of %d copies %d are spared", pairs, spared); 100*spared > 5*pairs {
		t.Errorf("of %d copies %d are spared", pairs, spared)
	}
}
