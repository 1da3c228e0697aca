package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// After Skip, a Reader yields what it would have yielded of the files that are left.
func TestSkip(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.jsonl": "{\"text\":\"1\"}\n{\"text\":\"2\"}\n", "b.txt": "3", "c.jsonl": "{\"body\":\"4\"}\n{\"text\":\"5\"}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range [][]string{{"1", "2", "3", "bad", "5"}, {"3", "bad", "5"}, {"bad", "5"}, nil} {
		r, err := Open([]string{dir}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Skip(n)
		var got []string
		for doc, err := range r.Documents() {
			if err != nil {
				got = append(got, "bad")
				continue
			}
			got = append(got, string(doc.Text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("without %d files: %q, want %q", n, got, want)
		}
		if done, total := r.Progress(); done != total {
			t.Errorf("without %d files: %d of %d bytes", n, done, total)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
