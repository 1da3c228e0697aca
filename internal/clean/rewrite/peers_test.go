package rewrite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/tests/testkit"
)

// Parquet and Arrow are read and written as pyarrow, Polars and DuckDB read them: in each compression, for each
// ratio, in each version of pages, with dictionaries or not, and in all types.
func TestPeers(t *testing.T) {
	testkit.Long(t, "Python writes and reads hundreds of files")
	python, err := exec.LookPath("python3")
	if err != nil {
		testkit.Skip(t, "pyarrow", "python3 is not installed")
	}
	if out, err := exec.Command(python, "-c", "import pyarrow, duckdb, polars").CombinedOutput(); err != nil {
		testkit.Skip(t, "pyarrow", fmt.Sprintf("Python has no pyarrow, duckdb and polars: %.200s", out))
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, "testdata/peers.py", "make", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	fixtures, err2 := filepath.Glob("../../files/columns/testdata/*/*.[ap]*[stw]")
	if err := errors.Join(err, err2); err != nil || len(paths) < 180 || len(fixtures) < 13 {
		t.Fatal(len(paths), fixtures, err)
	}
	for _, fixture := range fixtures {
		data, err := os.ReadFile(fixture)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.Base(fixture))
		put(t, path, data)
		paths = append(paths, path)
	}
	var read [][]any
	for i, path := range paths {
		read = append(read, rewriteForPeers(t, dir, path, i%3, i%2 == 0), rewriteForPeers(t, dir, path, (i+1)%3, i%2 == 1))
	}
	data, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "read.json"), data)
	if out, err := exec.Command(python, "testdata/peers.py", "check", dir).CombinedOutput(); err != nil {
		t.Errorf("%v: %.5000s", err, out)
	}
}

// rewriteForPeers writes a file in a directory again, without those texts the number of whose row leaves the
// remainder n when it is divided by 3, and returns what peers.py checks.
func rewriteForPeers(t *testing.T, dir, path string, n int, widen bool) []any {
	t.Helper()
	o := Options{}
	added := []string{}
	if widen {
		o.Fields = []columns.NewColumn{{Name: "cluster", Kind: columns.Int}, {Name: "near", Kind: columns.Float}, {Name: "kept", Kind: columns.Bool}, {Name: "by", Kind: columns.String}}
		added = []string{"cluster", "near", "kept", "by"}
	}
	numbers, texts := []int{}, []string{}
	out := filepath.Join(dir, "rewritten", fmt.Sprint(n), filepath.Base(path))
	result, err := File(found(t, path), out, o, func(doc *document.Document) (Decision, error) {
		row := doc.Line - 1
		numbers, texts = append(numbers, row), append(texts, string(doc.Text))
		d := Decision{Drop: row%3 == n}
		if widen {
			d.Values = []any{int64(row), nil, row%2 == 0, "x"}
		}
		return d, nil
	})
	if err != nil || result.Damage != nil {
		t.Errorf("%s: %v, %v", filepath.Base(path), err, result.Damage)
	}
	var turns []string
	if strings.Contains(filepath.Base(path), "-") { // peers.py has made it
		turns, _ = read(t, path, corpus.Options{TextField: "turns[].content"})
	}
	return []any{filepath.Base(path), n, numbers, texts, added, turns}
}
