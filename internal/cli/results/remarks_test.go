package results

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// crowded returns an index of n documents that are equal but for their last word, and of two others.
func crowded(t *testing.T, n int) *index.Snapshot {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "idx")
	w, err := index.OpenWriter(dir, analysis.Default(), index.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var documents iter.Seq2[*document.Document, error] = func(yield func(*document.Document, error) bool) {
		for i := range n {
			text := fmt.Sprintf("a form that all of them have filled in, with one more word at its end: number%d", i)
			if !yield(&document.Document{ID: []byte(fmt.Sprint("form", i)), Text: []byte(text)}, nil) {
				return
			}
		}
		for i := range 2 {
			if !yield(&document.Document{ID: []byte(fmt.Sprint("other", i)), Text: []byte("two that are quite other texts, and equal")}, nil) {
				return
			}
		}
	}
	if err := w.Ingest(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

// A crowd is told of if it is large, by pairs and by groups.
func TestRemarksOnCrowds(t *testing.T) {
	for n, want := range map[int]string{
		leastCrowd - 1: "",
		leastCrowd:     "simsearch: 99 documents share one form with form0: copies, or a template\n",
	} {
		ix := crowded(t, n)
		pairs, groups := NewRemarks(ix), NewRemarks(ix)
		err := ix.Pairs(t.Context(), index.Similar(0.8), index.PairOptions{Threads: 1}, func(p index.Pair) error { return pairs.Pair(p.A, p.B) })
		if err != nil {
			t.Fatal(err)
		}
		if err := ix.Groups(t.Context(), index.Similar(0.8), index.PairOptions{Threads: 1}, groups.Group); err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]*Remarks{"pairs": pairs, "groups": groups} {
			var out strings.Builder
			if err := r.Print(&out); err != nil || out.String() != want {
				t.Errorf("%d documents, %s: %q, %v", n, name, out.String(), err)
			}
		}
	}
}
