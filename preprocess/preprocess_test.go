package preprocess

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"simsearch/internal/tests/testkit"
)

func newAnalyzer(t testing.TB, features, language string) *Analyzer {
	t.Helper()
	spec, err := ParseFeatureSpec(features)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{Features: spec, Language: language})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func features(a *Analyzer, text string) []string {
	var doc Document
	a.Analyze(&doc, []byte(text))
	return collect(&doc)
}

func collect(doc *Document) []string {
	var out []string
	for i := range doc.Len() {
		out = append(out, string(doc.Feature(i)))
	}
	return out
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name, language, text, want string
	}{
		{"plain", "none", "The quick, brown fox!", "the|quick|brown|fox"},
		{"stop words", "en", "The quick brown fox jumps over the lazy dog.", "quick|brown|fox|jumps|lazy|dog"},
		{"nothing left", "en", "the and of, to the", ""},
		{"no words", "none", " --- ... \t\n", ""},
		{"empty", "none", "", ""},
		{"digits kept", "en", "In 1984, 3.14 and 1,000 and a3b", "1984|3.14|1,000|a3b"},
		{"inner punctuation", "none", "don't e.g. U.S.A. foo_bar __ x:y 8:8", "don't|e.g|u.s.a|foo_bar|x:y|8|8"},
		{"typographic apostrophe", "none", "don\u2019t \u2019tis", "don't|tis"},
		{"case folding", "none", "STRASSE Straße ΑΣΣ ΑΣ", "strasse|strasse|ασσ|ασ"},
		{"NFKC", "none", "ﬁne ｆｕｌｌ e\u0301te\u0301 ½", "fine|full|ete|1⁄2"},
		{"composed and not", "none", "\u00e9 e\u0301", "e|e"},
		{"Han", "none", "近似重複", "近似|似重|重複"},
		{"one Han character", "none", "a 字 b", "a|字|b"},
		{"blanks in Han", "none", "近似\u3000重\n 複 a 近 似", "近似|似重|重複|a|近似"},
		{"blanks in Han that are no words", "none", " 近 。 似 ", "近|似"},
		{"Kana and digits", "none", "データ3件", "デー|ータ|3|件"},
		{"half-width Kana", "none", "ﾃﾞｰﾀ", "デー|ータ"},
		{"Thai", "none", "ไทย 12", "ไท|ทย|12"},
		{"variation selector", "none", "葛\ufe00城", "葛城"},
		{"Arabic vowel marks are dropped", "none", "كِتَابٌ، كـتـاب \ufc5ea", "كتاب|كـتـاب|a"},
		{"Arabic letters with marks are letters", "none", "أ ا\u0654 ا\u064e\u0654 آ ئ", "أ|أ|أ|آ|ئ"},
		{"Hebrew marks and abbreviations", "none", "שָׁלוֹם \ufb2aלום צה\"ל צה״ל ג'ירפה \"שלום\"", "שלום|שלום|צה\"ל|צה״ל|ג'ירפה|שלום"},
		{"accents go", "none", "Café Cafe Ά й ế e\u0302\u0301 İki ノド が ü̲", "cafe|cafe|α|и|e|e|iki|ノド|ドが|u"},
		{"soft hyphens and joiners", "none", "in\u00adter\u200bna\u2060tio\ufeffnal می\u200cشود ด\u200bน", "international|میشود|ดน"},
		{"marks of direction", "none", "\u200fa\u200e \u202bb\u202c 1\u2066,2\u2069", "a|b|1,2"},
		{"what nobody sees is no word", "none", "\u00ad \u200b\u200d \ufeff\u034f", ""},
		{"a mark behind a soft hyphen", "none", "e\u00ad\u0301t", "et"},
		{"a joiner brings no pictograph into a word", "none", "a\u200d❤b", "a|b"},
		{"Hangul keeps words", "none", "안녕 세계", "안녕|세계"},
		{"Cyrillic and Latin", "none", "Привет world ещё", "привет|world|еще"},
		{"German stop words", "de", "Der Fuchs und die Gans", "fuchs|gans"},
		{"Russian stop words", "ru", "это не последний поезд", "последнии|поезд"},
		{"invalid UTF-8 parts words", "none", "ab\xffcd \xf0\x28 e", "ab|cd|e"},
		{"emoji dropped", "none", "so 😀 glad", "so|glad"},
		{"mark after a space", "none", "a \u0301b", "a|b"},
	} {
		got := strings.Join(features(newAnalyzer(t, "words", tt.language), tt.text), "|")
		if got != tt.want {
			t.Errorf("%s: %q gives\n got %s\nwant %s", tt.name, tt.text, got, tt.want)
		}
	}
}

