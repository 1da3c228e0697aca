package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/index"
	"simsearch/internal/terminal"
)

// asking returns the predicate of a kind of nearness and the flags that ask for it.
func askingFor(k *index.Kind) (index.Predicate, []string) {
	p := k.Predicate(0.5, 20)
	if k.Whole {
		p.Threshold = 5
	}
	var flags []string
	if k.Within {
		flags = append(flags, "--k", "20")
	}
	if !k.Bare {
		flags = append(flags, "--"+k.Key, fmt.Sprint(p.Threshold))
	}
	return p, flags
}

// All commands know each kind of nearness: its flags in help and in the configuration file, its columns and keys, the pages and
// lists of groups. What cannot be asked is refused in one line.
func TestCommandsKnowEachKind(t *testing.T) {
	dir := t.TempDir()
	texts := []string{
		"the quick brown fox jumps over the lazy dog near the old mill", "the quick brown fox jumps over the sleeping dog near the old mill",
		"a hen lays eggs on sunny mornings in the barn", "the quick brown fox jumps over the lazy dog", "a hen lays large eggs on sunny mornings in the barn",
		"ships sail slowly past the harbour wall at night", "the quick brown fox jumps over the lazy dog near the old mill",
	}
	var lines strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&lines, "{\"id\": \"d%d\", \"text\": %q}\n", i, text)
	}
	docs, idx, config := filepath.Join(dir, "docs.jsonl"), filepath.Join(dir, "idx"), filepath.Join(dir, "simsearch", "config")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(docs, lines.String())
	if err := os.Mkdir(filepath.Dir(config), 0o777); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) (int, string, string) {
		t.Helper()
		return command(t, t.Context(), strings.NewReader(""), args...)
	}
	if status, _, stderr := do("index", "--quiet", "--index", idx, docs); status != 0 {
		t.Fatal(stderr)
	}
	// A refusal is one line that names the flag.
	refused := func(why string, args ...string) {
		t.Helper()
		status, stdout, stderr := do(args...)
		is := status == statusError && stdout == "" && strings.Count(stderr, "\n") == 1
		if is != (why != "") || is && !strings.Contains(stderr, why) {
			t.Errorf("%q: status %d, %q, %q; want a refusal with %q", args, status, stdout, stderr, why)
		}
	}
	ix, err := index.Open(idx)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close() //nolint:errcheck // it was read only
	for _, k := range index.Kinds() {
		p, flags := askingFor(k)
		with := func(name string, more ...string) []string {
			return slices.Concat([]string{name, "--quiet", "--index", idx}, flags, more)
		}
		measure := func(a, b string) (index.Measures, bool) {
			m, err := k.Measure(ix.Analysis(), []byte(a), []byte(b))
			if err != nil {
				t.Fatal(err)
			}
			return m, p.Reached(&m)
		}
		// Rows have the measure, in JSON under its key.
		for _, args := range [][]string{with("near", "--text", texts[0], "--json"), with("near", "--id", "d0", "--json"), with("pairs", "--json")} {
			status, stdout, stderr := do(args...)
			if status != 0 {
				t.Errorf("%q: %s", args, stderr)
			}
			found := 0
			for line := range strings.Lines(stdout) {
				var row map[string]any
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatal(err)
				}
				text := func(keys ...string) string {
					for _, key := range keys {
						if id, ok := row[key].(string); ok && len(id) == 2 {
							return texts[id[1]-'0']
						}
					}
					return texts[0]
				}
				m, near := measure(text("a"), text("b", "id"))
				if value, ok := row[k.Key].(float64); !near || !ok || terminal.Plain(value) != terminal.Plain(asFloat(k.Of(&m))) {
					t.Errorf("%q: %s, want %v", args, line, k.Of(&m))
				}
				found++
			}
			if found < 2 {
				t.Errorf("%q: %d rows", args, found)
			}
		}
		_, plain, _ := do(with("pairs")...)
		m, _ := measure(texts[0], texts[1])
		if !strings.Contains(plain, "d0\td1\t"+terminal.Plain(k.Of(&m))) {
			t.Errorf("%q: %s", flags, plain)
		}
		// Groups.
		least := "min_" + k.Short
		if k.Bare {
			least = "max_" + k.Short
		}
		for format, wanted := range map[string]string{"json": `"` + least + `":`, "tsv": "d6", "table": "d6", "html": "</html>"} {
			for _, show := range []string{"--show", "--chain"} {
				status, stdout, stderr := do(with("groups", "--output", format, show)...)
				if status != 0 || format != "html" && !strings.Contains(stdout, wanted) || !strings.Contains(stdout, "d6") {
					t.Errorf("groups by %q, %s %s: %d, %s%s", flags, format, show, status, stdout, stderr)
				}
				if key := `"title":`; format == "json" && show == "--show" && !strings.Contains(stdout, `"`+k.Key+`":`) || !strings.Contains(stdout, key) && format == "json" && show == "--show" {
					t.Errorf("groups by %q: members are %s", flags, stdout)
				}
			}
		}
		// What near and pairs can be asked beside.
		nearest := k.NoNearest
		if !k.HasFlag() {
			nearest = "" // the distance chooses
		}
		refused(nearest, with("near", "--nearest", "2", "--text", texts[2])...)
		refused(k.NoCollapse, with("pairs", "--collapse")...)
		if k.NoSQL != "" || k.Bare {
			refused(k.NoSQL, with("near", "--sql", "--text", texts[0])...)
		}
		refused(k.NoNew, with("near", "--new", docs)...)
		if status, _, stderr := do(slices.Concat([]string{"watch", "--index", filepath.Join(dir, "watched-"+k.Short), "--quiet"}, flags, []string{"-"})...); (status == statusError) != (k.NoWatch != "") {
			t.Errorf("watch %q: %d, %s", flags, status, stderr)
		}
		for _, f := range []string{"--recall", "--verify"} {
			why := ""
			if f == "--verify" && !k.Banded || !k.Missable() {
				why = f + " is about --"
			}
			refused(why, with("pairs", f, map[string]string{"--recall": "1", "--verify": "exact"}[f])...)
		}
		// A record is new if no earlier new one is near it.
		if k.NoNew == "" {
			other := filepath.Join(dir, "other-"+fmt.Sprint(k.Within, k.Bare))
			one := filepath.Join(dir, "one.jsonl")
			write(one, "{\"id\": \"else\", \"text\": \"snow falls softly upon distant northern mountain villages tonight\"}\n")
			if status, _, stderr := do("index", "--quiet", "--index", other, one); status != 0 {
				t.Fatal(stderr)
			}
			var fresh []string
			for _, text := range texts {
				if !slices.ContainsFunc(fresh, func(before string) bool { _, near := measure(before, text); return near }) {
					fresh = append(fresh, text)
				}
			}
			_, stdout, _ := do(slices.Concat([]string{"near", "--quiet", "--index", other, "--new"}, flags, []string{docs})...)
			for i, text := range fresh {
				if !strings.Contains(stdout, fmt.Sprintf("%q", text)) || strings.Count(stdout, "\n") != len(fresh) {
					t.Errorf("new by %q: record %d of %d is missing of\n%s", flags, i, len(fresh), stdout)
				}
			}
			_, rest, _ := do(slices.Concat([]string{"near", "--quiet", "--index", other, "--matched"}, flags, []string{docs})...)
			if strings.Count(rest, "\n") != len(texts)-len(fresh) {
				t.Errorf("matched by %q: %s", flags, rest)
			}
		}
		// compare says the same of two documents.
		for b := range texts {
			_, near := measure(texts[0], texts[b])
			status, stdout, stderr := do(with("compare", "d0", fmt.Sprint("d", b))...)
			if near != (status == statusDone) || near != strings.Contains(stdout, "\nnear: wanted is "+p.String()+"\n") {
				t.Errorf("compare %q d0 d%d: %d, %s%s; want %v", flags, b, status, stdout, stderr, near)
			}
		}
		// The configuration file chooses, and help names the flag.
		if len(flags) == 2 {
			name := strings.TrimPrefix(flags[0], "--")
			t.Setenv("XDG_CONFIG_HOME", dir)
			write(config, "[pairs]\n"+name+" = "+flags[1]+"\n")
			if _, stdout, stderr := do("pairs", "--quiet", "--index", idx); stdout != plain {
				t.Errorf("configured by %q: %s%s", flags, stdout, stderr)
			}
			write(config, "")
			for _, c := range []string{"near", "pairs", "compare"} {
				if !strings.Contains(helpText(c), flags[0]) {
					t.Errorf("help/%s.txt does not describe %s", c, flags[0])
				}
			}
		}
	}
}

func asFloat(value any) float64 {
	if n, ok := value.(int); ok {
		return float64(n)
	}
	return value.(float64)
}
