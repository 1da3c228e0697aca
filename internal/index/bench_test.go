package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// benchN is the number of fingerprints in the benchmarks below. For ten million, run with
// SIMSEARCH_BENCH_N=10000000, -bench 'Write|Near|Open' and -benchtime 1x.
func benchN(b *testing.B) int {
	s := os.Getenv("SIMSEARCH_BENCH_N")
	if s == "" {
		return 1_000_000
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func benchValues(n int) []uint64 {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]uint64, n)
	for i := range values {
		values[i] = rng.Uint64()
		if i%10 == 9 {
			values[i] = values[rng.IntN(i)] ^ 1<<rng.IntN(64) ^ 1<<rng.IntN(64)
		}
	}
	return values
}

func BenchmarkWrite(b *testing.B) {
	n := benchN(b)
	values := benchValues(n)
	b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
		for b.Loop() {
			addWith(b, b.TempDir(), analysis.Classic(), WriterOptions{Threads: 2}, fps("doc", values...))
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
	})
}

func BenchmarkNear(b *testing.B) {
	n := benchN(b)
	values := benchValues(n)
	dir := b.TempDir()
	addWith(b, dir, analysis.Classic(), WriterOptions{Threads: 2}, fps("doc", values...))
	ix := mustOpen(b, dir)
	b.Run(fmt.Sprintf("n=%d/search=index", n), func(b *testing.B) {
		i := 0
		for b.Loop() {
			_, _ = matches(ix, Fingerprint(values[i%n]^1<<(i%64)), Within(3))
			i += 7919
		}
	})
	b.Run(fmt.Sprintf("n=%d/search=scan", n), func(b *testing.B) {
		var ms []hamming.Match
		i := 0
		for b.Loop() {
			ms = hamming.Scan(ms[:0], values, values[i%n]^1<<(i%64), 3)
			i += 7919
		}
	})
	b.Run(fmt.Sprintf("n=%d/open", n), func(b *testing.B) {
		for b.Loop() {
			ix, err := Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			if err := ix.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSimilar measures searches by Jaccard similarity over sequences of three words. The texts
// have 200 words, and a tenth of them are near copies.
func BenchmarkSimilar(b *testing.B) {
	n := min(benchN(b), 100_000)
	r := rand.New(rand.NewPCG(7, 8))
	g := testkit.NewWords(4)
	texts := make([]string, n)
	for i := range texts {
		if i%10 == 9 {
			words := strings.Fields(texts[r.IntN(i)])
			for range len(words) / 40 {
				words[r.IntN(len(words))] = "changed"
			}
			texts[i] = strings.Join(words, " ")
			continue
		}
		texts[i] = g.Text(200)
	}
	s := minHash(analysis.MinHash)
	s.Features = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
	s.SetFeatures = s.Features
	dir := b.TempDir()
	b.Run(fmt.Sprintf("n=%d/way=index", n), func(b *testing.B) {
		for b.Loop() {
			addWith(b, b.TempDir(), s, WriterOptions{Threads: 2}, numbered(texts, 0))
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "documents/s")
	})
	addWith(b, dir, s, WriterOptions{Threads: 2}, numbered(texts, 0))
	ix := mustOpen(b, dir)
	for _, threshold := range []float64{0.5, 0.8} {
		b.Run(fmt.Sprintf("n=%d/way=near/jaccard=%v", n, threshold), func(b *testing.B) {
			var scratch analysis.Scratch
			sets := make([][]uint64, 1000)
			for i := range sets {
				sets[i] = slices.Clone(ix.Analysis().Set(&scratch, []byte(texts[i*n/len(sets)])))
			}
			var ms []Match
			for i := 0; b.Loop(); i++ {
				var err error
				if ms, err = matches(ix, Set(sets[i%len(sets)]), Similar(threshold)); err != nil || len(ms) == 0 {
					b.Fatal(ms, err)
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/way=pairs/jaccard=%v", n, threshold), func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = len(similarPairs(b, ix, Similar(threshold), PairOptions{Threads: 2}))
			}
			b.ReportMetric(float64(found), "pairs")
		})
	}
}
