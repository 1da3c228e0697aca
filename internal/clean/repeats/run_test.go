package repeats

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/match/sequences"
	"simsearch/internal/tests/testkit"
)

func put(tb testing.TB, dir, name, text string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		tb.Fatal(err)
	}
	return path
}

func get(tb testing.TB, path ...string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

func rowsOf(tb testing.TB, dir string) (rows []cutRow) {
	tb.Helper()
	for line := range strings.Lines(get(tb, dir, run.CutName)) {
		var row cutRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			tb.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func runOn(tb testing.TB, inputs []string, o Options) (r *Report, dir string) {
	tb.Helper()
	dir = filepath.Join(tb.TempDir(), "out")
	r, err := Run(tb.Context(), inputs, dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return r, dir
}

type record struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func lines(records []record) string {
	var b strings.Builder
	for _, r := range records {
		data, _ := json.Marshal(r)
		b.Write(append(data, '\n'))
	}
	return b.String()
}

// words makes sentences of a language.
type words struct {
	rng  *rand.Rand
	list []string
	gap  string
	stop string
}

func (w *words) text(n int) string {
	var b strings.Builder
	for i := range n {
		word := w.list[w.rng.IntN(len(w.list))]
		if w.rng.IntN(9) == 0 {
			word = strings.ToUpper(word)
		}
		if b.WriteString(word); w.rng.IntN(8) == 0 {
			b.WriteString(w.stop)
		}
		if i < n-1 {
			b.WriteString(w.gap)
		}
	}
	return b.String()
}

func languages(rng *rand.Rand) []words {
	var spaced, han, thai []string
	for i := range 300 {
		spaced = append(spaced, fmt.Sprintf("w%cé%d", 'a'+i%26, i))
		han = append(han, string(rune(0x4e00+7*i)))
		thai = append(thai, string(rune(0x0e01+i%40))+string(rune(0x0e30+i%8)))
	}
	return []words{{rng, spaced, " ", ", "}, {rng, han, "", "。"}, {rng, thai, "", " "}}
}

// What is left is what the definition leaves, in three languages, two of them without spaces. A second run cuts
// nothing. Each row names words that are the same as those that it repeats, and rows are in the order of the texts.
func TestRunAgainstTheReference(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := languages(rng)[seed%3]
		n := []int{2, 4, 10, 25}[seed/3%4]
		var records []record
		var texts [][]byte
		for i := range 40 {
			text := w.text(rng.IntN(2 * n))
			for range rng.IntN(4) {
				if i > 0 {
					from := []rune(records[rng.IntN(i)].Text)
					at := rng.IntN(len(from) + 1)
					text += w.gap + string(from[at:at+rng.IntN(len(from)-at+1)])
				}
				text += w.gap + w.text(rng.IntN(n))
			}
			text = string([]rune(text)[:min(1500, len([]rune(text)))])
			records, texts = append(records, record{fmt.Sprint(i), text}), append(texts, []byte(text))
		}
		in := put(t, t.TempDir(), "in.jsonl", lines(records))
		r, dir := runOn(t, []string{in}, Options{Options: run.Options{Threads: 2}, Words: n, Memory: 1})
		left, passes := referenceTexts(texts, n)
		var want []record
		for i, text := range left {
			if len(new(sequences.Words).AppendTo(nil, text)) > 0 || records[i].Text == string(text) {
				want = append(want, record{records[i].ID, string(text)})
			}
		}
		if got := get(t, dir, "kept", "in.jsonl"); got != lines(want) || r.Passes != passes || r.Cut == 0 {
			t.Fatalf("seed %d: %d passes, want %d; left\n%s\nwant\n%s", seed, r.Passes, passes, got, lines(want))
		}
		again, _ := runOn(t, []string{filepath.Join(dir, "kept", "in.jsonl")}, Options{Options: run.Options{Threads: 1}, Words: n})
		if again.Cut != 0 || again.CutBytes != 0 {
			t.Errorf("seed %d: a second run cuts %d passages", seed, again.Cut)
		}
		for _, row := range rowsOf(t, dir) {
			var of, kept string
			for _, is := range records {
				if is.ID == row.ID {
					of = is.Text
				}
				if is.ID == row.KeptID {
					kept = is.Text
				}
			}
			a, b := plain(of[row.Start:row.End]), plain(kept[row.KeptStart:row.KeptEnd])
			if inner := []rune(a); r.Passes == 1 && len(inner) > 2 { // a character at the end may stand for several, of which one counts
				a = string(inner[1 : len(inner)-1])
			}
			if r.Passes == 1 && !strings.Contains(b, a) {
				t.Errorf("seed %d: %+v: %q is not in %q", seed, row, a, b)
			}
		}
	}
}

// plain returns the letters of a text, normalised.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,。", r) {
			return -1
		}
		return r
	}, norm.NFKC.String(strings.ToLower(text)))
}

