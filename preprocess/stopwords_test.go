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

// The candidates are all words of the lists of the module, read from its source. Otherwise some of
// its stop words would be missed.
func TestCandidatesCoverTheLists(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bbalet/stopwords").Output()
	if err != nil {
		t.Skip("the go command cannot find the module's source: ", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "stopwords_??.go"))
	if err != nil || len(files) != len(Languages()) {
		t.Fatalf("%d word lists in the module, %d languages here, %v", len(files), len(Languages()), err)
	}
	for _, file := range files {
		code := filepath.Base(file)[len("stopwords_"):][:2]
		list, err := candidates.ReadFile("candidates/" + code + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]bool{}
		for word := range strings.FieldsSeq(string(list)) {
			have[word] = true
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		ast.Inspect(parsed, func(node ast.Node) bool {
			if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				word, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				for part := range strings.FieldsSeq(word) { // some entries end in a space
					n++
					if !have[part] {
						t.Errorf("%s: %q is no candidate", code, word)
					}
				}
			}
			return true
		})
		if n < 50 {
			t.Errorf("%s: only %d words read from the module", code, n)
		}
	}
}

// The set has exactly the words that the module drops when it cleans them one by one.
func TestStopSetAgreesWithTheModule(t *testing.T) {
	none := newAnalyzer(t, "words", "none")
	for _, code := range Languages() {
		set, err := stopSetOf(code)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := candidates.ReadFile("candidates/" + code + ".txt")
		tried := append(strings.Fields(string(list)), strings.Fields("Fuchs renard fox лиса 狐 zebra quux")...)
		for _, word := range tried {
			norm := none.Reference([]byte(word))
			if len(norm) != 1 {
				continue // the word makes several features, which no stop word can equal
			}
			if drops := strings.TrimSpace(stopwords.CleanString(word, code, false)) == ""; drops && !set.contains([]byte(norm[0])) {
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

// keep and contains agree on words of every length, followed by any bytes.
func TestKeepDropsWhatTheSetContains(t *testing.T) {
	for _, code := range []string{"none", "en", "fi", "ru"} {
		set, err := stopSetOf(code)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := candidates.ReadFile("candidates/" + code + ".txt")
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
		for _, word := range append(strings.Fields(string(list)), "fox", "zebra") {
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
	if !slices.ContainsFunc(auto.auto.of, func(a *Analyzer) bool { return a.stop == en.stop }) {
		t.Error("an analyser of all languages has sets of its own")
	}
	if n := testing.AllocsPerRun(10, func() { newAnalyzer(t, "words", "en") }); n > 10 {
		t.Errorf("another analyser takes %v allocations: its stop words are made again", n)
	}
}
