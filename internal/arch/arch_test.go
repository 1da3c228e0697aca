// Package arch tests that the imports of this module are those of the table in docs/ARCHITECTURE.md.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "simsearch/"
)

// table returns for each package of docs/ARCHITECTURE.md the packages that it may import.
func table(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z/]+|\\.)`")
	may := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		pkg := name.FindStringSubmatch(cells[1])
		if pkg == nil {
			continue
		}
		may[pkg[1]] = []string{}
		for _, to := range name.FindAllStringSubmatch(cells[3], -1) {
			may[pkg[1]] = append(may[pkg[1]], to[1])
		}
	}
	if len(may) < 9 {
		t.Fatalf("only %d packages found in docs/ARCHITECTURE.md", len(may))
	}
	return may
}

// imports returns for each directory with Go files the packages of this module that its files import. It
// leaves out tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); rel != "." && (err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return fs.SkipDir // another module, or not a package
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), at, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(rel)
		found[dir] = append(found[dir], "") // the package is known, even if it imports nothing
		for _, spec := range file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(to, module); ok {
				found[dir] = append(found[dir], ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestImportsPointDown(t *testing.T) {
	may := table(t)
	found := imports(t)
	for dir, tos := range found {
		internal := strings.HasPrefix(dir, "internal/")
		_, listed := may[dir]
		if !listed && !internal {
			t.Errorf("%s has no row in docs/ARCHITECTURE.md: say there what it owns and imports", dir)
		}
		for _, to := range tos {
			if to == "" || strings.HasPrefix(to, "internal/") && may[to] == nil {
				continue
			}
			if !slices.Contains(may[dir], to) {
				t.Errorf("%s imports %s, which its row in docs/ARCHITECTURE.md does not allow: let the caller bring the two together", dir, to)
			}
		}
	}
	for pkg, tos := range may {
		if _, ok := found[pkg]; !ok {
			t.Errorf("docs/ARCHITECTURE.md has a row for %s, which does not exist", pkg)
		}
		for _, to := range tos {
			if !slices.Contains(found[pkg], to) {
				t.Errorf("docs/ARCHITECTURE.md lets %s import %s, and it does not: take it out", pkg, to)
			}
		}
	}
}
