package analysis

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/tests/testkit"
)

// BenchmarkReal measures the way from real news and reviews to features: to words, to hashes, to a fingerprint, and
// to a sorted set.
func BenchmarkReal(b *testing.B) {
	dir := testkit.Dev(b, "reuters21578", "aclimdb")
	for _, collection := range []string{"reuters21578", "aclimdb"} {
		texts, total := readTexts(b, filepath.Join(dir, collection, "docs.jsonl"))
		for _, row := range []struct{ features, weights, language string }{
			{"words", "tf", "en"}, {"word:3", "set", "en"}, {"word:3", "set", "none"}, {"char:5", "set", "en"}, {"char:5", "set", "none"},
		} {
			s := Classic()
			s.Language = row.language
			if err := s.Features.UnmarshalText([]byte(row.features)); err != nil {
				b.Fatal(err)
			}
			if err := s.Weights.UnmarshalText([]byte(row.weights)); err != nil {
				b.Fatal(err)
			}
			a, err := New(s)
			if err != nil {
				b.Fatal(err)
			}
			var scratch Scratch
			for _, to := range []struct {
				name string
				do   func(text []byte)
			}{
				{"words", func(text []byte) { a.Features(&scratch, text) }},
				{"hashes", func(text []byte) { a.hash(&scratch, text) }},
				{"fingerprint", func(text []byte) {
					if _, _, err := a.Fingerprint(&scratch, text); err != nil {
						b.Fatal(err)
					}
				}},
				{"set", func(text []byte) { a.Set(&scratch, text) }},
			} {
				b.Run("texts="+collection+"/features="+row.features+"/lang="+row.language+"/to="+to.name, func(b *testing.B) {
					b.SetBytes(int64(total))
					for b.Loop() {
						for _, text := range texts {
							to.do(text)
						}
					}
				})
			}
		}
	}
}

func readTexts(b *testing.B, path string) (texts [][]byte, total int) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var document struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &document); err != nil {
			b.Fatal(err)
		}
		texts, total = append(texts, []byte(document.Text)), total+len(document.Text)
	}
	if err := lines.Err(); err != nil {
		b.Fatal(err)
	}
	return texts, total
}
