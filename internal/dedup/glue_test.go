package dedup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/collected"
	"simsearch/internal/corpus"
	"simsearch/internal/run"
)

const boilerplateText = "home about contact imprint terms privacy help login register search newsletter archive jobs press"

// textsOfPages returns texts that share a template, then others, some of which have a few words of it.
func textsOfPages(rng *rand.Rand, n, others int) (all []string) {
	words := strings.Fields(boilerplateText)
	for i := range n {
		text := slices.Clone(words)
		text[rng.IntN(4)] = "the"
		all = append(all, fmt.Sprintf("%s page%d", strings.Join(text, " "), i))
	}
	for i := range others {
		text := []string{"the", "help"}[:i%3%2+1]
		for range 20 {
			text = append(text, fmt.Sprintf("w%d", rng.IntN(100_000)))
		}
		all = append(all, strings.Join(text, " "))
	}
	return all
}

func reportIn(t *testing.T, files map[string]string) (r Report) {
	t.Helper()
	if err := json.Unmarshal([]byte(files[run.ReportName]), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A giant group is named with what its documents share: the words that most exceed their share in others.
func TestGlueOfATemplate(t *testing.T) {
	all := textsOfPages(rand.New(rand.NewPCG(1, 13)), giant, 400)
	dir := files(t, all)
	o := options()
	o.Threshold = 0.6
	got, result := ran(t, nil, []string{dir}, o)
	if result.LargestGroup != giant {
		t.Fatalf("the largest group has %d documents", result.LargestGroup)
	}
	glue := reportIn(t, got).Largest[0].Glue
	share := func(word string, of []string) float64 {
		n := 0
		for _, text := range of {
			if slices.Contains(strings.Fields(text), word) {
				n++
			}
		}
		return float64(n) / float64(len(of))
	}
	excess := func(word string) float64 { return share(word, all[:giant]) - share(word, all[giant:]) }
	plain := append(strings.Fields(boilerplateText), "the")
	slices.SortFunc(plain, func(a, b string) int { return cmp.Compare(excess(b), excess(a)) })
	if len(glue) != mostGlue {
		t.Fatalf("%q is shared, want %d words", glue, mostGlue)
	}
	for i, word := range glue {
		if excess(word) != excess(plain[i]) {
			t.Errorf("word %d is %s, which exceeds its share by %v, want %s, %v", i, word, excess(word), plain[i], excess(plain[i]))
		}
	}
	for _, change := range []func(*collected.Options){func(o *collected.Options) { o.DryRun = true }, func(o *collected.Options) { o.Threads, o.Memory = 1, 1<<20 }} {
		o := o
		change(&o)
		if again, _ := ran(t, nil, []string{dir}, o); !slices.Equal(reportIn(t, again).Largest[0].Glue, glue) {
			t.Errorf("%+v: %q", o.DryRun, reportIn(t, again).Largest[0].Glue)
		}
	}
	o.MaxDF = 0.3
	if _, result := ran(t, nil, []string{dir}, o); result.LargestGroup >= giant {
		t.Errorf("without the template, the largest group has %d documents", result.LargestGroup)
	}
}

// drift returns texts of which each shares most words with the one before, and the first has none of the last.
func drift(n int) (all []string) {
	for i := range n {
		text := "once upon a time"
		for j := range 40 {
			text += fmt.Sprintf(" w%d", 4*i+j)
		}
		all = append(all, text)
	}
	return all
}

// Warnings tell of giant groups and of chains, with what they share, also on standard input.
func TestGlueInWarnings(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 13))
	chain := func(o *collected.Options) { o.Chain = true }
	for _, test := range []struct {
		name   string
		texts  []string
		change func(*collected.Options)
		want   []string
	}{
		{"a template", textsOfPages(rng, giant, 300), func(o *collected.Options) { o.Threshold = 0.6 }, []string{"One group has 1,000 documents, of which d", ". What they share: ", "login", "If that is boilerplate, leave it out with max-df or ignore."}},
		{"copies", slices.Repeat([]string{boilerplateText}, giant), func(*collected.Options) {}, []string{"One group has 1,000 documents, of which d0 is kept; all have the same features: look at the text"}},
		{"a chain", append(drift(30), textsOfPages(rng, 0, 50)...), chain, []string{"One group of 30 documents is a chain: d25 is kept for one with a similarity of 0.05 to it. What they share: ", "once", "upon", "; group star makes no chains."}},
		{"stars of a chain", drift(30), func(*collected.Options) {}, nil},
		{"a short chain", drift(4), chain, nil},
	} {
		o := options()
		test.change(&o)
		var in bytes.Buffer
		for i, text := range test.texts {
			fmt.Fprintf(&in, `{"id":"d%d","text":%q}`+"\n", i, text)
		}
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, in.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, stdin := range []bool{false, true} {
			input := path
			if stdin {
				input = corpus.Stdin.Path
				o.Corpus.Stdin = bytes.NewReader(in.Bytes())
			}
			c, err := collected.Read(t.Context(), nil, []string{input}, o)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Decide(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if stdin {
				err = d.Stream(t.Context(), io.Discard)
			} else {
				err = d.Write(t.Context(), filepath.Join(t.TempDir(), "out"))
			}
			if err != nil {
				t.Fatal(err)
			}
			result := d.Result()
			told := strings.Join(slices.DeleteFunc(result.Warnings, func(w string) bool { return strings.Contains(w, " loses ") }), "\n")
			for _, want := range test.want {
				if !strings.Contains(told, want) {
					t.Errorf("%s, standard input %v: %q lacks %q", test.name, stdin, told, want)
				}
			}
			if (told == "") != (test.want == nil) {
				t.Errorf("%s, standard input %v: %q", test.name, stdin, told)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Names of features are quoted where one could not see where they end.
func TestQuoted(t *testing.T) {
	if got, want := quoted([]string{"a", "b c", "d,e", `f"`}), `a, "b c", "d,e", "f\""`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
