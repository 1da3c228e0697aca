package dedup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/ints"
)

// pieces returns texts, many of which are pieces of others, some with a few words more.
func pieces(rng *rand.Rand, n int) []string {
	all := texts(rng, n)
	for i := range all {
		if words := strings.Fields(all[rng.IntN(n)]); rng.IntN(3) == 0 && len(words) > 5 {
			from := rng.IntN(len(words) - 4)
			words = words[from : from+3+rng.IntN(len(words)-from-3)]
			all[i] = strings.Join(words, " ") + strings.Repeat(fmt.Sprintf(" x%d", i), rng.IntN(2))
		}
	}
	return all
}

// A removed document is near the kept one, or inside it as said. No kept document is near another one, or inside it.
func TestContained(t *testing.T) {
	const refs, share = 100, 0.9
	all := pieces(rand.New(rand.NewPCG(11, 1)), 600)
	sets := setsOf(t, all)
	for _, refs := range []int{0, refs} {
		o := options()
		o.Contained = share
		var from []string
		if refs > 0 {
			from = []string{files(t, all[:refs])}
		}
		dir := files(t, all[refs:])
		got, result := ran(t, from, []string{dir}, o)
		removed := map[int]bool{}
		inside := 0
		for _, row := range rowsOf[removedRow](t, got[run.RemovedName]) {
			i := refs + number(t, row.ID)
			removed[i] = true
			ok := false
			for _, kept := range []int{number(t, row.KeptID), refs + number(t, row.KeptID)} { // of the reference, or of the input
				if kept == i || kept >= len(all) {
					continue
				}
				shared := ints.Shared(sets[i], sets[kept])
				c, j := float64(shared)/float64(len(sets[i])), ints.Jaccard(sets[i], sets[kept])
				ok = ok || j == row.Similarity && (j >= o.Threshold && row.Contained == 0 || c == row.Contained && c >= share && len(sets[i]) <= len(sets[kept]))
			}
			if !ok {
				t.Errorf("%+v is another one", row)
			}
			if row.Contained > 0 {
				inside++
			}
		}
		if inside < 20 || inside != result.Contained || result.Removed != len(removed) {
			t.Errorf("%d documents are inside others, %+v", inside, result)
		}
		for a := refs; a < len(all); a++ {
			for b := range all {
				if a == b || removed[a] || removed[b] || len(sets[a]) == 0 || len(sets[b]) == 0 {
					continue
				}
				isIn := len(sets[a]) <= len(sets[b]) && float64(ints.Shared(sets[a], sets[b]))/float64(len(sets[a])) >= share
				if isIn || ints.Jaccard(sets[a], sets[b]) >= o.Threshold {
					t.Errorf("%d is near %d or inside it, and both are kept", a, b)
				}
			}
		}
		o.Threads, o.Memory = 1, 1<<20
		if again, _ := ran(t, from, []string{dir}, o); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Error("other files on one thread")
		}
		if !strings.Contains(got[run.PageName], "nearly all inside the one that is kept") || !strings.Contains(got[run.ReportName], fmt.Sprintf(`"contained": %d`, inside)) {
			t.Error("the report does not say how many are contained")
		}
	}
	var page bytes.Buffer
	if err := (&Report{V: 1, Documents: 3, Removed: 1, Near: 1, Contained: 1, Kept: 2}).WriteHTML(&page); err != nil || !strings.Contains(page.String(), "1 document is removed though less similar, since it is nearly all inside the one that is kept.") {
		t.Error(err)
	}
}

// number returns the number in the id of a document.
func number(t *testing.T, id string) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(id, "d%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}
