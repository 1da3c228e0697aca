package preprocess

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The bytes that are said to be of a word make that word, if nothing else is read.
func TestPlaces(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{
		"plain words, don't_stop 3.14 __ _x_ ", "Straße, ﬁne Ⅳ ", "“Grüße”—naïve’s ", "cafe\u0301 A\u030a ", "東京都に住む。", "東 京\n", "都\u3000 ", "한국어 문장 ", "ไทยแลนด์ ", "ผู้ใหญ่ ", "国住。住 ", "12,5 €7 ",
		"İstanbul ǅ ", "x\xffy ", "\n\t", "ｆｕｌｌ　ｗｉｄｔｈ ", "עברית״א ", "नमस्ते ", "😀 ok ", "ᏣᎳᎩ ", "٣٫١٤ ", "e\u0301\u0302\u0327 ", "中a文b",
		"so\u00adft\u200bly\u2060 ", "e\u00ad\u0301te\u0301 ", "\ufeff", "\u200f", "שָׁלוֹם ", "\ufb2aלום ", "كِتَابٌ ", "東\u200b京 ", "می\u200cشود ", "\U000e0041a ",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		text := b.String()
		var doc Document
		a.Analyze(&doc, []byte(text))
		places := doc.Places([]byte(text))
		if len(places) != doc.Words() {
			t.Fatalf("%q: %d places of %d words", text, len(places), doc.Words())
		}
		last, end := 0, 0
		for i, p := range places {
			if p[0] < last || p[1] <= p[0] || p[1] > len(text) {
				t.Fatalf("%q: word %d is at %v, behind %d", text, i, p, last)
			}
			if p[1] <= end {
				t.Fatalf("%q: word %d is at %v, and the one before ends at %d", text, i, p, end)
			}
			last, end = p[0], p[1]
			got := strings.Join(strings.Fields(normalised(text[p[0]:p[1]])), "")
			if want := string(doc.Feature(i)); got != want {
				t.Fatalf("%q: word %d is %q, and at its place is %q", text, i, want, got)
			}
		}
	}
}

// What is dropped inside of a word is inside of its place.
func TestPlacesOfWhatIsDropped(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"東\ufe0f京", "so\u00adft", "so\u200bft", "e\u00ad\u0301t", "כלבָ", "كِتَابٌ", "می\u200cشود", "a\U000e0041"} {
		text := "\ufeffbegin \u200b" + word + " end\u2060"
		var doc Document
		a.Analyze(&doc, []byte(text))
		places := doc.Places([]byte(text))
		if n := len(places); n != 3 || text[places[2][0]:places[2][1]] != "end\u2060" || text[places[1][0]:places[1][1]] != word {
			t.Errorf("%+q: the words are at %v", text, places)
		}
	}
}

// placesByIteration is normalisedPlaces without a quick path for ASCII.
func placesByIteration(text []byte) (plain []byte, from [][2]int) {
	var it norm.Iter
	it.Init(norm.NFKC, text)
	for !it.Done() {
		start := it.Pos()
		plain = append(plain, normalised(string(it.Next()))...)
		if string(plain[len(from):]) == string(text[start:it.Pos()]) { // each mark has a place
			for start < it.Pos() {
				_, size := utf8.DecodeRune(text[start:])
				for range size {
					from = append(from, [2]int{start, start + size})
				}
				start += size
			}
		}
		for len(from) < len(plain) {
			from = append(from, [2]int{start, it.Pos()})
		}
	}
	return plain, append(from, [2]int{len(text), len(text)})
}

func TestNormalisedPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "B", " ", "e", "\u0301", "\u0327", "é", "東", "\ufe0f", "か", "\u3099", "한", "ᄒ", "ᅡ", "\xff", "\u2019", "ß", "\n", "ab cd", "ﬁ", "ท", "\u0e48", "\u0e39"}
	for range 5000 {
		var b []byte
		for range random.IntN(12) {
			b = append(b, parts[random.IntN(len(parts))]...)
		}
		plain, from := normalisedPlaces(b)
		wantPlain, wantFrom := placesByIteration(b)
		if string(plain) != string(wantPlain) || !slices.Equal(from, wantFrom) {
			t.Fatalf("%q: %q %v, want %q %v", b, plain, from, wantPlain, wantFrom)
		}
	}
}
