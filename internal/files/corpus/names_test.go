package corpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// All paths to a file give its documents the same ids. Messages have the path as it was given.
func TestIDsDoNotDependOnThePath(t *testing.T) {
	files(t, map[string]string{"d/a.txt": "A", "d/b.jsonl": `{"text":"B"}` + "\n{}", "-": "minus"})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Base(dir)
	for _, tt := range []struct{ input, shown string }{
		{"d", "d/"}, {"./d/", "d/"}, {filepath.Join(dir, "d"), filepath.ToSlash(dir) + "/d/"}, {"../" + base + "/d", "../" + base + "/d/"},
	} {
		r, err := Open([]string{tt.input}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := readAll(t, r), []string{"d/a.txt=A", "d/b.jsonl#1=B", "! " + tt.shown + `b.jsonl:2: no field "text"`}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", tt.input, got, want)
		}
	}
	t.Chdir("d")
	r, err := Open([]string{"../d/a.txt", "../-"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, r), []string{"a.txt=A", filepath.ToSlash(dir) + "/-=minus"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Chdir("..")
	r, err = Open([]string{"."}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, r)[0], "./-=minus"; got != want {
		t.Errorf("a file called -: got %q, want %q", got, want)
	}
}
