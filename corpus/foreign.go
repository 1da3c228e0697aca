package corpus

import (
	"io"
	"os"
	"path/filepath"
)

// What the file of an index begins with that names its parts.
const (
	manifestName  = "MANIFEST"
	manifestBegin = "simsearch index "
)

// isIndex reports whether a directory is an index, whose files are no documents.
func isIndex(dir string) bool {
	path := filepath.Join(dir, manifestName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(manifestBegin))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == manifestBegin
}
