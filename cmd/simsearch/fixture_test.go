package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// reference returns the command that runs testdata/reference/pairs.py. It skips the test if the
// command cannot run.
func reference(t *testing.T) []string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		testkit.Skip(t, "python", "python3 is not installed")
	}
	if err := exec.Command(python, "-c", "import regex").Run(); err != nil {
		testkit.Skip(t, "python", "Python's regex module is not installed")
	}
	script, err := filepath.Abs("../../testdata/reference/pairs.py")
	if err != nil {
		t.Fatal(err)
	}
	return []string{python, script}
}

// stopWordSource returns the file that the reference reads its stop words from.
func stopWordSource(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bbalet/stopwords").Output()
	if err != nil || len(strings.TrimSpace(string(dir))) == 0 {
		testkit.Skip(t, "python", "the go command cannot find the source of the stop words")
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "stopwords_en.go")
}

// The pairs of a real collection equal those of a brute-force script. The script shares no code
// with the engine, from text to distance.
func TestFixturePairsEqualBruteForce(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "a script compares all pairs of a real collection")
	docs := filepath.Join(testkit.Fixture(t), "docs.jsonl")
	source := stopWordSource(t)
	want, err := exec.Command(reference(t)[0], append(reference(t)[1:], docs, source, "3")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	idx := filepath.Join(t.TempDir(), "idx")
	if status, _, stderr := command(t, t.Context(), nil, "index", "--quiet", "--index", idx, docs); status != 0 {
		t.Fatal(stderr)
	}
	status, stdout, stderr := command(t, t.Context(), nil, "pairs", "--index", idx, "--k", "3")
	if status != 0 {
		t.Fatal(stderr)
	}
	var got strings.Builder
	lines := 0
	for line := range strings.Lines(stdout) {
		columns := strings.Split(line, "\t")
		fmt.Fprintf(&got, "%s\n", strings.Join(columns[:3], "\t"))
		lines++
	}
	if got.String() != string(want) {
		t.Errorf("%d pairs, the script finds %d others", lines, strings.Count(string(want), "\n"))
	}
	if lines < 1000 {
		t.Errorf("only %d pairs: the test compares next to nothing", lines)
	}
}

// At every distance from 0 to 12, real image hashes have the number of pairs that brute force has
// counted.
func TestFixtureImageHashes(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "a real collection")
	dir := testkit.Fixture(t)
	var truth struct {
		Rows []struct{ H, Exactly, AtMost int } `json:"unordered line pairs by Hamming distance"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "hash64.expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("pairs_exactly", "Exactly", "pairs_at_most", "AtMost").Replace(string(data))
	if err := json.Unmarshal([]byte(text), &truth); err != nil || len(truth.Rows) != 13 {
		t.Fatalf("%d rows of truth, %v", len(truth.Rows), err)
	}
	idx := filepath.Join(t.TempDir(), "idx")
	status, _, stderr := command(t, t.Context(), nil, "index", "--quiet", "--index", idx, "--format", "fingerprints", filepath.Join(dir, "hash64.txt"))
	if status != 0 {
		t.Fatal(stderr)
	}
	for _, row := range truth.Rows {
		_, stdout, stderr := command(t, t.Context(), nil, "pairs", "--quiet", "--index", idx, "--k", fmt.Sprint(row.H))
		exactly := 0
		for line := range strings.Lines(stdout) {
			if strings.Split(line, "\t")[2] == fmt.Sprint(row.H) {
				exactly++
			}
		}
		if n := strings.Count(stdout, "\n"); n != row.AtMost || exactly != row.Exactly || stderr != "" {
			t.Errorf("k = %d: %d pairs, %d of them at %d; want %d and %d; %s", row.H, n, exactly, row.H, row.AtMost, row.Exactly, stderr)
		}
	}
}