const (
	notice  = "This work is provided as it is, without a warranty of any kind, and nobody is liable for it."
	chinese = "本站所有文章均为原创作品未经许可不得转载违者必究"
)

// Passages are cut within and between documents of all formats whose texts can be replaced; the first stays.
func TestRun(t *testing.T) {
	in := t.TempDir()
	inputs := []string{
		put(t, in, "a.jsonl", fmt.Sprintf("{\"id\":\"one\", \"text\":\"First. %s\", \"n\":1}\n{\"id\":\"two\", \"text\":%q, \"n\":2}\n{\"id\":\"three\", \"text\":\"Third. %s Between. %s End.\", \"n\":3}\n",
			notice, notice, strings.ToUpper(notice), notice)),
		put(t, in, "b.csv", "id,text\n4,\"Fourth, "+notice+"\"\n5,other\n"),
		put(t, in, "c.txt", "前言。"+chinese+"。以上\n"),
		put(t, in, "d.txt", "别的话。"+chinese+"。完了\n"),
	}
	r, dir := runOn(t, inputs, Options{Options: run.Options{Threads: 2, Command: "dedup"}, Words: 12})
	want := map[string]string{
		"a.jsonl": fmt.Sprintf("{\"id\":\"one\", \"text\":\"First. %s\", \"n\":1}\n{\"id\":\"three\", \"text\":\"Third. Between. End.\", \"n\":3}\n", notice),
		"b.csv":   "id,text\n4,\"Fourth,\"\n5,other\n",
		"c.txt":   "前言。" + chinese + "。以上\n",
		"d.txt":   "别的话。完了\n",
	}
	for name, text := range want {
		if got := get(t, dir, "kept", name); got != text {
			t.Errorf("%s: %q, want %q", name, got, text)
		}
	}
	if r.Documents != 7 || r.Changed != 3 || r.Removed != 1 || r.Cut != 5 || r.Passes != 1 {
		t.Errorf("%+v", *r)
	}
	var rows []string
	for _, row := range rowsOf(t, dir) {
		rows = append(rows, fmt.Sprintf("%s %d-%d %d %s %d-%d", filepath.Base(row.ID), row.Start, row.End, row.Words, filepath.Base(row.KeptID), row.KeptStart, row.KeptEnd))
	}
	if w := []string{"two 0-91 19 one 7-98", "three 7-98 19 one 7-98", "three 109-200 19 one 7-98", "4 8-99 19 one 7-98", "d.txt 12-84 23 c.txt 9-81"}; !slices.Equal(rows, w) {
		t.Errorf("rows %q, want %q", rows, w)
	}
	if page := get(t, dir, run.PageName); !strings.Contains(page, "5 repeated passages cut") || !strings.Contains(page, "This work is provided") {
		t.Error("the page does not say so")
	}
	if gone := get(t, dir, run.RemovedName); gone != fmt.Sprintf("{\"id\":\"two\",\"passages\":1,\"source\":%q}\n", inputs[0]) {
		t.Errorf("removed: %q", gone)
	}
	dry, out := runOn(t, inputs, Options{Options: run.Options{Threads: 1}, Words: 12, DryRun: true})
	if _, err := os.Stat(filepath.Join(out, "kept")); !errors.Is(err, fs.ErrNotExist) || dry.Cut != r.Cut || dry.CutBytes != r.CutBytes || get(t, out, run.CutName) != get(t, dir, run.CutName) {
		t.Errorf("dry run: %v, %+v", err, *dry)
	}
}