// The examples of the course notes and of MMDS chapter 3.
func TestGoldenShingles(t *testing.T) {
	chars := features(newAnalyzer(t, "char:2", "none"), "abcdabd")
	slices.Sort(chars)
	if got := strings.Join(slices.Compact(chars), " "); got != "ab bc bd cd da" {
		t.Errorf("2-shingles of abcdabd: %s", got)
	}
	words := features(newAnalyzer(t, "word:5", "none"), "The quick brown fox jumps over the lazy dog")
	want := []string{
		"the quick brown fox jumps", "quick brown fox jumps over", "brown fox jumps over the",
		"fox jumps over the lazy", "jumps over the lazy dog",
	}
	if !slices.Equal(words, want) {
		t.Errorf("5-word shingles: %q", words)
	}
	// The notes write a space as a low line, and keep capitals and the full stop, which we do not.
	chars = features(newAnalyzer(t, "char:5", "none"), "The earth is moving.")
	wantChars := []string{"the e", "he ea", "e ear", " eart"}
	if len(chars) < 4 || !slices.Equal(chars[:4], wantChars) {
		t.Errorf("5-shingles begin %q, want %q", chars, wantChars)
	}
}

// The features of texts shorter than an n-gram, for every length from 0 to n+1.
func TestShortTexts(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for m := 0; m <= n+1; m++ {
			words := strings.Fields("w1 w2 w3 w4 w5")[:m]
			got := features(newAnalyzer(t, fmt.Sprintf("word:%d", n), "none"), strings.Join(words, " "))
			want := max(m-n+1, min(m, 1))
			if len(got) != want || (m > 0 && m <= n && got[0] != strings.Join(words, " ")) {
				t.Errorf("word:%d of %d words: %q", n, m, got)
			}
			text := "æbcde"[:min(6, m+min(m, 1))] // m characters, of which the first has two bytes
			got = features(newAnalyzer(t, fmt.Sprintf("char:%d", n), "none"), text)
			if len(got) != want || (m > 0 && m <= n && got[0] != text) {
				t.Errorf("char:%d of %d characters: %q", n, m, got)
			}
		}
	}
}

func TestFeatureSpec(t *testing.T) {
	for _, s := range []string{"words", "word:1", "word:3", "char:64", "code:8", "items"} {
		if f, err := ParseFeatureSpec(s); err != nil || f.String() != s {
			t.Errorf("%q gives %v, %v", s, f, err)
		}
	}
	for _, s := range []string{"", "word", "word:", "word:0", "word:65", "char:-1", "line:3", "words:2", "word:2:3", "char:5:", "char:5:rare", "code", "code:0"} {
		if f, err := ParseFeatureSpec(s); err == nil || !strings.Contains(err.Error(), "word:N") {
			t.Errorf("%q gives %v, %v; want an error that names the forms", s, f, err)
		}
	}
	if _, err := New(Options{Features: FeatureSpec{Kind: WordN}}); err == nil {
		t.Error("word n-grams of length 0 accepted")
	}
}

