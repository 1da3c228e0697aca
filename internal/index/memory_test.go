package index

import (
	"fmt"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
)

// Commit is due when Pending says so, whatever the documents are, and leaves nothing pending. Segments are merged
// only if the memory is enough for that, by Compact, too.
func TestWriterMemory(t *testing.T) {
	for _, mode := range []analysis.Mode{analysis.Both, analysis.SimHash} {
		settings := analysis.Default()
		if mode == analysis.SimHash {
			settings = analysis.Settings{Mode: mode, Analyzer: settings.Analyzer, Features: settings.Features, Hash: settings.Hash, Weights: settings.Weights, Bits: 64, Language: settings.Language}
		}
		settings = settings.Canonical()
		a, err := analysis.New(settings)
		if err != nil {
			t.Fatal(err)
		}
		count := func(memory int64) (segments int) {
			dir := t.TempDir()
			w, err := OpenWriter(dir, settings, WriterOptions{Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			most := memory / 2
			for i := range 3000 {
				r, err := a.Analyse(&document.Document{ID: fmt.Append(nil, "document ", i), Text: fmt.Appendf(nil, "the %dth of many texts of %d words", i, i*i)})
				if err != nil {
					t.Fatal(err)
				}
				before := w.Pending()
				if err := w.Add(&r); err != nil {
					t.Fatal(err)
				}
				if n := w.Pending() - before; n < 100 || n > 1<<16 { // one of many features counts for those that are like it
					t.Fatalf("mode %v: a document takes %d bytes", mode, n)
				}
				if w.Pending() < most {
					continue
				}
				if _, err := w.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				if w.Pending() != 0 {
					t.Fatal("something is pending after a commit")
				}
			}
			if _, err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			segments = len(w.dir.Manifest.Segments)
			ix, err := w.Open()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range ix.segments {
				if n := s.BuildMemory(); n > 2*most {
					t.Errorf("mode %v: a segment of %d documents takes %d bytes of %d", mode, s.Documents(), n, memory)
				}
			}
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return segments
		}
		if n := count(1 << 30); n != 1 {
			t.Errorf("mode %v: %d segments after Compact", mode, n)
		}
		if n := count(400 << 10); n < 2 || n > 20 {
			t.Errorf("mode %v: %d segments in little memory", mode, n)
		}
	}
}
