package analysis

import (
	"fmt"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/tests/testkit"
)

// BenchmarkFingerprint measures the way from text to fingerprint on one core: English, stop words
// removed, 64 bits.
func BenchmarkFingerprint(b *testing.B) {
	for _, words := range []int{100, 1000, 10000} {
		g := testkit.NewWords(1)
		var texts [][]byte
		total := 0
		for total < 4<<20 {
			texts = append(texts, []byte(g.Text(words)))
			total += len(texts[len(texts)-1])
		}
		for _, weights := range []fingerprint.Weighting{fingerprint.TF, fingerprint.LogTF, fingerprint.TFIDF, fingerprint.Set} {
			b.Run(fmt.Sprintf("words=%d/weights=%v", words, weights), func(b *testing.B) {
				settings := Classic()
				settings.Weights = weights
				a, err := New(settings)
				if err != nil {
					b.Fatal(err)
				}
				var s Scratch
				if weights == fingerprint.TFIDF {
					var l fingerprint.IDFLearner
					for _, t := range texts {
						a.hash(&s, t)
						s.hashes, s.weights = s.counter.Count(s.hashes, s.weights)
						if err := l.Add(s.hashes); err != nil {
							b.Fatal(err)
						}
					}
					model, err := l.IDF(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					a = a.WithIDF(model)
				}
				b.SetBytes(int64(total))
				b.ReportAllocs()
				for b.Loop() {
					for _, t := range texts {
						if _, _, err := a.Fingerprint(&s, t); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(len(texts))*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
			})
		}
	}
}
