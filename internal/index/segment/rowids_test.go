package segment

import (
	"fmt"
	"testing"
)

// made returns the RowRuns of ids.
func made(t testing.TB, ids []string) *RowRuns {
	t.Helper()
	r := &RowRuns{}
	for _, id := range ids {
		if !r.Add([]byte(id)) {
			t.Fatalf("%q has no number", id)
		}
	}
	r.Index()
	return r
}

// rows returns ids of some rows of a file.
func rows(prefix string, from, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint(prefix, from+i))
	}
	return ids
}

func TestSplit(t *testing.T) {
	for id, want := range map[string]struct {
		prefix string
		row    uint64
		ok     bool
	}{
		"a.u64:17": {"a.u64:", 17, true}, "a.u64:0": {"a.u64:", 0, true}, "a007": {"a00", 7, true}, "a00": {"a0", 0, true}, "100": {"", 100, true},
		"a": {"a", 0, false}, "": {"", 0, false}, "7a": {"7a", 0, false}, "1999999999999999999": {"1", 999999999999999999, true},
		"10000000000000000005": {"1000000000000000000", 5, true},
	} {
		prefix, row, ok := splitRow([]byte(id))
		if string(prefix) != want.prefix || row != want.row || ok != want.ok {
			t.Errorf("%q is %q, %d, %v", id, prefix, row, ok)
		}
	}
}

// Ids come back, are found, and survive being written.
func TestIDsComeBack(t *testing.T) {
	t.Parallel()
	ids := append(rows("b.u64:", 0, 2000), rows("a.u64:", 5, 300)...)
	ids = append(append(ids, rows("a.u64:", 995, 40)...), rows("a.u64:", 400, 1)...)
	ids = append(append(ids, rows("d0", 1, 9)...), rows("d", 10, 90)...)
	r := made(t, ids)
	if len(r.runs) != 6 || !r.Index() || r.Len() != uint64(len(ids)) {
		t.Errorf("%d runs of %d documents, distinct: %v", len(r.runs), r.Len(), r.Index())
	}
	again, _, err := DecodeRows(r.Encode(nil), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*RowRuns{r, again} {
		for doc, id := range ids {
			if got := string(r.Append(nil, uint64(doc))); got != id {
				t.Fatalf("document %d is %q, want %q", doc, got, id)
			}
			if got, ok := r.Find([]byte(id)); !ok || got != uint64(doc) {
				t.Fatalf("%q is document %d, %v, want %d", id, got, ok, doc)
			}
		}
		for _, id := range []string{"", "x", "b.u64:", "b.u64:2000", "b.u64:00", "a.u64:4", "a.u64:305", "a.u64:401", "a.u64:1035", "d0", "d010", "c.u64:3", "z1"} {
			if doc, ok := r.Find([]byte(id)); ok {
				t.Errorf("%q is document %d", id, doc)
			}
		}
	}
}

func TestDistinct(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ids      []string
		distinct bool
	}{
		{append(rows("a", 1, 5), rows("a", 6, 5)...), true},
		{append(rows("a", 6, 5), rows("a", 1, 5)...), true},
		{append(rows("a", 1, 5), rows("a", 5, 1)...), false},
		{append(rows("a", 1, 50), rows("a", 5, 1)...), false},
		{append(rows("a", 1, 5), rows("b", 1, 5)...), true},
	} {
		if r := made(t, c.ids); r.Index() != c.distinct {
			t.Errorf("%v are distinct: %v", c.ids, r.Index())
		}
	}
}

// What is no list of runs is refused, and what is one is written again as it was.
func FuzzDecode(f *testing.F) {
	f.Add(made(f, append(rows("a:", 1, 500), rows("a:", 700, 3)...)).Encode(nil))
	f.Add(made(f, append(rows("d0", 8, 2), rows("d", 10, 3)...)).Encode(nil))
	f.Add([]byte{1, 0, 0})
	f.Add([]byte{5, 1, 2, 'a', 5, 3, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, _, err := DecodeRows(b, 1000)
		if err != nil {
			return
		}
		for k := range len(r.runs) {
			for _, doc := range []uint64{r.runs[k].first, r.end(k) - 1} {
				if !r.Index() {
					break
				}
				if got, ok := r.Find(r.Append(nil, doc)); !ok || got != doc {
					t.Fatalf("document %d, %q, is found as %d, %v", doc, r.Append(nil, doc), got, ok)
				}
			}
		}
		again, _, err := DecodeRows(r.Encode(nil), 1000)
		if err != nil || again.Len() != r.Len() {
			t.Fatalf("%v, %d documents of %d", err, again.Len(), r.Len())
		}
	})
}
