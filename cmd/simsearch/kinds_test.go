package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// kindTexts are the texts that commands are asked about, as the documents d0, d1 and so on.
var kindTexts = []string{
	"the quick brown fox jumps over the lazy dog near the old mill", "the quick brown fox jumps over the sleeping dog near the old mill",
	"a hen lays eggs on sunny mornings in the barn", "the quick brown fox jumps over the lazy dog",
	"a hen lays large eggs on sunny mornings in the barn", "ships sail slowly past the harbour wall at night",
	"the quick brown fox jumps over the lazy dog near the old mill",
}

// An asked is a kind of nearness that commands are asked by.
type asked struct {
	*testing.T
	dir   string // with docs.jsonl, one.jsonl, and indexes idx and one of these
	ix    *index.Snapshot
	kind  *index.Kind
	p     index.Predicate
	flags []string
}

// All commands know each kind of nearness: its flags in help and in the configuration file, its columns and keys, the
// pages and lists of groups. What cannot be asked is refused in one line.
func TestCommandsKnowEachKind(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	for i, text := range kindTexts {
		fmt.Fprintf(&lines, "{\"id\": \"d%d\", \"text\": %q}\n", i, text)
	}
	a := &asked{T: t, dir: dir}
	a.write("docs.jsonl", lines.String())
	a.write("one.jsonl", "{\"id\": \"else\", \"text\": \"snow falls softly upon distant northern mountain villages tonight\"}\n")
	for index, docs := range map[string]string{"idx": "docs.jsonl", "one": "one.jsonl"} {
		if status, _, stderr := a.do("index", "--quiet", "--index", filepath.Join(dir, index), filepath.Join(dir, docs)); status != 0 {
			t.Fatal(stderr)
		}
	}
	ix, err := index.Open(filepath.Join(dir, "idx"))
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	for _, k := range index.Kinds() {
		a := &asked{T: t, dir: dir, ix: ix, kind: k, p: k.Predicate(0.5, 20)}
		if k.Within {
			a.flags = append(a.flags, "--k", "20")
		}
		if !k.Bare {
			a.flags = append(a.flags, "--"+k.Key, fmt.Sprint(a.p.Threshold))
		}
		a.rows()
		a.groups()
		a.refusals()
		a.fresh()
		a.compared()
		a.configured()
	}
}

func (a *asked) write(name, text string) {
	a.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o666); err != nil {
		a.Fatal(err)
	}
}

func (a *asked) do(args ...string) (status int, stdout, stderr string) {
	a.Helper()
	return command(a, a.Context(), strings.NewReader(""), args...)
}

// of returns the arguments of a command that asks an index by the kind.
func (a *asked) of(name, index string, more ...string) []string {
	return slices.Concat([]string{name, "--quiet", "--index", filepath.Join(a.dir, index)}, a.flags, more)
}

// measure compares two of the texts without an index.
func (a *asked) measure(x, y string) (index.Measures, bool) {
	a.Helper()
	m, err := a.kind.Measure(a.ix.Analysis(), []byte(x), []byte(y))
	if err != nil {
		a.Fatal(err)
	}
	return m, a.p.Reached(&m)
}

// rows checks that rows have the measure, and in JSON under its key.
func (a *asked) rows() {
	for _, args := range [][]string{
		a.of("near", "idx", "--text", kindTexts[0], "--json"), a.of("near", "idx", "--id", "d0", "--json"), a.of("pairs", "idx", "--json"),
	} {
		status, stdout, stderr := a.do(args...)
		if status != 0 || strings.Count(stdout, "\n") < 2 {
			a.Errorf("%q: %d, %s%s", args, status, stdout, stderr)
		}
		for line := range strings.Lines(stdout) {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				a.Fatal(err)
			}
			of := func(key string) string {
				if id, ok := row[key].(string); ok {
					return kindTexts[id[1]-'0']
				}
				return ""
			}
			x, y := of("a"), of("b")
			if x == "" {
				x, y = kindTexts[0], of("id")
			}
			m, near := a.measure(x, y)
			want, err := json.Marshal(a.kind.Of(&m))
			if got, _ := json.Marshal(row[a.kind.Key]); err != nil || !near || string(got) != string(want) {
				a.Errorf("%q: %s, want %s", args, line, want)
			}
		}
	}
	m, _ := a.measure(kindTexts[0], kindTexts[1])
	before := "d0\td1\t"
	if a.kind == index.Copy {
		before += terminal.Plain(m.Jaccard) + "\t"
	}
	if _, stdout, _ := a.do(a.of("pairs", "idx")...); !strings.Contains(stdout, before+terminal.Plain(a.kind.Of(&m))) {
		a.Errorf("%q: %s", a.flags, stdout)
	}
}

