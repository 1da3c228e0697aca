package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/bbalet/stopwords"
	"github.com/spaolacci/murmur3"

	"simsearch/hamming"
	"simsearch/idf"
	"simsearch/internal/textgen"
)

// BenchmarkFingerprint goes from text to fingerprint on one core: English, stop
// words removed, 64 bits.
func BenchmarkFingerprint(b *testing.B) {
	for _, words := range []int{100, 1000, 10000} {
		g := textgen.New(1)
		var texts [][]byte
		total := 0
		for total < 4<<20 {
			texts = append(texts, []byte(g.Text(words)))
			total += len(texts[len(texts)-1])
		}
		for _, weights := range []string{"tf", "log-tf", "tfidf", "set"} {
			b.Run(fmt.Sprintf("words=%d/weights=%s", words, weights), func(b *testing.B) {
				settings := DefaultSettings()
				settings.Weights = weights
				a, err := newAnalysis(settings, nil)
				if err != nil {
					b.Fatal(err)
				}
				var s Scratch
				if weights == "tfidf" {
					var l idf.Learner
					for _, t := range texts {
						a.analyzer.Analyze(&s.Document, t)
						a.sum(&s)
						s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
						l.Add(s.hashes)
					}
					a.rarity = l.Model()
				}
				b.SetBytes(int64(total))
				b.ReportAllocs()
				for b.Loop() {
					for _, t := range texts {
						a.Fingerprint(&s, t)
					}
				}
				b.ReportMetric(float64(len(texts))*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
			})
		}
	}
}

// BenchmarkTextbook is what BenchmarkFingerprint does as one would write it at first:
// words by Unicode's rules, a map of their counts, 64 sums of floating-point numbers.
// way=module is the fingerprint of the stop-word module itself, of another definition.
func BenchmarkTextbook(b *testing.B) {
	g := textgen.New(1)
	var texts []string
	total := 0
	for total < 1<<20 {
		texts = append(texts, g.Text(1000))
		total += len(texts[len(texts)-1])
	}
	stop := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be but by for from had has have he her his i in is it its of on or she that the their they this to was were which with you") {
		stop[w] = true
	}
	textbook := func(text string) uint64 {
		counts := map[string]float64{}
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
			if !stop[w] {
				counts[w]++
			}
		}
		var sums [64]float64
		for w, n := range counts {
			h := murmur3.Sum64([]byte(w))
			for i := range sums {
				if h>>i&1 == 1 {
					sums[i] += n
				} else {
					sums[i] -= n
				}
			}
		}
		var fp uint64
		for i, s := range sums {
			if s >= 0 {
				fp |= 1 << i
			}
		}
		return fp
	}
	for name, fingerprint := range map[string]func(string) uint64{
		"textbook": textbook,
		"module":   func(text string) uint64 { return stopwords.Simhash([]byte(text), "en", false) },
	} {
		b.Run("way="+name, func(b *testing.B) {
			b.SetBytes(int64(total))
			for b.Loop() {
				for _, t := range texts {
					fingerprint(t)
				}
			}
		})
	}
}

// benchN is the number of fingerprints of the benchmarks below; ten million as
//
//	SIMSEARCH_BENCH_N=10000000 go test ./index -run '^$' -bench 'Write|Near|Open' -benchtime 1x
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
			addWith(b, b.TempDir(), DefaultSettings(), WriterOptions{Threads: 2}, fps("doc", values...))
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfp/s")
	})
}

func BenchmarkNear(b *testing.B) {
	n := benchN(b)
	values := benchValues(n)
	dir := b.TempDir()
	addWith(b, dir, DefaultSettings(), WriterOptions{Threads: 2}, fps("doc", values...))
	ix := mustOpen(b, dir)
	b.Run(fmt.Sprintf("n=%d/search=index", n), func(b *testing.B) {
		var ms []Match
		i := 0
		for b.Loop() {
			ms, _ = ix.Near(ms[:0], values[i%n]^1<<(i%64), 3)
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
