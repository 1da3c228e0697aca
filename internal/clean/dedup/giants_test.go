package dedup

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/files/corpus"
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

// Warnings tell of giant groups and of chains, also on standard input.
func TestGiantsAndChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 13))
	chain := func(o *Options) { o.Chain = true }
	for _, test := range []struct {
		name   string
		texts  []string
		change func(*Options)
		want   []string
	}{
		{"a template", textsOfPages(rng, giant, 300), func(o *Options) { o.Threshold = 0.6 }, []string{"The largest group has 1,000 documents: look at its texts", "If that is boilerplate, leave it out with max-df or ignore."}},
		{"copies", slices.Repeat([]string{boilerplateText}, giant), func(*Options) {}, []string{"The largest group has 1,000 documents: look at its texts"}},
		{"a chain", append(drift(30), textsOfPages(rng, 0, 50)...), chain, []string{"One group is a chain: d25 is kept for d0 with a similarity of 0.05 to it; group star makes no chains."}},
		{"stars of a chain", drift(30), func(*Options) {}, nil},
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
			c, err := Read(t.Context(), nil, []string{input}, o)
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