// What cannot be read is counted and listed with its reason, and the end of a damaged file, too. Nothing of it is
// compared.
func TestRunAccounts(t *testing.T) {
	in := t.TempDir()
	put(t, in, "a.jsonl", fmt.Sprintf("{\"id\":\"one\",\"text\":%q}\n{\"id\":\"two\",\"text\":%[1]q\n{\"id\":\"three\",\"text\":%[1]q}\n", notice))
	put(t, in, "b.bin", notice+"\x00\x01")
	packed, rng := bytes.Buffer{}, rand.New(rand.NewPCG(5, 6))
	zip := gzip.NewWriter(&packed)
	for i := range 3000 {
		_, _ = fmt.Fprintf(zip, "{\"id\":\"z%d\",\"text\":\"%x %s\"}\n", i, rng.Uint64(), notice)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, in, "c.jsonl.gz", packed.String()[:packed.Len()/2])
	bad := 0
	r, dir := runOn(t, []string{in}, Options{Options: run.Options{Threads: 2, Bad: func(*corpus.BadError) { bad++ }}, Words: 10})
	if r.Files != 3 || r.LeftOut != 1 || r.Bad != 2 || bad != 2 || r.Removed != 1 || r.Changed != r.Documents-2 || r.Changed < 1000 {
		t.Errorf("%d told of, %+v", bad, *r)
	}
	want := fmt.Sprintf("{\"source\":%q,\"reason\":\"not text: it has a zero byte near its beginning\"}\n"+
		"{\"source\":%q,\"reason\":\"what follows the damage is neither compared nor written: unexpected EOF\",\"in_part\":true}\n",
		filepath.Join(in, "b.bin"), filepath.Join(in, "c.jsonl.gz"))
	if got := get(t, dir, run.LeftOutName); got != want {
		t.Errorf("left out: %s, want %s", got, want)
	}
	if got := get(t, dir, "kept", "a.jsonl"); !strings.Contains(got, "two") || strings.Contains(got, "three") {
		t.Errorf("kept: %s", got)
	}
}

// What cannot be cut is refused, and nothing is left of the run.
func TestRunRefuses(t *testing.T) {
	in := t.TempDir()
	for what, c := range map[string]struct {
		name, text string
		words      int
		o          corpus.Options
	}{
		"cannot be replaced":     {"a.html", "<p>some words", 50, corpus.Options{}},
		"passages of 1 words":    {"a.jsonl", `{"text":"a"}`, 1, corpus.Options{}},
		"fingerprints and":       {"b.jsonl", `{"id":"a","fp":1}`, 5, corpus.Options{FingerprintField: "fp"}},
		"no field \"elsewhere\"": {"c.jsonl", `{"id":"a","text":"b"}`, 5, corpus.Options{TextField: "elsewhere"}},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		_, err := Run(t.Context(), []string{put(t, in, c.name, c.text)}, dir, Options{Options: run.Options{Threads: 1, Corpus: c.o}, Words: c.words})
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "kept", "*")); len(left) > 0 {
			t.Errorf("%s: %q is left", what, left)
		}
	}
}

// Passages that only come together when what was between them is cut are found, in the last document that was cut, too.
func TestRunAgain(t *testing.T) {
	const n, depth = 6, mostPasses + 5
	word := 0
	some := func() string {
		var list []string
		for range n / 2 {
			word++
			list = append(list, fmt.Sprintf("w%d", word))
		}
		return strings.Join(list, " ")
	}
	var records []record
	nested := ""
	for i := range depth {
		before, behind := some(), some()
		records = append(records, record{fmt.Sprint(i), before + " " + behind})
		nested = strings.TrimSpace(before + " " + nested + " " + behind)
		nested = strings.ReplaceAll(nested, "  ", " ")
	}
	records = append(records, record{"nested", "First. " + nested + " Last."})
	r, dir := runOn(t, []string{put(t, t.TempDir(), "in.jsonl", lines(records))}, Options{Options: run.Options{Threads: 2}, Words: n})
	if r.Passes != mostPasses || r.Cut != mostPasses || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "may still be repeated") {
		t.Errorf("%+v", *r)
	}
	r, dir = runOn(t, []string{filepath.Join(dir, "kept", "in.jsonl")}, Options{Options: run.Options{Threads: 2}, Words: n})
	want := lines(append(records[:depth:depth], record{"nested", "First. Last."}))
	if got := get(t, dir, "kept", "in.jsonl"); got != want || r.Passes != depth-mostPasses || r.Cut != depth-mostPasses || len(r.Warnings) > 0 {
		t.Errorf("%d passes, %d cuts; left\n%s\nwant\n%s", r.Passes, r.Cut, got, want)
	}
}

