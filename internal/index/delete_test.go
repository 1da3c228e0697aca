package index

import (
	"errors"
	"path/filepath"
	"testing"
)

// Deleted counts the documents that the index had: not an id that it never had, nor one that was named twice or is
// gone.
func TestDeletedCounts(t *testing.T) {
	t.Parallel()
	w, err := OpenWriter(filepath.Join(t.TempDir(), "idx"), changeSettings(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Ingest(t.Context(), docs("a", "some words", "b", "other words"))
	if _, failed := w.Commit(t.Context()); errors.Join(err, failed) != nil {
		t.Fatal(err, failed)
	}
	for run, want := range []int{1, 0} {
		for _, id := range []string{"a", "a", "never there"} {
			err = errors.Join(err, w.Delete([]byte(id)))
		}
		if r, failed := w.Commit(t.Context()); errors.Join(err, failed) != nil || r.Deleted != want {
			t.Errorf("run %d: %+v, %v, want %d deleted", run, r, errors.Join(err, failed), want)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
