package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/tests/testkit"
)

// BenchmarkLive adds documents to an index on the disk, with its syncs: batches of 1,000 fingerprints or texts as one
// call, and single fingerprints.
func BenchmarkLive(b *testing.B) {
	var id [16]byte
	next := uint64(0)
	rng := rand.New(rand.NewPCG(1, 1))
	g := testkit.NewWords(1)
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
			l, err := OpenLiveOn(disk.OS, filepath.Join(b.TempDir(), "idx"), c.s, WriterOptions{Threads: 2})
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

// BenchmarkNearWhileWriting searches a million fingerprints within 3 bits, alone and while another goroutine adds
// batches of 1,000 without a pause. A search takes a new Snapshot every 1,000 queries. p99 is that of single searches.
func BenchmarkNearWhileWriting(b *testing.B) {
	const n = 1_000_000
	dir := filepath.Join(b.TempDir(), "idx")
	next := 0
	rng := rand.New(rand.NewPCG(1, 1))
	fingerprints := func(count int) iter.Seq2[*document.Document, error] {
		return func(yield func(*document.Document, error) bool) {
			for range count {
				next++
				if !yield(&document.Document{ID: fmt.Appendf(nil, "id%d", next), Fingerprint: rng.Uint64(), HasFingerprint: true}, nil) {
					return
				}
			}
		}
	}
	w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{Threads: 2})
	if err == nil {
		err = w.Ingest(b.Context(), fingerprints(n))
	}
	if err == nil {
		_, err = w.Commit(b.Context())
	}
	if err = errors.Join(err, w.Close()); err != nil {
		b.Fatal(err)
	}
	for _, writing := range []bool{false, true} {
		b.Run(fmt.Sprintf("writing=%v", writing), func(b *testing.B) {
			l, err := OpenLive(dir, analysis.Classic(), WriterOptions{})
			if err != nil {
				b.Fatal(err)
			}
			stop, stopped := make(chan struct{}), make(chan error, 1)
			go func() {
				var err error
				for writing && err == nil {
					select {
					case <-stop:
						stopped <- nil
						return
					default:
						_, err = l.Add(context.Background(), fingerprints(1000))
					}
				}
				stopped <- err
			}()
			times := make([]float64, 0, b.N)
			queries := rand.New(rand.NewPCG(7, 7))
			var ix *Snapshot
			for i := range b.N {
				if i%1000 == 0 {
					if ix != nil {
						_ = ix.Close() // it was read only
					}
					if ix, err = l.Snapshot(); err != nil {
						b.Fatal(err)
					}
				}
				begin := time.Now()
				if _, err := ix.Near(context.Background(), Fingerprint(queries.Uint64()), Options{Predicate: Within(3)}); err != nil {
					b.Fatal(err)
				}
				times = append(times, float64(time.Since(begin).Nanoseconds()))
			}
			b.StopTimer()
			slices.Sort(times)
			b.ReportMetric(float64(len(ix.parts)), "segments")
			b.ReportMetric(times[len(times)/2], "p50-ns")
			b.ReportMetric(times[len(times)*99/100], "p99-ns")
			close(stop)
			if err := errors.Join(<-stopped, ix.Close(), l.Close()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkOpenAfterCrash opens an index whose log has half a million fingerprints, beside a segment of a million.
func BenchmarkOpenAfterCrash(b *testing.B) {
	const stored, logged = 1_000_000, 1 << 19
	next := 0
	rng := rand.New(rand.NewPCG(1, 1))
	fingerprints := func(count int) iter.Seq2[*document.Document, error] {
		return func(yield func(*document.Document, error) bool) {
			for range count {
				next++
				if !yield(&document.Document{ID: fmt.Appendf(nil, "id%d", next), Fingerprint: rng.Uint64(), HasFingerprint: true}, nil) {
					return
				}
			}
		}
	}
	fsys := disk.NewMemory()
	w, err := openWriter(fsys, "index", analysis.Classic(), WriterOptions{Threads: 2})
	if err == nil {
		err = w.Ingest(b.Context(), fingerprints(stored))
	}
	if err == nil {
		_, err = w.Commit(b.Context())
	}
	if err = errors.Join(err, w.Close()); err != nil {
		b.Fatal(err)
	}
	l, err := OpenLiveOn(fsys, "index", analysis.Classic(), WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for range logged/1000 - 1 {
		if _, err := l.Add(b.Context(), fingerprints(1000)); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l, err := OpenLiveOn(fsys, "index", analysis.Classic(), WriterOptions{})
		if err == nil {
			err = l.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/logged, "ns/document")
}