// A file that changes while it is cut is told of, in whichever pass, and nothing is written.
func TestFilesThatChange(t *testing.T) {
	records := []record{{"0", "a1 a2 a3 a4"}, {"1", "b1 b2 b3 b4"}, {"2", "First. b1 b2 a1 a2 a3 a4 b3 b4 Last."}, {"3", "And a1 a2 a3 a4."}}
	third := func(text string) []record { return append(records[:2:2], record{"2", text}, records[3]) }
	for what, c := range map[string]struct {
		pass int // in which it changes; 3 is when it is written
		to   []record
	}{
		"a document less":                     {1, records[:3]},
		"other words":                         {1, third("First. b1 b2 a1 a2 a3 a5 b3 b4 Last.")},
		"other characters between words":      {3, third("First, b1 b2 a1 a2 a3 a4 b3 b4 Last.")},
		"two documents less after a pass":     {2, records[:2]},
		"a text that is shorter after a pass": {2, third("First.")},
		"a document more":                     {3, append(records[:4:4], record{"4", "c1 c2"})},
	} {
		in, out := put(t, t.TempDir(), "in.jsonl", lines(records)), filepath.Join(t.TempDir(), "out")
		pass := 0
		_, err := Run(t.Context(), []string{in}, out, Options{Options: run.Options{Threads: 1, Phase: func(phase string) {
			if phase == Cutting || phase == run.Writing {
				if pass++; pass == c.pass {
					put(t, filepath.Dir(in), "in.jsonl", lines(c.to))
				}
			}
		}}, Words: 4})
		left, _ := filepath.Glob(filepath.Join(out, "*"))
		if !errors.Is(err, rewrite.ErrChanged) || len(left) > 0 || pass < c.pass {
			t.Errorf("%s: %v in pass %d, and %v is left", what, err, pass, left)
		}
	}
}

// Of real texts, with and without spaces, what is left is what the definition leaves, and the rows of one pass name
// bytes with the same words.
func TestCollections(t *testing.T) {
	data := testkit.Dev(t, "bln600-ocr", "clough-stevenson", "irplag-java", "tldr-pages")
	for _, c := range []struct {
		name, prefix string
		n            int
	}{
		{"bln600-ocr", "", 20}, {"clough-stevenson", "", 9}, {"irplag-java", "", 30}, {"irplag-java", "", 5},
		{"tldr-pages", "pages.zh/", 30}, {"tldr-pages", "pages.th/", 12}, {"tldr-pages", "pages.ja/", 15},
	} {
		if !testkit.IsLong() && c.n != 9 && c.n != 12 {
			continue
		}
		var records []record
		var texts [][]byte
		for line := range strings.Lines(get(t, data, c.name, "docs.jsonl")) {
			var is record
			if err := json.Unmarshal([]byte(line), &is); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(is.ID, c.prefix) {
				records, texts = append(records, is), append(texts, []byte(is.Text))
			}
		}
		r, dir := runOn(t, []string{put(t, t.TempDir(), "in.jsonl", lines(records))}, Options{Options: run.Options{Threads: 2}, Words: c.n})
		left, passes := referenceTexts(texts, c.n)
		w, want, were := new(sequences.Words), []record(nil), map[string]string{}
		for i, text := range left {
			were[records[i].ID] = records[i].Text
			if len(w.AppendTo(nil, text)) > 0 || records[i].Text == string(text) {
				want = append(want, record{records[i].ID, string(text)})
			}
		}
		var got []record
		for line := range strings.Lines(get(t, dir, "kept", "in.jsonl")) {
			var is record
			if err := json.Unmarshal([]byte(line), &is); err != nil {
				t.Fatal(err)
			}
			got = append(got, is)
		}
		if !slices.Equal(got, want) || r.Passes != passes || r.Cut < 3 {
			t.Errorf("%s: %d passes, want %d; %d cuts; what is left differs", c.name, r.Passes, passes, r.Cut)
		}
		rows := rowsOf(t, dir)
		for _, row := range rows {
			a := w.AppendTo(nil, []byte(were[row.ID][row.Start:row.End]))
			b := w.AppendTo(nil, []byte(were[row.KeptID][row.KeptStart:row.KeptEnd]))
			if passes == 1 && c.prefix == "" && (!slices.Equal(a, b) || len(a) != int(row.Words)) {
				t.Errorf("%s: %+v: %d words, and %d that stay", c.name, row, len(a), len(b))
			}
		}
	}
}