func TestDocumentIsReused(t *testing.T) {
	a := newAnalyzer(t, "word:2", "en")
	var doc Document
	for _, text := range []string{"one two three", "", "naïve 近似 text", "the", "plain again"} {
		a.Analyze(&doc, []byte(text))
		if got, want := collect(&doc), features(a, text); !slices.Equal(got, want) {
			t.Errorf("%q after others: %q, alone %q", text, got, want)
		}
	}
}

const mixedText = `Near-duplicate search: the 3 documents weren't identical, but Jürgen's façade
was “nearly” so — Привет, мир! 近似重複検索は速い。 ไทย, 12,5 % and naïve cafés; e.g. foo_bar:baz. `

func TestAnalyzeDoesNotAllocate(t *testing.T) {
	for _, spec := range []string{"words", "word:3", "char:5"} {
		a := newAnalyzer(t, spec, "en")
		var doc Document
		text := []byte(strings.Repeat(mixedText, 20))
		a.Analyze(&doc, text)
		if n := testing.AllocsPerRun(20, func() { a.Analyze(&doc, text) }); n != 0 {
			t.Errorf("%s: Analyze allocates %v times a document", spec, n)
		}
	}
}

// referenceChecker compares Analyze with Reference, text by text.
func referenceChecker(t *testing.T) func(text string) {
	t.Helper()
	var analyzers []*Analyzer
	for _, spec := range []string{"words", "word:2", "char:3", "items"} {
		for _, language := range []string{"none", "en", "ja", "auto"} {
			analyzers = append(analyzers, newAnalyzer(t, spec, language))
		}
	}
	var doc Document
	return func(text string) {
		t.Helper()
		for _, a := range analyzers {
			a.Analyze(&doc, []byte(text))
			if got, want := collect(&doc), a.Reference([]byte(text)); !slices.Equal(got, want) {
				t.Fatalf("%v, %q:\n got %q\nwant %q", a.features, text, got, want)
			}
		}
	}
}

// All strings of at most five characters, one character for each class that the rules distinguish.
func TestASCIIPathExhaustively(t *testing.T) {
	a := newAnalyzer(t, "words", "none")
	var fast, general Document
	alphabet := []byte("aB1_:;.' -")
	buf := make([]byte, 0, 6)
	var walk func(left int)
	walk = func(left int) {
		a.Analyze(&fast, buf)
		general.reset(len(buf))
		a.segmentUnicode(&general, buf)
		if got, want := collect(&fast), collect(&general); !slices.Equal(got, want) {
			t.Fatalf("%q: fast path %q, general path %q", buf, got, want)
		}
		if left == 0 {
			return
		}
		for _, c := range alphabet {
			buf = append(buf, c)
			walk(left - 1)
			buf = buf[:len(buf)-1]
		}
	}
	depth := testkit.Of(4, 5)
	walk(depth)
}

func TestEqualsReference(t *testing.T) {
	t.Parallel()
	check := referenceChecker(t)
	check(mixedText)
	// Every boundary between the paths: a rare character at each place of a plain text.
	plain := strings.Repeat("some words, it's 3.14 of a_b ", 6)
	for _, c := range []string{"é", "e\u0301", "\u0301", "近", "\u2019", "\xff", "ß", "😀", "\u200d", "\u00ad", "\u064e", "ก", "\ufe0f"} {
		for i := range len(plain) {
			check(plain[:i] + c + plain[i:])
		}
	}
	// A joiner is dropped, and brings no pictograph into a word.
	for _, word := range []string{"a", "1", "é", "ก", "近"} {
		for _, picture := range []string{"\u2764", "😀"} {
			for _, behind := range []string{"\u200d", "\ufe00", "\ufe0fb", "\u0301"} {
				check(word + "\u200d" + picture + behind)
				check("。" + word + "\u200d" + picture + behind + " c")
			}
		}
	}
}

