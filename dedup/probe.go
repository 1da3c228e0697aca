package dedup

import (
	"fmt"
	"path"
	"strings"

	"simsearch/corpus"
)

// mostProbes is how many files are looked at before all are read.
const mostProbes = 100

// probe looks at the first document of a file of each kind of name, so that a file without fields is found before the others have been
// read for long. What else is wrong is told when the files are read.
func (k *keys) probe(files []corpus.File, o corpus.Options) error {
	if k == nil {
		return nil
	}
	o.Decided, o.Raw, o.FilesFrom = nil, false, nil
	seen := map[string]bool{}
	for _, f := range files {
		kind := kindOf(f.Path)
		if f.Once || seen[kind] || len(seen) == mostProbes {
			continue
		}
		seen[kind] = true
		r, err := corpus.OpenFile(f, o)
		if err != nil {
			continue
		}
		for _, err = range r.Documents() {
			break
		}
		format := r.Format()
		if closeErr := r.Close(); err == nil && closeErr == nil {
			if err := checkFields(f.Path, format); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFields returns an error if documents of a format have no fields. A file without documents has no format.
func checkFields(path string, format corpus.Format) error {
	if format.HasFields() {
		return nil
	}
	return fmt.Errorf("%w: %s is read as %s", corpus.ErrFields, path, format)
}

// kindOf returns the extensions of a name without digits, which number files.
func kindOf(name string) string {
	_, ext, _ := strings.Cut(path.Base(name), ".")
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, strings.ToLower(ext))
}
