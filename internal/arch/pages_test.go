package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page returns a page of docs/.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each package of internal/ has a row in docs/ARCHITECTURE.md, or is in the list below the table.
func TestEachInternalPackageIsListed(t *testing.T) {
	_, list, ok := strings.Cut(page(t, "ARCHITECTURE.md"), "\n`internal/` also has these packages:")
	list, _, end := strings.Cut(list, "\n## ")
	if !ok || !end {
		t.Fatal("docs/ARCHITECTURE.md has no list of packages of internal/")
	}
	may, found := table(t), imports(t)
	for dir := range found {
		name, internal := strings.CutPrefix(dir, "internal/")
		if _, row := may[dir]; internal && !row && !strings.Contains(list, "`"+name+"`") {
			t.Errorf("docs/ARCHITECTURE.md does not say what %s is", dir)
		}
	}
	for _, named := range regexp.MustCompile("`([a-z0-9/]+)`").FindAllStringSubmatch(list, -1) {
		if _, is := found["internal/"+named[1]]; !is && named[1] != "arch" { // which has tests alone
			t.Errorf("docs/ARCHITECTURE.md lists %s, which does not exist", named[1])
		}
	}
}

// The files that "Where to find what" names are in the packages that the same row links.
func TestFilesToBeginWithExist(t *testing.T) {
	_, rows, _ := strings.Cut(page(t, "ARCHITECTURE.md"), "\n## Where to find what\n")
	rows, _, _ = strings.Cut(rows, "\n## ")
	n := 0
	for row := range strings.Lines(rows) {
		if !strings.HasPrefix(row, "|") {
			continue
		}
		var dirs []string
		for _, link := range regexp.MustCompile(`\]\(\.\./([a-z/]+)\)`).FindAllStringSubmatch(row, -1) {
			dirs = append(dirs, link[1])
		}
		for _, file := range regexp.MustCompile("`([a-z0-9]+\\.(?:go|html\\.tmpl))`").FindAllStringSubmatch(row, -1) {
			n++
			if !slices.ContainsFunc(dirs, func(dir string) bool {
				_, err := os.Stat(filepath.Join(root, dir, file[1]))
				return err == nil
			}) {
				t.Errorf("%v has no file %s, which docs/ARCHITECTURE.md begins with", dirs, file[1])
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d files found", n)
	}
}

// The tests that docs/RELIABILITY.md calls as witnesses exist.
func TestWitnessesExist(t *testing.T) {
	var code strings.Builder
	for dir := range imports(t) {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	named := regexp.MustCompile("`((Test|Fuzz)[A-Z][A-Za-z0-9]+)`").FindAllStringSubmatch(page(t, "RELIABILITY.md"), -1)
	for _, name := range named {
		if !strings.Contains(code.String(), "\nfunc "+name[1]+"(") {
			t.Errorf("docs/RELIABILITY.md names %s, which does not exist", name[1])
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d tests found", len(named))
	}
}