// Texts of about the length of a chunk of ASCII, with words across its end and words longer than it.
func TestLongTextsEqualReference(t *testing.T) {
	check := referenceChecker(t)
	long := strings.Repeat("word's 3.14 __ a_b The ", chunk/8)
	for _, n := range []int{chunk - 1, chunk, chunk + 1, chunk + 70, 2*chunk + 5} {
		check(long[:n])
		check(strings.Repeat("x", n) + " end")
		check(strings.Repeat("x", n-7) + " end it " + long[:n])
	}
}

// Every character up to U+FFFF and some above, next to letters, digits, marks and itself.
func TestEveryCharacterEqualsReference(t *testing.T) {
	t.Parallel()
	a := newAnalyzer(t, "words", "none")
	var doc Document
	check := func(text string) {
		t.Helper()
		a.Analyze(&doc, []byte(text))
		if got, want := collect(&doc), a.Reference([]byte(text)); !slices.Equal(got, want) {
			t.Fatalf("%+q:\n got %q\nwant %q", text, got, want)
		}
	}
	step := testkit.Of(13, rune(1))
	for r := rune(0x80); r < 0x1ffff; r += step {
		s := string(r)
		check("a" + s + "b 1" + s + "2 é" + s + " " + s + "'c " + s + s + "x:" + s + "а_" + s + "1,2" + s + "近" + s + "ש" + s + "\"ש")
	}
}

func FuzzEqualsReference(f *testing.F) {
	for _, s := range []string{"", mixedText, "a\u0301 \u0301b", "カ_a ー", "1\u0660.2", "\xf0\x9f", "ﷺ", "\u1e9e\u0345\u0390", "葛\ufe00\u200d城\ufe00 x", "שלום'ש ש\"ש ש'", "क\u0902ा' x_\u0301'y", "한국어1,2 ½…ﬁ", "葛\xb8\xbf\x86\u200d\x80", "\xed\x9c5\xff\x7f ½\xe2\x9c5552C½½…ﬂ"} {
		f.Add([]byte(s))
	}
	words, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	grams, err := New(Options{Features: FeatureSpec{Kind: CharN, N: 3}, Language: "en"})
	if err != nil {
		f.Fatal(err)
	}
	auto, err := New(Options{Features: FeatureSpec{Kind: WordN, N: 2}, Language: AutoLanguage})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var doc Document
		for _, a := range []*Analyzer{words, grams, auto} {
			a.Analyze(&doc, text)
			if got, want := collect(&doc), a.Reference(text); !slices.Equal(got, want) {
				t.Fatalf("%q:\n got %q\nwant %q", text, got, want)
			}
			for i := range doc.Len() {
				if !utf8.Valid(doc.Feature(i)) || len(doc.Feature(i)) == 0 {
					t.Fatalf("%q: feature %q", text, doc.Feature(i))
				}
			}
		}
	})
}

func ExampleAnalyzer_Analyze() {
	a, err := New(Options{Language: "en", Features: FeatureSpec{Kind: WordN, N: 2}})
	if err != nil {
		panic(err)
	}
	var doc Document
	a.Analyze(&doc, []byte("The quick brown fox jumps over the lazy dog"))
	for i := range doc.Len() {
		fmt.Printf("%s\n", doc.Feature(i))
	}
	// Output:
	// quick brown
	// brown fox
	// fox jumps
	// jumps lazy
	// lazy dog
}

// Long white space between unspaced characters is looked at once.
func TestLongSpaces(t *testing.T) {
	t.Parallel()
	a := newAnalyzer(t, "words", NoLanguage)
	for _, space := range []string{" ", "\n", "\u3000"} {
		var long, short Document
		text := func(n int) []byte {
			return []byte("中" + strings.Repeat(space, n) + "文 abc " + strings.Repeat("人"+strings.Repeat(space, n/8), 8))
		}
		a.Analyze(&long, text(1<<21))
		a.Analyze(&short, text(8))
		if got, want := long.Words(), short.Words(); got != want || want < 9 {
			t.Errorf("with long %q there are %d words, want %d", space, got, want)
		}
	}
}
