package arch

import (
	"maps"
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

// The tests that docs/RELIABILITY.md calls as witnesses exist.
func TestWitnessesExist(t *testing.T) {
	var code strings.Builder
	dirs := append(slices.Collect(maps.Keys(imports(t))), "python/tests")
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		if dir == "python/tests" {
			files, err = filepath.Glob(filepath.Join(root, dir, "test_*.py"))
		}
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
	named := regexp.MustCompile("`((Test|Fuzz)[A-Z][A-Za-z0-9]+|test_[a-z_]+)`").FindAllStringSubmatch(page(t, "RELIABILITY.md"), -1)
	for _, name := range named {
		if !strings.Contains(code.String(), "\nfunc "+name[1]+"(") && !strings.Contains(code.String(), "\ndef "+name[1]+"(") {
			t.Errorf("docs/RELIABILITY.md names %s, which does not exist", name[1])
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d tests found", len(named))
	}
}

// A sentence or a row of README.md or docs/ that has a figure of speed, or in README.md a share, stands in the
// page of figures, too, word for word. bench/run.sh figures writes that page.
func TestFiguresAreMeasured(t *testing.T) {
	measured := " " + strings.Join(strings.Fields(page(t, "measured/FIGURES.md")), " ")
	speed := regexp.MustCompile(`[0-9] (times as fast|MB/s|µs|ns|(documents|queries|fingerprints) a second)\b`)
	share := regexp.MustCompile(`[^0-9A-Za-z]\.[0-9]`)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := 0
	check := func(path, text string, figure *regexp.Regexp) {
		text = regexp.MustCompile(`(?m)\|$`).ReplaceAllString(text, "|. ") // a row is a sentence
		for sentence := range strings.SplitSeq(strings.Join(strings.Fields(text), " "), ". ") {
			if !figure.MatchString(sentence) {
				continue
			}
			if quoted++; !strings.Contains(measured, " "+sentence) {
				t.Errorf("%s has a figure that docs/measured/FIGURES.md has not, word for word: %s", filepath.Base(path), sentence)
			}
		}
	}
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(path, string(text), speed)
		if filepath.Base(path) == "README.md" {
			check(path, regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), ""), share)
		}
	}
	if quoted < 3 {
		t.Errorf("only %d quoted figures found", quoted)
	}
}
