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
	root   = "../../.."
	module = "simsearch/"
)

// A row is what docs/ARCHITECTURE.md says of some packages.
type row struct {
	number   int      // of the row, from the top
	packages []string // those of the row
	files    []string // to begin with
}

// table returns for each package of docs/ARCHITECTURE.md its row.
func table(t *testing.T) map[string]*row {
	t.Helper()
	_, rows, _ := strings.Cut(page(t, "ARCHITECTURE.md"), "\n## The packages, from the top down\n")
	rows, _, _ = strings.Cut(rows, "\n## ")
	name, file := regexp.MustCompile("`([a-z/]+|\\.)`"), regexp.MustCompile("`([^`]+)`")
	of := map[string]*row{}
	for line := range strings.Lines(rows) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		r := &row{number: len(of)}
		for _, pkg := range name.FindAllStringSubmatch(cells[1], -1) {
			r.packages = append(r.packages, pkg[1])
			of[pkg[1]] = r
		}
		for _, named := range file.FindAllStringSubmatch(cells[3], -1) {
			r.files = append(r.files, named[1])
		}
	}
	if len(of) < 30 {
		t.Fatalf("only %d packages found in docs/ARCHITECTURE.md", len(of))
	}
	return of
}

// imports returns for each directory with Go files the packages of this module that its files import. It
// leaves out tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	missing := map[string]bool{}
	for _, given := range []string{"github.com/spaolacci/murmur3", "github.com/bbalet/stopwords", "github.com/urfave/cli/v2"} {
		missing[given] = true
	}
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
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || d.Name() == "doc.go" { // a folder may have nothing else
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
			delete(missing, to)
			if ours, ok := strings.CutPrefix(to, module); ok {
				found[dir] = append(found[dir], ours)
			}
			if strings.HasSuffix(to, "/template") {
				t.Errorf("%s imports %s: pages are written by internal/quality/report, which escapes without reflection", rel, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for given := range missing {
		t.Errorf("the program does not import %s, which it is to be built on", given)
	}
	return found
}

func TestImportsPointDown(t *testing.T) {
	rows, found := table(t), imports(t)
	for dir, tos := range found {
		from := rows[dir]
		if from == nil {
			t.Errorf("%s has no row in docs/ARCHITECTURE.md: say there what it owns, above all that it imports", dir)
			continue
		}
		for _, to := range tos {
			if at := rows[to]; to != "" && at != nil && at.number < from.number {
				t.Errorf("%s imports %s, which docs/ARCHITECTURE.md has above it: let the caller bring the two together", dir, to)
			}
		}
	}
}

func TestTheTableIsTrue(t *testing.T) {
	rows, found := table(t), imports(t)
	for pkg, r := range rows {
		if _, ok := found[pkg]; !ok {
			t.Errorf("docs/ARCHITECTURE.md has a row for %s, which does not exist", pkg)
		}
		for _, file := range r.files {
			if !slices.ContainsFunc(r.packages, func(dir string) bool {
				_, err := os.Stat(filepath.Join(root, dir, file))
				return err == nil
			}) {
				t.Errorf("%v has no file %s, which docs/ARCHITECTURE.md begins with", r.packages, file)
			}
		}
	}
}

// Each folder of internal says which packages it has.
func TestFoldersNameTheirPackages(t *testing.T) {
	folders := map[string]string{}
	for dir := range imports(t) {
		parts := strings.Split(dir, "/")
		if parts[0] != "internal" || len(parts) < 3 {
			continue
		}
		folder, name := parts[1], parts[2]
		if folders[folder] == "" {
			doc, err := os.ReadFile(filepath.Join(root, "internal", folder, "doc.go"))
			if err != nil {
				t.Fatal(err)
			}
			folders[folder] = string(doc)
		}
		if !regexp.MustCompile(`\b` + name + `[,:;]`).MatchString(folders[folder]) {
			t.Errorf("internal/%s/doc.go does not name %s", folder, name)
		}
	}
	if len(folders) > 10 {
		t.Errorf("internal has %d folders, and ten can be explained", len(folders))
	}
}
