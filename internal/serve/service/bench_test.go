package service

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// BenchmarkCheckAndAdd checks and adds texts of 100 words, durably, of which 30 % are near others: singly by 64
// clients, and in batches of 100 by 8 clients.
func BenchmarkCheckAndAdd(b *testing.B) {
	g := testkit.NewWords(1)
	words := make([]string, 50_000)
	for i := range words {
		words[i] = g.Text(4)
	}
	next := func(n int64) string { // 30 % are the text some thousands before, and a word more
		of := n
		if n%10 < 3 {
			of = max(0, n-5_003)/10*10 + 5
		}
		r := rand.New(rand.NewPCG(uint64(of), 1))
		var text []byte
		for range 25 {
			text = append(append(text, words[r.IntN(len(words))]...), ' ')
		}
		return string(fmt.Append(text, n))
	}
	for _, c := range []struct{ clients, batch int }{{64, 1}, {8, 100}} {
		b.Run(fmt.Sprintf("batch=%d", c.batch), func(b *testing.B) {
			s := open(b, Options{Data: b.TempDir()})
			create(b, s, "c", Settings{})
			var at atomic.Int64
			var added atomic.Int64
			b.ResetTimer()
			var wg sync.WaitGroup
			for range c.clients {
				wg.Go(func() {
					for {
						from := at.Add(int64(c.batch)) - int64(c.batch)
						if from >= int64(b.N) {
							return
						}
						rs := make([]CheckRequest, c.batch)
						for i := range rs {
							n := from + int64(i)
							rs[i] = CheckRequest{Document: doc(fmt.Sprint(n), next(n))}
						}
						answers, err := s.CheckAndAdd(context.Background(), "c", "", rs)
						if err != nil {
							b.Error(err)
							return
						}
						for _, a := range answers {
							if a.New {
								added.Add(1)
							}
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
			b.ReportMetric(float64(added.Load())/float64(b.N), "new")
		})
	}
}

// BenchmarkNear looks up fingerprints within 3 bits among 1,000,000, or 10,000,000 in the long form: singly by 64
// clients, and in batches of 100 by 4 clients; first alone, and then while another client adds batches of 100 without
// a pause. p99 is that of a request.
func BenchmarkNear(b *testing.B) {
	const seed = 7
	dir := b.TempDir()
	n := testkit.Of(1_000_000, 10_000_000)
	fingerprint := func(i int) uint64 { return rand.New(rand.NewPCG(uint64(i), seed)).Uint64() }
	w, err := index.OpenWriter(filepath.Join(dir, "c"), analysis.Classic(), index.WriterOptions{Threads: 2})
	if err != nil {
		b.Fatal(err)
	}
	err = w.Ingest(b.Context(), func(yield func(*document.Document, error) bool) {
		for i := range n {
			if !yield(&document.Document{ID: strconv.AppendInt(nil, int64(i), 10), Fingerprint: fingerprint(i), HasFingerprint: true}, nil) {
				return
			}
		}
	})
	if err == nil {
		_, err = w.Commit(b.Context())
	}
	if err = errors.Join(err, w.Close()); err != nil {
		b.Fatal(err)
	}
	s := open(b, Options{Data: dir})
	for _, c := range []struct {
		clients, batch int
		adding         bool
	}{{64, 1, false}, {4, 100, false}, {1, 1, false}, {1, 1, true}} {
		b.Run(fmt.Sprintf("clients=%d/batch=%d/adding=%v", c.clients, c.batch, c.adding), func(b *testing.B) {
			stop := make(chan struct{})
			var adding sync.WaitGroup
			var added atomic.Int64
			if c.adding {
				adding.Go(func() {
					for i := n; ; i += 100 {
						docs := make([]Document, 100)
						for j := range docs {
							docs[j] = Document{ID: strconv.Itoa(i + j), Content: Content{Fingerprint: fmt.Sprintf("%016x", fingerprint(i+j))}}
						}
						select {
						case <-stop:
							return
						default:
							if _, err := s.Put(context.Background(), "c", docs); err != nil {
								b.Error(err)
								return
							}
							added.Add(100)
						}
					}
				})
			}
			took := make([]time.Duration, b.N/c.batch+c.clients)
			var at atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range c.clients {
				wg.Go(func() {
					rs := make([]NearRequest, c.batch)
					for {
						request := int(at.Add(1)) - 1
						if request*c.batch >= b.N {
							return
						}
						for i := range rs {
							q := fingerprint((request*c.batch+i)*7919%n) ^ 5
							rs[i].Fingerprint = fmt.Sprintf("%016x", q)
						}
						begun := time.Now()
						var total int
						if c.batch == 1 {
							a, err := s.Near(context.Background(), "c", &rs[0])
							if err != nil {
								b.Error(err)
								return
							}
							total = a.Total
						} else {
							answers, err := s.NearAll(context.Background(), "c", rs)
							if err != nil {
								b.Error(err)
								return
							}
							for _, a := range answers {
								total += a.Total
							}
						}
						took[request] = time.Since(begun)
						if total < c.batch {
							b.Errorf("%d matches", total)
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			close(stop)
			adding.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-us")
			if c.adding {
				b.ReportMetric(float64(added.Load())/b.Elapsed().Seconds(), "added/s")
			}
		})
	}
}
