package explorer

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/service"
)

func TestDemo(t *testing.T) {
	dir := os.Getenv("DEMO")
	if dir == "" {
		t.Skip()
	}
	var docs []service.Document
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(p)
			rel, _ := filepath.Rel(dir, p)
			docs = append(docs, document(rel, string(data)))
		}
		return nil
	})
	f := newFake("essays", docs...)
	t.Log(http.ListenAndServe("127.0.0.1:8911", New(f, Options{})))
}
