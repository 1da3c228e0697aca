package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Help fits the terminal, and shows every flag.
func TestHelpFits(t *testing.T) {
	app := newApp(&environment{stderr: io.Discard})
	for _, width := range []int{leastWidth, unknownWidth, 132} {
		texts := map[string]string{"simsearch": programHelp(app, longHelp, width)}
		for _, c := range app.Commands {
			short, whole := commandShortHelp(c, width), commandHelp(c, width)
			texts[c.Name], texts[c.Name+" -h"] = whole, short
			for _, o := range options(c) {
				line := "\n  " + o.spelled()
				if !strings.Contains(whole, line) {
					t.Errorf("%s --help lacks %s", c.Name, o.names[0])
				}
				if slices.Contains(essential, o.names[0]) != strings.Contains(short, line+" ") {
					t.Errorf("%s -h and --%s: want it if it is essential, and else not", c.Name, o.names[0])
				}
			}
		}
		for name, text := range texts {
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				example := strings.HasPrefix(line, "   simsearch ")
				if utf8.RuneCountInString(line) > width && !example && strings.Count(strings.TrimSpace(line), " ") > 0 {
					t.Errorf("%s, %d columns: %q", name, width, line)
				}
				if line != strings.TrimRight(line, " ") {
					t.Errorf("%s: a space at the end of %q", name, line)
				}
			}
		}
	}
}

// Values of flags are found in what their descriptions list.
func TestValuesOfOptions(t *testing.T) {
	want := map[string]string{
		"mode": "simhash minhash both", "verify": "exact signature none", "hash": "murmur3 fnv1a md5", "bits": "64 32",
		"weights": "tf log-tf tfidf set", "features": "words word:3 char:3 items", "progress": "auto bar log none",
		"as": "fingerprints signatures sqlite", "preset": "classic shingles characters", "protocol": "core news-copy",
		"truth-features": "words word:3 char:3",
	}
	found := map[string]string{}
	for _, c := range newApp(&environment{stderr: io.Discard}).Commands {
		for _, o := range options(c) {
			if o.values != nil {
				found[o.names[0]] = strings.Join(o.values, " ")
			}
		}
	}
	for name, values := range want {
		if found[name] != values {
			t.Errorf("--%s has the values %q, want %q", name, found[name], values)
		}
	}
	for _, name := range []string{"format", "lang", "experiment"} {
		if len(strings.Fields(found[name])) < 5 {
			t.Errorf("--%s has the values %q", name, found[name])
		}
		delete(found, name)
	}
	if len(found) != len(want) {
		t.Errorf("values of %v, want those of %v only", found, want)
	}
}

func TestClosest(t *testing.T) {
	names := []string{"index", "json", "quiet", "k", "threads", "explain-plan", "plan-k"}
	for name, want := range map[string]string{
		"indx": "index", "jsno": "json", "limit": "", "kk": "", "expl": "explain-plan", "thread-count": "threads", "qiet": "quiet", "": "",
	} {
		if got := closest(name, names); got != want {
			t.Errorf("closest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestBlocks(t *testing.T) {
	got := blocks("One\nparagraph.\n\n   simsearch near   x\n   simsearch pairs\n\nterm      its text\n          goes on\nb  more\nNot an item.\n")
	want := []block{
		{paragraph, "", "One paragraph."},
		{example, "", "   simsearch near   x\n   simsearch pairs\n"},
		{item, "term", "its text goes on"},
		{item, "b", "more"},
		{paragraph, "", "Not an item."},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A terminal's width is that of help.
func TestHelpWidth(t *testing.T) {
	var out bytes.Buffer
	env := testEnvironment(&out)
	env.width = 50
	if status := env.run(t.Context(), []string{"simsearch", "near", "--help"}); status != statusDone {
		t.Fatal(status)
	}
	if err := env.stdout.Flush(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\nPrints the documents of the index near each\n") {
		t.Errorf("not wrapped at 50 columns:\n%s", out.String())
	}
}
