package preprocess

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbalet/stopwords"
)

func TestLanguages(t *testing.T) {
	want := strings.Fields("ar bg cs da de el en es fa fi fr hu id it ja km lv nl no pl pt ro ru sk sv th tr")
	if got := Languages(); !slices.Equal(got, want) {
		t.Errorf("languages %v, want %v", got, want)
	}
	for _, code := range want {
		s, err := stopSetOf(code)
		if err != nil || len(s.buckets) < 4 {
			t.Errorf("%s: no stop words, %v", code, err)
		}
	}
	_, err := New(Options{Language: "xx"})
	if err == nil || !strings.Contains(err.Error(), "ar, bg, cs") || !strings.Contains(err.Error(), `"xx"`) {
		t.Errorf("unknown language: %v, want an error that lists the known ones", err)
	}
}

// wordsOfModule returns the words of the module's list of a language, read from its source, which it does not export.
func wordsOfModule(t *testing.T, dir, code string) (words []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "stopwords_"+code+".go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, strings.Fields(word)...) // some entries end in a space
		}
		return true
	})
	if len(words) < 50 {
		t.Fatalf("%s: only %d words read from the module", code, len(words))
	}
	return words
}

// listOf returns the words of the file of a language.
func listOf(t *testing.T, code string) []string {
	list, err := stopWordFiles.ReadFile("stopwords/" + code + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}

// The files and the sets have exactly the words that the module drops when it cleans them one by one.
func TestStopWordsAreThoseOfTheModule(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bbalet/stopwords").Output()
	if err != nil {
		t.Skip("the go command cannot find the module's source: ", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "stopwords_??.go"))
	if err != nil || len(files) != len(Languages()) {
		t.Fatalf("%d word lists in the module, %d languages here, %v", len(files), len(Languages()), err)
	}
	none := newAnalyzer(t, "words", "none")
	for _, code := range Languages() {
		set, err := stopSetOf(code)
		if err != nil {
			t.Fatal(err)
		}
		list := listOf(t, code)
		tried := slices.Concat(list, wordsOfModule(t, strings.TrimSpace(string(dir)), code), strings.Fields("Fuchs renard fox лиса 狐 zebra quux"))
		for _, word := range tried {
			drops := strings.TrimSpace(stopwords.CleanString(word, code, false)) == ""
			if drops != slices.Contains(list, word) {
				t.Errorf("%s: the module drops %q: %v; that its file has it is %v", code, word, drops, !drops)
			}
			norm := none.Reference([]byte(word))
			if len(norm) != 1 {
				continue // the word makes several features, which no stop word can equal
			}
			if drops && !set.contains([]byte(norm[0])) {
				t.Errorf("%s: the module drops %q, the set lacks it", code, word)
			}
		}
		for _, word := range []string{"zebra", "quux", "1984", "fuchsschwanz"} {
			if set.contains([]byte(word)) {
				t.Errorf("%s: %q is a stop word", code, word)
			}
		}
	}
}

// What the module does not remove is no stop word, even if it is a candidate.
func TestCandidatesThatStay(t *testing.T) {
	for code, want := range map[string]string{"en": "the and", "de": "und"} {
		if got := strings.Join(stopWordsAmong("the zebra und\nand", code), " "); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// keep and contains agree on words of every length, followed by any bytes.
func TestKeepDropsWhatTheSetContains(t *testing.T) {
	for _, code := range []string{"none", "en", "fi", "ru"} {
		set, err := stopSetOf(code)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		if code != "none" {
			words = listOf(t, code)
		}
		var text []byte
		var edges []uint32
		var want []span
		add := func(word string) {
			lo := len(text)
			text = append(text, word...)
			edges = append(edges, uint32(lo), uint32(len(text)))
			if !set.contains([]byte(word)) {
				want = append(want, span{lo, len(text)})
			}
			text = append(text, ' ')
		}
		for _, word := range append(words, "fox", "zebra") {
			add(word)
			add(word + "x")
			add(word[:len(word)-1] + "\x00")
			for _, n := range []int{7, 8, 9, 15, 16, 17, 24} {
				add(strings.Repeat(word, 1+n/len(word))[:n])
			}
		}
		if got := set.keep(nil, slices.Grow(text, slack), 0, edges); !slices.Equal(got, want) {
			t.Errorf("%s: %d words kept, want %d", code, len(got), len(want))
		}
	}
}

// All analysers of a language share one set of stop words.
func TestStopSetsAreShared(t *testing.T) {
	for _, code := range []string{"en", "nb", "none"} {
		a, b := newAnalyzer(t, "words", code), newAnalyzer(t, "word:3", code)
		if a.stop != b.stop {
			t.Errorf("%s: two analysers have a set each", code)
		}
	}
	auto, en := newAnalyzer(t, "words", "auto"), newAnalyzer(t, "words", "en")
	if !slices.ContainsFunc(auto.auto.of, func(a func() *Analyzer) bool { return a().stop == en.stop }) {
		t.Error("an analyser of all languages has sets of its own")
	}
	if n := testing.AllocsPerRun(10, func() { newAnalyzer(t, "words", "en") }); n > 10 {
		t.Errorf("another analyser takes %v allocations: its stop words are made again", n)
	}
}
