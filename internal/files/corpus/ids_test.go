package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/terminal"
)

// Ids in lists are read as package idtext writes them. Backslashes stand for themselves.
func TestIDsOfLists(t *testing.T) {
	ids := []string{`a\tb`, "a\tb", "a\nb", "a\rb", "\r", "\uFFFD09", "F\uFFFDDERATION", "\uFEFFa", "\xFF\xFE", "\x1B[2J", " "}
	var fingerprints, sets string
	var wantFingerprints, wantSets []string
	for i, id := range ids {
		text := terminal.List.Text(id)
		fingerprints += fmt.Sprintf("%s\t%016x\r\n", text, i)
		sets += fmt.Sprintf("%s\tx y\n", text)
		wantFingerprints = append(wantFingerprints, fmt.Sprintf("%s=%x", id, i))
		wantSets = append(wantSets, id+"=x y")
	}
	files(t, map[string]string{"list": fingerprints, "sets": sets})
	for _, tt := range []struct {
		name   string
		format Format
		want   []string
	}{{"list", Fingerprints, wantFingerprints}, {"sets", Sets, wantSets}} {
		r, err := Open([]string{tt.name}, Options{Format: tt.format})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// Paths in ids begin at the base, whatever the working directory is.
func TestBaseOfIDs(t *testing.T) {
	files(t, map[string]string{"p/a": "A", "p/d/b": "B", "p/-": "minus", "c": "C"})
	root := must(filepath.EvalSymlinks(must(os.Getwd())))
	if err := os.Symlink("p", "link"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	want := []string{"./-=minus", "a=A", "d/b=B", filepath.ToSlash(root) + "/c=C"}
	for _, tt := range []struct{ dir, base, inputs string }{
		{"", "p", "p c"}, {"", root + "/p", "./p/../p/ c"}, {"", "link", "p c"}, {"p", root + "/p", ". ../c"}, {"p", "", ". ../c"},
		{"p/d", "..", "../- ../a b ../../c"}, {"p/d", root + "/p", "../- ../a ../d ../../c"},
		{"link", root + "/p", ". ../c"}, {"link/d", root + "/p", root + "/link/- ../a . " + root + "/c"},
	} {
		t.Chdir(filepath.Join(root, tt.dir))
		t.Setenv("PWD", filepath.Join(root, tt.dir))
		r, err := Open(strings.Fields(tt.inputs), Options{Base: tt.base})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, want) {
			t.Errorf("%+v: got %q, want %q", tt, got, want)
		}
	}
}
