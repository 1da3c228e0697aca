package preprocess

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

func TestDetectLanguage(t *testing.T) {
	for want, text := range map[string]string{
		"en":   "The fox was in the garden, and nobody had seen how it came there.",
		"de":   "Der Fuchs war im Garten, und niemand hatte gesehen, wie er dorthin kam.",
		"fr":   "Le renard était dans le jardin et personne n'avait vu comment il y était venu.",
		"ru":   "Лиса была в саду, и никто не видел, как она туда попала.",
		"bg":   "Лисицата беше в градината и никой не беше видял как е влязла там.",
		"el":   "Η αλεπού ήταν στον κήπο και κανείς δεν είχε δει πώς ήρθε.",
		"ar":   "كان الثعلب في الحديقة ولم ير أحد كيف جاء إلى هناك",
		"fa":   "روباه در باغ بود و هیچ کس ندیده بود که چگونه به آنجا آمده است",
		"th":   "สุนัขจิ้งจอกอยู่ในสวน และไม่มีใครเห็นว่ามันมาได้อย่างไร",
		"ja":   "狐は庭にいたが、どうやって来たのか誰も見ていなかった。",
		"none": "狐狸在花園裡，沒有人看見牠怎麼來的。",
	} {
		if got, err := DetectLanguage([]byte(text)); err != nil || got != want {
			t.Errorf("%q is taken for %s, want %s; %v", text, got, want, err)
		}
	}
	for _, text := range []string{"", "1234 5678", "\xff\xfe", "עברית כתובה כאן"} {
		if got, err := DetectLanguage([]byte(text)); err != nil || got != NoLanguage {
			t.Errorf("%q is taken for %s, %v", text, got, err)
		}
	}
}

// With AutoLanguage, the stop words of its own language are dropped from each document.
func TestAutoLanguage(t *testing.T) {
	auto := newAnalyzer(t, "words", "auto")
	var doc Document
	for text, language := range map[string]string{
		"the fox was in the garden and we had seen it":    "en",
		"der Fuchs war im Garten und wir hatten ihn gern": "de",
		"近似 重複": "none",
	} {
		auto.Analyze(&doc, []byte(text))
		if got, want := strings.Join(collect(&doc), " "), strings.Join(features(newAnalyzer(t, "words", language), text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := []byte(strings.Repeat("the fox was in the garden and we had seen it; ", 300))
	auto.Analyze(&doc, long)
	if n := testing.AllocsPerRun(20, func() { auto.Analyze(&doc, long) }); n != 0 {
		t.Errorf("Analyze allocates %v times", n)
	}
}

func TestLanguageAliases(t *testing.T) {
	if got, want := features(newAnalyzer(t, "words", "nb"), "reven var i hagen"), features(newAnalyzer(t, "words", "no"), "reven var i hagen"); strings.Join(got, " ") != strings.Join(want, " ") || len(got) == 4 {
		t.Errorf("nb keeps %v, no keeps %v", got, want)
	}
}

// Detection is as accurate as the documentation states, on collections with a known language for each
// document.
func TestDetectionOnRealTexts(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "real collections")
	dir := testkit.Dev(t, "tldr-pages", "bible-chapters")
	for _, c := range []struct {
		name     string
		language func(id string) string // "" for a language without stop words
		least    float64
	}{
		{"tldr-pages", func(id string) string {
			_, code, _ := strings.Cut(strings.SplitN(id, "/", 2)[0], ".")
			code, _, _ = strings.Cut(code, "_")
			if code == "" {
				return "en"
			}
			return CanonicalLanguage(code)
		}, 0.9},
		{"bible-chapters", func(string) string { return "en" }, 0.99},
	} {
		file, err := os.Open(filepath.Join(dir, c.name, "docs.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		known := map[string]bool{}
		for _, code := range Languages() {
			known[code] = true
		}
		right, total := 0, 0
		wrong := map[string]int{}
		auto := newAnalyzer(t, "words", "auto")
		var doc Document
		for lines.Scan() {
			var d struct{ ID, Text string }
			if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			want := c.language(d.ID)
			if !known[want] {
				continue
			}
			language := auto.auto.choose(&doc, []byte(d.Text))
			if total%16 == 0 && language != auto.auto.reference([]byte(d.Text)) {
				t.Fatalf("%s is taken for %s, by the reference for %s", d.ID, auto.auto.codes[language], auto.auto.codes[auto.auto.reference([]byte(d.Text))])
			}
			got := auto.auto.codes[language]
			if total++; got == want {
				right++
			} else {
				wrong[want+" taken for "+got]++
			}
		}
		accuracy := float64(right) / float64(total)
		t.Logf("%s: %.2f %% of %d documents; %v", c.name, 100*accuracy, total, wrong)
		if accuracy < c.least || total < 5000 {
			t.Errorf("%s: %.2f %% of %d documents", c.name, 100*accuracy, total)
		}
	}
}

// Stop words of few languages in any mixture are taken for the language of the reference, whatever the text before.
func TestDetectionEqualsReference(t *testing.T) {
	t.Parallel()
	auto := newAnalyzer(t, "words", "auto")
	var doc Document
	rng := rand.New(rand.NewPCG(2, 9))
	seen := map[int]bool{}
	for round := range testkit.Of(1000, 3000) {
		var words []string
		for range 1 + rng.IntN(3) {
			list, err := stopListOf(Languages()[rng.IntN(len(Languages()))])
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + rng.IntN(1+round/20) {
				words = append(words, list.words[rng.IntN(len(list.words))], []string{"zebra", "x", "1984", "_", "狐", "лиса", "ﬁ", "½"}[rng.IntN(8)])
			}
		}
		text := []byte(strings.Join(words, []string{" ", "\n", ", ", "。"}[rng.IntN(4)]))
		got, want := auto.auto.choose(&doc, text), auto.auto.reference(text)
		if got != want {
			t.Fatalf("%q is taken for %s, by the reference for %s", text, auto.auto.codes[got], auto.auto.codes[want])
		}
		seen[got] = true
		auto.Analyze(&doc, text)
		if got, want := collect(&doc), auto.Reference(text); !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	if len(seen) < len(Languages())*3/4 {
		t.Errorf("%d languages detected", len(seen))
	}
}
