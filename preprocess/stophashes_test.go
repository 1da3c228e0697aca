package preprocess

import (
	"slices"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// The hashes that Drop leaves of all words are those of the words that the analyser of the language makes.
func TestDropIsAnalyze(t *testing.T) {
	texts := []string{
		"", "...", "the", "to be or not to be", "The quick brown fox isn't here", "don\u2019t stop 3.14 a_b ___",
		"Der schnelle braune Fuchs springt \u00fcber den faulen Hund und l\u00e4uft", "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3068 English",
		"le renard et la poule sont dans le jardin de la ferme",
	}
	for _, of := range texts[len(texts)-4:] { // longer than what the language is detected by, with white space to part it and without
		texts = append(texts, strings.Repeat(of+"; ", 200)+"the end of it", strings.Repeat(strings.ReplaceAll(of, " ", "-"), 200))
	}
	for i := range 50 {
		texts = append(texts, testkit.NewWords(uint64(i)).Text(300))
	}
	all := newAnalyzer(t, "words", NoLanguage)
	for _, language := range append(Languages(), "none", "nb", "auto") {
		a := newAnalyzer(t, "words", language)
		stop, err := NewStopHashes(language, sumSimply)
		if err != nil {
			t.Fatal(err)
		}
		dropped := 0
		var want, doc Document // the last text matters for speed alone
		for _, text := range texts {
			a.Analyze(&want, []byte(text))
			all.Analyze(&doc, []byte(text))
			words, spans := doc.WordSpans()
			hashes := sumSimply(nil, words, spans)
			got := stop.Drop(&doc, []byte(text), slices.Clone(hashes))
			dropped += len(hashes) - len(got)
			kept, keptSpans := want.WordSpans()
			if !slices.Equal(got, sumSimply(nil, kept, keptSpans)) {
				t.Errorf("%s: %.100q of %d bytes: %d words kept of %d, want %d", language, text, len(text), len(got), len(hashes), want.Len())
			}
		}
		if slices.Contains([]string{"en", "de", "fr", "auto"}, language) && dropped == 0 || language == "none" && dropped > 0 {
			t.Errorf("%s: %d words dropped", language, dropped)
		}
	}
	if _, err := NewStopHashes("xx", sumSimply); err == nil {
		t.Error("an unknown language is none")
	}
}
