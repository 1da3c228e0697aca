package corpus

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// Standard input without a byte has no document in any format that a pipe may have. A file without a byte has one if
// files of its format are documents.
func TestEmptyStandardInput(t *testing.T) {
	read := func(name string, o Options) (n int, err error) {
		t.Helper()
		r, err := Open([]string{name}, o)
		if err != nil {
			return 0, err
		}
		for _, one := range r.Documents() {
			if err = errors.Join(err, one); one == nil {
				n++
			}
		}
		return n, errors.Join(err, r.Close())
	}
	for _, format := range []Format{Auto, Text, Lines, JSON, JSONL, CSV, TSV, WARC, Mail, HTML, Fingerprints, Sets} {
		o := Options{Format: format, Stdin: strings.NewReader(""), StdinFirst: 3}
		if n, err := read("-", o); n != 0 || err != nil {
			t.Errorf("%s: %d documents, %v", format, n, err)
		}
	}
	empty := filepath.Join(t.TempDir(), "-")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if n, err := read(empty, Options{}); n != 1 || err != nil {
		t.Errorf("an empty file: %d documents, %v", n, err)
	}
	broken := errors.New("broken")
	if n, err := read("-", Options{Stdin: io.MultiReader(iotest.ErrReader(broken))}); n != 0 || !errors.Is(err, broken) {
		t.Errorf("an input that breaks: %d documents, %v", n, err)
	}
}
