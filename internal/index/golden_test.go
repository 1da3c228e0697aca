package index

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/index/store"
)

var makeGolden = flag.Bool("golden", false, "write the index of testdata/kept, if it is missing")

// golden is what the index of testdata/kept holds.
var golden = model{
	"a.txt": "The quick brown fox, and a text that was replaced", "b.txt": "Quick, brown: FOX! and", "c.txt": "...",
	"e.txt": "to be or not to be", "f.txt": "a later segment", "g.txt": "a text in the log",
}

// An index that writeGolden wrote, with deleted documents and a log, opens and answers as on that day.
func TestKeptIndex(t *testing.T) {
	t.Parallel()
	const dir = "testdata/kept"
	if _, err := os.Stat(dir); err != nil && *makeGolden {
		writeGolden(t, dir)
	}
	before := snapshot(t, dir)
	m, err := store.ReadManifest(unfailing, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Segments) != 2 || m.Segments[0].Deleted == nil || len(m.Logs) != 1 {
		t.Errorf("it has %q", m.Files())
	}
	ix := mustOpen(t, dir)
	if got := contents(t, ix); !maps.Equal(got, golden) {
		t.Errorf("%v", got)
	}
	for _, p := range []Predicate{Within(3), Similar(0.9), searchedBy(0.9, 0.9, Exact)} {
		if got := found(t, ix, "a text in the log", p, 0); len(got) != 1 {
			t.Errorf("%+v: %v", p, got)
		}
	}
	if e := mustVerify(t, unfailing, dir); len(e.Damages) > 0 || e.Documents != len(golden) {
		t.Errorf("%+v", e)
	}
	if snapshot(t, dir) != before {
		t.Error("it was touched")
	}
}

func writeGolden(t *testing.T, dir string) {
	t.Helper()
	for _, part := range [][]string{
		{"a.txt", "The quick brown fox", "b.txt", golden["b.txt"], "c.txt", "...", "d.txt", "deleted later", "e.txt", golden["e.txt"]},
		{"f.txt", golden["f.txt"]},
	} {
		w, err := openWriter(unfailing, dir, changeSettings(), WriterOptions{Keep: KeepText})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Delete([]byte("d.txt")); err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), docs(part...)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
	}
	l := openTestLive(t, unfailing, dir, 1<<30)
	if err := applyLive(l, []string{"g.txt", golden["g.txt"], "a.txt", golden["a.txt"]}, nil); err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, store.LockName)); err != nil {
		t.Fatal(err)
	}
}