// groups checks the formats of groups, with what is shown of their documents.
func (a *asked) groups() {
	least := `"min_` + a.kind.Short + `":`
	if a.kind.Bare {
		least = `"max_` + a.kind.Short + `":`
	}
	for format, wanted := range map[string][]string{
		"--json": {least, `"` + a.kind.Key + `":`, `"title":`, `"d6"`}, "--json=false": {"\td6"},
	} {
		args := a.of("groups", "idx", format, "--show")
		status, stdout, stderr := a.do(args...)
		for _, text := range wanted {
			if status != 0 || !strings.Contains(stdout, text) {
				a.Errorf("%q: %d, want %s in %s%s", args, status, text, stdout, stderr)
			}
		}
	}
}

// refused checks that what cannot be asked is refused for a reason, in one line, and that all else is answered.
func (a *asked) refused(why string, args ...string) {
	a.Helper()
	status, stdout, stderr := a.do(args...)
	is := status == statusError && stdout == "" && strings.Count(stderr, "\n") == 1
	if is != (why != "") || is && !strings.Contains(stderr, why) {
		a.Errorf("%q: status %d, %q, %q; want a refusal with %q", args, status, stdout, stderr, why)
	}
}

func (a *asked) refusals() {
	k := a.kind
	if k.Usage != "" || k.NoNearest == "" { // otherwise the nearest by distance are wanted
		a.refused(k.NoNearest, a.of("near", "idx", "--nearest", "2", "--text", kindTexts[2])...)
	}
	a.refused(k.NoNew, a.of("near", "idx", "--new", filepath.Join(a.dir, "docs.jsonl"))...)
	watch := a.of("watch", filepath.Join("watched", strings.Join(a.flags, "")), "-")
	if status, _, stderr := a.do(watch...); status != statusDone {
		a.Errorf("%q: %d, %s", watch, status, stderr)
	}
	why := ""
	if !k.Banded {
		why = "--recall is about --"
	}
	a.refused(why, a.of("pairs", "idx", "--recall", "1")...)
}

// fresh checks that a record is new if no earlier new one is near it.
func (a *asked) fresh() {
	if a.kind.NoNew != "" {
		return
	}
	var fresh []string
	for _, text := range kindTexts {
		if !slices.ContainsFunc(fresh, func(before string) bool { _, near := a.measure(before, text); return near }) {
			fresh = append(fresh, text)
		}
	}
	_, stdout, _ := a.do(a.of("near", "one", "--new", filepath.Join(a.dir, "docs.jsonl"))...)
	_, matched, _ := a.do(a.of("near", "one", "--matched", filepath.Join(a.dir, "docs.jsonl"))...)
	for _, text := range fresh {
		if !strings.Contains(stdout, fmt.Sprintf("%q", text)) {
			a.Errorf("new by %q: %q is missing of\n%s", a.flags, text, stdout)
		}
	}
	if strings.Count(stdout, "\n") != len(fresh) || strings.Count(matched, "\n") != len(kindTexts)-len(fresh) {
		a.Errorf("by %q, new are\n%sand matched are\n%swant %d", a.flags, stdout, matched, len(fresh))
	}
}

// compared checks that compare says the same of two documents.
func (a *asked) compared() {
	for b := range kindTexts {
		_, near := a.measure(kindTexts[0], kindTexts[b])
		status, stdout, stderr := a.do(a.of("compare", "idx", "d0", fmt.Sprint("d", b))...)
		if near != (status == statusDone) || near != strings.Contains(stdout, "\nnear: wanted is "+a.p.String()+"\n") {
			a.Errorf("compare %q d0 d%d: %d, %s%s; want %v", a.flags, b, status, stdout, stderr, near)
		}
	}
}

// configured checks that the configuration file chooses the kind, and that help describes its flag.
func (a *asked) configured() {
	if len(a.flags) > 2 {
		return // it has no flag of its own
	}
	_, want, _ := a.do(a.of("pairs", "idx")...)
	a.Setenv("XDG_CONFIG_HOME", a.dir)
	if err := os.MkdirAll(filepath.Join(a.dir, "simsearch"), 0o777); err != nil {
		a.Fatal(err)
	}
	a.write("simsearch/config", "[pairs]\n"+strings.TrimPrefix(a.flags[0], "--")+" = "+a.flags[1]+"\n")
	if _, got, stderr := a.do("pairs", "--quiet", "--index", filepath.Join(a.dir, "idx")); got != want {
		a.Errorf("configured by %q: %s%s, want %s", a.flags, got, stderr, want)
	}
	a.write("simsearch/config", "")
	for _, c := range []string{"near", "pairs", "compare"} {
		if !strings.Contains(helpText(c), a.flags[0]) {
			a.Errorf("help/%s.txt does not describe %s", c, a.flags[0])
		}
	}
}
