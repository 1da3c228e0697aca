package preprocess

import (
	"slices"
	"testing"

	"simsearch/internal/testkit"
)

// The words that AppendKept keeps of all words are the words that the analyser itself makes.
func TestAppendKeptIsAnalyze(t *testing.T) {
	texts := []string{
		"", "...", "the", "to be or not to be", "The quick brown fox isn't here", "don\u2019t stop 3.14 a_b ___",
		"Der schnelle braune Fuchs springt \u00fcber den faulen Hund und l\u00e4uft", "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3068 English",
		"le renard et la poule sont dans le jardin de la ferme",
	}
	for i := range 50 {
		texts = append(texts, testkit.NewWords(uint64(i)).Text(300))
	}
	all, err := New(Options{Language: NoLanguage})
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"none", "en", "de", "fr", "ja", "auto"} {
		a, err := New(Options{Language: language})
		if err != nil {
			t.Fatal(err)
		}
		dropped := 0
		for _, text := range texts {
			var want, doc Document
			a.Analyze(&want, []byte(text))
			all.Analyze(&doc, []byte(text))
			var got, words []string
			for _, n := range a.AppendKept(nil, &doc, []byte(text)) {
				got = append(got, string(doc.Feature(int(n))))
			}
			for i := range want.Len() {
				words = append(words, string(want.Feature(i)))
			}
			dropped += doc.Len() - len(got)
			if !slices.Equal(got, words) {
				t.Errorf("%s: %q: kept %q, want %q", language, text, got, words)
			}
		}
		if language == "en" && dropped == 0 || language == "none" && dropped > 0 {
			t.Errorf("%s: %d words dropped", language, dropped)
		}
	}
}
