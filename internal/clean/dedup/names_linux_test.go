//go:build linux

package dedup

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/clean/run"
)

// Names of files that are not UTF-8 stay what they are, wherever they are written and read again.
func TestNamesOfBytes(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	for _, name := range []string{"d\xff/a\xe9.jsonl", "d\xff/a\ufffdE9.jsonl", "b\xfe.jsonl"} { // the second looks like the first, escaped
		path := filepath.Join(in, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		text := `{"text":"` + name[:1] + ` words"}` + "\n" + `{"text":"` + sameText + `"}` + "\n" + `{"text":"other"}` + "\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	o := resumable(out)
	o.Corpus.Base = in
	if r, err := runTo(t.Context(), out, nil, []string{in}, o); err != nil || r.Removed != 5 {
		t.Fatalf("%d are removed, %v", r.Removed, err)
	}
	kept := contents(t, filepath.Join(out, run.KeptName))
	again := filepath.Join(t.TempDir(), "again")
	done, err := Replay(t.Context(), filepath.Join(out, run.RemovedName), []string{in}, again, Options{Options: run.Options{Threads: 1, Corpus: o.Corpus}})
	if err != nil || done.Removed != 5 || len(done.Warnings) > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if got := contents(t, filepath.Join(again, run.KeptName)); !maps.Equal(got, kept) {
		t.Errorf("replayed: %q, want %q", got, kept)
	}
	higher := filepath.Join(t.TempDir(), "higher")
	h := options()
	h.Threshold, h.Corpus.Base = 1, in
	if err := againTo(t.Context(), higher, out, h); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, filepath.Join(higher, run.KeptName)); !maps.Equal(got, kept) {
		t.Errorf("decided again: %q, want %q", got, kept)
	}
}
