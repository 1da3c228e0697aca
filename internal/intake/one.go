package intake

import (
	"errors"
	"fmt"
	"path/filepath"

	"simsearch/corpus"
)

// ErrFingerprintsAlone is returned for a file of fingerprints where a text is needed.
var ErrFingerprintsAlone = errors.New("compare reads texts: fingerprints alone have no features; near --fingerprint finds their distance")

// One reads a file that is one document, which must be good. It returns the id of the document and its text.
func One(path string, how corpus.Options) (id, text string, err error) {
	if how.Format == corpus.Fingerprints {
		return "", "", ErrFingerprintsAlone
	}
	how.Lenient = false
	r, err := corpus.Open([]string{path}, how)
	if err != nil {
		return "", "", err
	}
	defer r.Close() // opened for reading
	read := false
	for doc, err := range r.Documents() {
		switch {
		case read:
			return "", "", fmt.Errorf("%s holds more than one document; compare takes files of one", filepath.ToSlash(path))
		case err != nil:
			return "", "", err
		case doc.Given():
			return "", "", ErrFingerprintsAlone
		}
		id, text, read = string(doc.ID), string(doc.Text), true
	}
	if !read {
		return "", "", fmt.Errorf("%s holds no document", path)
	}
	return id, text, nil
}
