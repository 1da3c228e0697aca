package service

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"simsearch/internal/testkit"
)

// BenchmarkCheckAndAdd checks and adds texts of 100 words, durably, of which 30 % are near others: singly by 64 clients, and in batches of
// 100 by 8 clients.
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
