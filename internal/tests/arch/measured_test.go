package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// measures names the packages that a page of docs/measured measures.
var measures = map[string][]string{
	"BENCHMARKS.md":          {"tables", "hamming", "internal/match/kernels"},
	"BENCHMARKS-BILLION.md":  {"tables", "hamming", "internal/match/kernels", "internal/index", "internal/index/segment", "internal/clean/dedup"},
	"BENCHMARKS-DEDUP.md":    {"preprocess", "internal/clean/dedup", "internal/match/setjoin", "internal/match/prefix"},
	"BENCHMARKS-JOINS.md":    {"internal/match/prefix", "internal/match/join", "internal/match/lsh", "minhash"},
	"BENCHMARKS-MINHASH.md":  {"minhash", "internal/match/kernels"},
	"BENCHMARKS-PASSAGES.md": {"preprocess", "internal/match/sequences", "internal/clean/copied", "internal/clean/decontaminate"},
	"BENCHMARKS-SCALE.md":    {"internal/clean/steps", "internal/match/setjoin", "internal/match/prefix"},
	"BENCHMARKS-SERVE.md":    {"internal/serve/server", "internal/serve/service", "internal/index", "tables"},
	"BENCHMARKS-SIZE.md":     {"preprocess", "internal/clean/dedup", "internal/match/setjoin", "internal/match/prefix"},
	"BENCHMARKS-TEXT.md":     {"preprocess", "fingerprint", "internal/match/sequences"},
	"BISWAS.md":              {"preprocess", "fingerprint", "eval"},
	"EVALUATION.md":          {"preprocess", "fingerprint", "minhash", "eval", "internal/quality/truth"},
	"EVALUATION-TABLES.md":   {"preprocess", "fingerprint", "minhash", "eval", "internal/quality/truth", "internal/index"},
	"JUDGE.md":               {"internal/match/judge"},
	"OWN.txt":                {"preprocess", "fingerprint", "tables", "minhash", "internal/index", "internal/clean/dedup", "internal/features/imagehash"},
	"WEAKEST-BITS.md":        {"fingerprint", "tables", "hamming", "eval"},
	"FIGURES.md":             nil, // of the others
	"FORMAT-BYTES.md":        nil, // a test writes it
}

// Each page of figures names the processor, the backend, the commit and the day of each measurement, and what it
// measures has not changed in more than 300 commits since.
func TestFiguresAreRecent(t *testing.T) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if shallow, err := git("rev-parse", "--is-shallow-repository"); err != nil || shallow == "true" {
		t.Skip("the history is not here: it says how old figures are")
	}
	line := regexp.MustCompile(`Machine: \S.*, [0-9]+ processors, go\S+ \S+, backend (avx512|avx2|generic), commit ([0-9a-f]+), 20[0-9]{2}-[0-9]{2}-[0-9]{2}\.`)
	paths, err := filepath.Glob(filepath.Join(root, "docs", "measured", "*.[mt][dx]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		packages, known := measures[name]
		if !known {
			t.Errorf("docs/measured/%s: a list in this test says which packages a page measures, and has none for it", name)
		}
		if packages == nil {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		of := line.FindAllStringSubmatch(string(text), -1)
		if len(of) == 0 {
			t.Errorf("docs/measured/%s does not say on which processor, with which backend, of which commit and when it was measured", name)
		}
		for _, m := range of {
			out, err := git(slices.Concat([]string{"rev-list", "--count", m[2] + "..HEAD", "--"}, packages)...)
			if err != nil {
				t.Errorf("docs/measured/%s: the history has no commit %s", name, m[2])
				continue
			}
			if behind, err := strconv.Atoi(out); err != nil || behind > 300 {
				t.Errorf("docs/measured/%s: what it measures has changed in %s commits since %s: measure again with bench/run.sh", name, out, m[2])
			}
		}
	}
	for name, packages := range measures {
		for _, dir := range packages {
			if _, err := os.Stat(filepath.Join(root, dir)); err != nil {
				t.Errorf("docs/measured/%s: what it measures has moved from %s: name the place in this test", name, dir)
			}
		}
		if !slices.Contains(paths, filepath.Join(root, "docs", "measured", name)) {
			t.Errorf("docs/measured/%s is missing", name)
		}
	}
}
