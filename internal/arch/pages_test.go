package arch

import (
	"os"
	"path/filepath"
	"regexp"
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
