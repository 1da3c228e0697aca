package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// snippet returns the lines of code in the comment of the package in dir, without the white space around
// them.
func snippet(t *testing.T, dir string) (lines []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc == nil {
			continue
		}
		for line := range strings.Lines(file.Doc.Text()) {
			if code, ok := strings.CutPrefix(line, "\t"); ok && file.Name.Name != "main" {
				lines = append(lines, strings.TrimSpace(code))
			}
		}
	}
	return lines
}

// The code in the comment of a package compiles and runs: each line of it is in the example of the
// package.
func TestPackageCommentsShowTheirExamples(t *testing.T) {
	shown := 0
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
				return fs.SkipDir
			}
		}
		code := snippet(t, dir)
		if len(code) == 0 {
			return nil
		}
		shown++
		source, err := os.ReadFile(filepath.Join(dir, "example_test.go"))
		if err != nil {
			t.Errorf("the comment of %s shows code, and no example runs it: %v", dir, err)
			return nil
		}
		runs := map[string]bool{"": true}
		for line := range strings.Lines(string(source)) {
			runs[strings.TrimSpace(line)] = true
		}
		for _, line := range code {
			if !runs[line] {
				t.Errorf("the comment of %s shows a line that its example does not run: %s", dir, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if shown < 10 {
		t.Errorf("only %d packages show code", shown)
	}
}
