package index

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/textgen"
)

// BenchmarkLive adds documents to an index on the disk, with its syncs: batches of 1,000 fingerprints or texts as one
// call, and single fingerprints.
func BenchmarkLive(b *testing.B) {
	var id [16]byte
	next := uint64(0)
	rng := rand.New(rand.NewPCG(1, 1))
	g := textgen.New(1)
	texts := make([][]byte, 1000)
	for i := range texts {
		texts[i] = []byte(g.Text(200))
	}
	documents := func(n int, text bool) iter.Seq2[*document.Document, error] {
		return func(yield func(*document.Document, error) bool) {
			for i := range n {
				next++
				d := document.Document{ID: fmt.Appendf(id[:0], "id%d", next)}
				if text {
					d.Text = fmt.Appendf(nil, "%s number%d", texts[i%len(texts)], next)
				} else {
					d.Fingerprint, d.HasFingerprint = rng.Uint64(), true
				}
				if !yield(&d, nil) {
					return
				}
			}
		}
	}
	for _, c := range []struct {
		name  string
		batch int
		texts bool
		s     analysis.Settings
	}{
		{"what=fingerprints/batch=1000", 1000, false, analysis.Classic()},
		{"what=texts/batch=1000", 1000, true, analysis.Default()},
		{"what=fingerprints/batch=1", 1, false, analysis.Classic()},
	} {
		b.Run(c.name, func(b *testing.B) {
			l, err := openLive(disk.OS, filepath.Join(b.TempDir(), "idx"), c.s, LiveOptions{WriterOptions: WriterOptions{Threads: 2}})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := l.Add(context.Background(), documents(c.batch, c.texts)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*c.batch)/b.Elapsed().Seconds(), "documents/s")
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
