package preprocess

import (
	"bytes"
	"testing"

	"simsearch/internal/tests/testkit"
)

func BenchmarkAnalyze(b *testing.B) {
	english := []byte(testkit.NewWords(1).Text(200_000))
	for _, text := range []struct {
		name string
		data []byte
	}{
		{"english", english},
		{"mixed", bytes.Repeat([]byte(mixedText), 2000)},
	} {
		for _, spec := range []string{"words", "word:3"} {
			b.Run("text="+text.name+"/features="+spec, func(b *testing.B) {
				a := newAnalyzer(b, spec, "en")
				var doc Document
				b.SetBytes(int64(len(text.data)))
				b.ReportAllocs()
				for b.Loop() {
					for rest := text.data; len(rest) > 0; { // documents of 8 KiB
						n := min(len(rest), 8<<10)
						a.Analyze(&doc, rest[:n])
						rest = rest[n:]
					}
				}
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{Language: "en"}); err != nil {
			b.Fatal(err)
		}
	}
}
