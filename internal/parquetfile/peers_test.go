package parquetfile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"simsearch/internal/testkit"
)

// peer returns the Python that has the libraries of other programs that read Parquet.
func peer(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		testkit.Skip(t, "pyarrow", "python3 is not installed")
	}
	if out, err := exec.Command(python, "-c", "import pyarrow, duckdb").CombinedOutput(); err != nil {
		testkit.Skip(t, "pyarrow", fmt.Sprintf("Python has no pyarrow and duckdb: %.200s", out))
	}
	return python
}

// What is rewritten is what other programs have read before, whoever has written it.
func TestRewrittenForPeers(t *testing.T) {
	python := peer(t)
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	for _, options := range kinds() {
		paths = append(paths, save(t, write(t, makeRows(300), 110, options...)))
	}
	added := []NewColumn{{Name: "cluster", Kind: Int}, {Name: "near", Kind: Float}, {Name: "kept", Kind: Bool}, {Name: "by", Kind: String}}
	for i, path := range paths {
		remainder := 2 + i%3
		keep := func(i int) bool { return i%remainder != 0 }
		for _, columns := range [][]NewColumn{nil, added} {
			data := rewrite(t, path, columns, keep, func(_ *File, i int) Edit {
				return Edit{Values: []any{int64(i), nil, i%2 == 0, "x"}}
			})
			rewritten := filepath.Join(t.TempDir(), "b.parquet")
			if err := os.WriteFile(rewritten, data, 0o666); err != nil {
				t.Fatal(err)
			}
			args := []string{"testdata/equal.py", path, rewritten, fmt.Sprint(remainder)}
			for _, c := range columns {
				args = append(args, c.Name)
			}
			if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
				t.Errorf("%s, %d new columns: %v\n%s", path, len(columns), err, out)
			}
		}
	}
}
