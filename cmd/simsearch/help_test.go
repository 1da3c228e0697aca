package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"simsearch/internal/cli"
)

// Help fits the terminal, but for descriptions on narrow ones, and shows every flag, but those of inputs once.
func TestHelpFits(t *testing.T) {
	const described = 72
	program := newProgram(&environment{stderr: io.Discard}, "")
	descriptions := program.Description + "\n" + program.Topic.Description
	for _, c := range program.Commands {
		descriptions += "\n" + c.Description
	}
	for _, width := range []int{cli.LeastWidth, cli.UnknownWidth, 132} {
		topic := program.Help(program.Topic, cli.ShortHelp, width)
		texts := map[string]string{"simsearch": program.Help(nil, cli.LongHelp, width), "help input": topic}
		for _, c := range program.Commands {
			short, whole := program.Help(c, cli.ShortHelp, width), program.Help(c, cli.LongHelp, width)
			texts[c.Name], texts[c.Name+" -h"] = whole, short
			if lines := strings.Count(short, "\n"); width >= cli.UnknownWidth && lines > 45 {
				t.Errorf("%s -h has %d lines, and 45 are a screen", c.Name, lines)
			}
			inputs := 0
			for _, o := range program.Options(c) {
				line := "\n  " + o.Spelled()
				if o.Group == cli.InputGroup {
					named := strings.NewReplacer(";", ",", "\n", " ").Replace(whole)
					if !strings.Contains(topic, line) || !strings.Contains(named, " --"+o.Names[0]+",") || strings.Contains(whole, line+" ") {
						t.Errorf("--%s: want it in help input, and its name in %s --help", o.Names[0], c.Name)
					}
					inputs++
					continue
				}
				if !strings.Contains(whole, line) {
					t.Errorf("%s --help lacks %s", c.Name, o.Names[0])
				}
				shown := strings.Contains(short, line+" ") || strings.Contains(short, line+"\n")
				if essential := slices.Contains(program.Essential, o.Names[0]) || slices.Contains(program.Essential, c.Name+" --"+o.Names[0]); essential != shown {
					t.Errorf("%s -h and --%s: want it if it is essential, and else not", c.Name, o.Names[0])
				}
			}
			if told := strings.Contains(short, ": simsearch help input\n"); inputs != 0 && inputs != len(program.Topic.Flags) || told != (inputs > 0) {
				t.Errorf("%s takes %d flags of inputs; -h names help input: %v", c.Name, inputs, told)
			}
		}
		for line := range strings.Lines(descriptions) {
			if utf8.RuneCountInString(line) > described+1 && !strings.HasPrefix(line, "   simsearch ") && !strings.HasPrefix(line, "   curl") {
				t.Errorf("%q has more than %d columns", line, described)
			}
		}
		for name, text := range texts {
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				example := strings.HasPrefix(line, "   simsearch ")
				if utf8.RuneCountInString(line) > width && !strings.Contains(descriptions, line) && !example && strings.Count(strings.TrimSpace(line), " ") > 0 {
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
		"mode": "simhash minhash both", "hash": "murmur3 fnv1a md5", "bits": "64 32",
		"weights": "tf log-tf tfidf set", "features": "words word:3 char:3 code:3 items",
		"as": "fingerprints signatures sql npy u64 u128 u256", "preset": "classic shingles characters fineweb nemo text-dedup dct difference",
		"deleted": "keep drop", "keep": "cleanest longest first newest: oldest: highest: lowest:", "skip": "bad binary gitignore", "gather": "users items", "without": "menus quotes signatures nothing", "store": "text source nothing", "group": "star components",

		"by": "document paragraph line passage", "purify": "documents passages", "spare": "numbers negations symbols names order all",
	}
	found := map[string]string{}
	program := newProgram(&environment{stderr: io.Discard}, "")
	for _, c := range program.Commands {
		for _, o := range program.Options(c) {
			if o.Values != nil {
				found[o.Names[0]] = strings.Join(o.Values, " ")
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

// A terminal's width is that of help.
func TestHelpWidth(t *testing.T) {
	var out bytes.Buffer
	env := testEnvironment(&out)
	env.columns = 50
	if status := env.run(t.Context(), []string{"simsearch", "near", "--help"}); status != statusDone {
		t.Fatal(status)
	}
	if err := env.stdout.Flush(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\n  --id ID                 the query is the\n") {
		t.Errorf("not wrapped at 50 columns:\n%s", out.String())
	}
}

// The description of the program names flags and commands that exist.
func TestDescribedFlagsExist(t *testing.T) {
	program := newProgram(&environment{stderr: io.Discard}, "")
	exist := map[string]bool{"help": true}
	for _, c := range program.Commands {
		exist[c.Name] = true
		for _, o := range program.Options(c) {
			for _, name := range o.Names {
				exist[name], exist[c.Name+" --"+name] = true, true
			}
		}
	}
	for _, name := range slices.Concat(program.Essential, program.OwnMeaning, program.Unconfigured, program.Momentary) {
		if !exist[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
