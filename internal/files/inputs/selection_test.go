package inputs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Patterns of users and of .gitignore files are matched without a panic, and within bounds.
func FuzzSelection(f *testing.F) {
	f.Add("**/a*/[b-c]?/{d,e}", "x/a/b/d")
	f.Add("!a/**\n/b/\n\\#", "b/c")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if selection, err := Select([]string{pattern}, []string{pattern}); err == nil && selection.Includes(path) && !selection.excludes(path, false) && !strings.Contains(path, "/") {
			t.Errorf("%q is of %q as a pattern to include, and not as one to exclude", pattern, path)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ignoreName), []byte(pattern), 0o666); err != nil {
			t.Fatal(err)
		}
		var g gitIgnore
		if err := errors.Join(g.start(dir), g.enter(dir)); err != nil {
			t.Fatal(err)
		}
		g.ignores(dir+"/"+path, false)
	})
}
