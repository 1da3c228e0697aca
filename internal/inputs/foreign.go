package inputs

import (
	"io"
	"os"
	"path/filepath"
)

// The manifest of an index: its name and its first bytes.
const (
	manifestName  = "MANIFEST"
	manifestBegin = "simsearch index "
)

// isIndex reports whether dir is an index. The files of an index are not documents.
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
