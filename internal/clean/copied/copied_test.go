package copied

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/tests/testkit"
)

// words returns n words that hardly any two calls have in common.
func words(r *rand.Rand, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("w%x", r.Uint32N(1<<24))
	}
	return list
}

func prose(lists ...[]string) string { return strings.Join(slices.Concat(lists...), " ") + ".\n" }

// write writes files below a new directory, and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compared(t testing.TB, inputs []string, out string, o Options) *Report {
	t.Helper()
	o.Threads = 2
	r, err := Run(t.Context(), inputs, out, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told returns the pairs in short.
func told(r *Report) (list []string) {
	for _, p := range r.Pairs {
		list = append(list, fmt.Sprintf("%s %s %.2f %.2f %d", filepath.Base(p.A), filepath.Base(p.B), p.AShare, p.BShare, len(p.Passages)))
	}
	return list
}

func TestSharesOfFolders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	task, anna, ben, carla, dora := words(r, 100), words(r, 200), words(r, 100), words(r, 300), words(r, 200)
	changed := slices.Clone(anna[100:])
	for i := 10; i < len(changed); i += 10 {
		changed[i] = "other"
	}
	dir := write(t, map[string]string{
		"task.txt":        prose(task),
		"anna/one.md":     prose(task, anna[:100]),
		"anna/two.md":     prose(anna[100:], anna[:20]),
		"ben/essay.txt":   strings.ToUpper(prose(ben, changed, task)),
		"carla/a/b/c.txt": prose(carla, anna[:100], ben),
		"dora/essay.html": "<p>" + prose(task, dora) + "</p>",
		"emil.txt":        prose(dora[:60], words(r, 40)),
	})
	got := compared(t, []string{dir}, "", Options{ByFolder: true, Base: []Named{{filepath.Join(dir, "task.txt"), prose(task)}}})
	// Anna has 220 words of her own, Ben 200, Carla 500, Dora 200 and Emil 100.
	want := []string{"dora emil.txt 0.30 0.60 1", "anna carla 0.45 0.20 1", "anna ben 0.45 0.50 1", "ben carla 0.50 0.20 1"}
	if list := told(got); !sameSet(list, want) {
		t.Errorf("pairs %q, want %q", list, want)
	}
	if groups := fmt.Sprint(got.Groups); groups != "[[anna ben carla] [dora emil.txt]]" {
		t.Errorf("groups %s", groups)
	}
	if s := got.Submissions[0]; s.Name != "ben" || s.Share != 1 || s.Others != 2 || s.Base != 100 || s.Words != 300 {
		t.Errorf("the first submission is %+v", s)
	}
	for _, p := range got.Pairs {
		for _, x := range p.Passages {
			if x.Words < 50 || x.A[1] <= x.A[0] || x.B[1] <= x.B[0] {
				t.Errorf("%s, %s: %+v", p.A, p.B, x)
			}
		}
	}
	// Without the base, all that have the task share it, and a warning says so.
	all := compared(t, []string{dir}, "", Options{ByFolder: true})
	if list := told(all); len(list) != 9 { // the four, three with dora's task, and the task itself with three: anna and ben had a pair
		t.Errorf("without the base %q", list)
	}
	if !slices.ContainsFunc(all.Warnings, func(w string) bool { return strings.Contains(w, "--boilerplate") }) {
		t.Errorf("warnings %q", all.Warnings)
	}
}

// A page marks the own words of a passage, and not those of the base that the passage goes on with.
func TestBaseIsNotMarked(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 1))
	task, own := words(r, 80), words(r, 120)
	task[0], task[40], task[79], own[0], own[60], own[119] = "taskfirst", "taskmiddle", "tasklast", "ownfirst", "ownmiddle", "ownlast"
	dir, out := write(t, map[string]string{
		"anna.txt": prose(own[:60], task, own[60:]),
		"ben.txt":  prose(words(r, 30), own[:60], task, own[60:]),
	}), filepath.Join(t.TempDir(), "out")
	compared(t, []string{dir}, out, Options{Base: []Named{{"task.txt", prose(task)}}})
	page, err := os.ReadFile(filepath.Join(out, run.PageName))
	if err != nil {
		t.Fatal(err)
	}
	marked := ""
	for _, part := range regexp.MustCompile(`(?s)<(?:a|span) class="passage[^>]*>([^<]*)<`).FindAllStringSubmatch(string(page), -1) {
		marked += part[1] + "\n"
	}
	for _, word := range []string{task[0], task[40], task[79], own[0], own[60], own[119]} {
		if is := strings.Count(marked, word); is != 2 && strings.HasPrefix(word, "own") || is != 0 && strings.HasPrefix(word, "task") {
			t.Errorf("%q is marked %d times", word, is)
		}
		if n := strings.Count(string(page), word); n != 2 {
			t.Errorf("%q stands on the page %d times", word, n)
		}
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// A submission is what lies in a folder directly below an input, or all of an input without folders.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"old/anna/a.txt": "one", "old/anna/b/c.txt": "two", "old/loose.txt": "three", "new/anna/a.txt": "four", "flat/a.txt": "five", "flat/b.txt": "six",
	})
	inputs := []string{filepath.Join(dir, "old"), filepath.Join(dir, "new"), filepath.Join(dir, "flat")}
	r := compared(t, inputs, "", Options{Options: run.Options{Corpus: corpus.Options{Base: dir}}, ByFolder: true})
	got := map[string]int{}
	for _, s := range r.Submissions {
		got[s.Name] = s.Documents
	}
	if want := "map[flat:2 new/anna:1 old/anna:2 old/loose.txt:1]"; fmt.Sprint(got) != want {
		t.Errorf("submissions %v, want %s", got, want)
	}
	o := Options{Options: run.Options{Threads: 1}, ByFolder: true}
	if _, err := Run(t.Context(), inputs[2:], "", o); err == nil || !strings.Contains(err.Error(), "one folder") {
		t.Errorf("one folder alone: %v", err)
	}
	o.Memory = 4
	if _, err := Run(t.Context(), inputs, "", o); !errors.Is(err, ErrMemory) {
		t.Errorf("too little memory: %v", err)
	}
}

// The files of a result agree with what is returned, the page links each passage with its partner, and nothing of a
// text is markup.
func TestFiles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	one, two := words(r, 80), words(r, 90)
	dir := write(t, map[string]string{
		"in/<b>.txt": prose(words(r, 9000), one, []string{"<script>alert(1)</script>"}, two), "in/y.txt": prose(two, []string{"\x1b[31m"}, one),
	})
	out := filepath.Join(dir, "out")
	got := compared(t, []string{filepath.Join(dir, "in")}, out, Options{})
	if len(got.Pairs) != 1 || len(got.Pairs[0].Passages) != 2 {
		t.Fatalf("pairs %q", told(got))
	}
	lines, err := os.ReadFile(filepath.Join(out, pairsName))
	if err != nil {
		t.Fatal(err)
	}
	var p Pair
	if err := json.Unmarshal(lines, &p); err != nil || p.A != got.Pairs[0].A || !slices.Equal(p.Passages, got.Pairs[0].Passages) {
		t.Errorf("pairs.jsonl has %s: %v", lines, err)
	}
	file := filepath.Join(out, run.PageName)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2"} {
		for _, side := range []string{"a", "b"} {
			if id := "p1-" + side + "-" + n; strings.Count(string(page), `id="`+id+`"`) != 1 || !strings.Contains(string(page), `href="#`+id+`"`) {
				t.Errorf("%s is not there once, or without a link", id)
			}
		}
	}
	if strings.Contains(string(page), "<script>alert") || strings.Contains(string(page), "\x1b") || strings.Contains(string(page), "<b>") {
		t.Error("a text is markup")
	}
	if !strings.Contains(string(page), " characters …") || len(page) > 100_000 {
		t.Errorf("a long text is shown whole: the page has %d bytes", len(page))
	}
	for _, e := range testkit.Widths(t, file, 360, 900) {
		if e.Page > e.Window {
			t.Errorf("the page is %d wide in a window of %d", e.Page, e.Window)
		}
	}
}

// Folders of folders are likely classes, and not persons.
func TestFoldersOfFolders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	text := prose(words(r, 100))
	dir := write(t, map[string]string{
		"a/anna/1.txt": text, "a/ben/1.txt": text, "b/carl/1.txt": prose(words(r, 100)), "b/dora/x/1.txt": prose(words(r, 100)),
	})
	has := func(r *Report) bool {
		return slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "several folders") })
	}
	if report := compared(t, []string{dir}, "", Options{ByFolder: true}); !has(report) || report.Shared != 0 {
		t.Errorf("%q, %d pairs", report.Warnings, report.Shared)
	}
	report := compared(t, []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, "", Options{ByFolder: true})
	if has(report) || report.Shared != 1 {
		t.Errorf("named: %q, %d pairs", report.Warnings, report.Shared)
	}
}

// Where most of the first pairs are drafts of one person, whose folder has them, a warning names --by-field folder.
// It does not where all documents lie in one folder, or where persons have copied.
func TestDraftsInFolders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	anna, ben := words(r, 200), words(r, 200)
	drafts := map[string]string{
		"anna/1.txt": prose(anna), "anna/2.txt": prose(anna[:150]), "ben/1.txt": prose(ben), "ben/2.txt": prose(ben[50:]),
	}
	for name, c := range map[string]struct {
		files    map[string]string
		byFolder bool
		want     bool
	}{
		"drafts":            {drafts, false, true},
		"drafts as one":     {drafts, true, false},
		"one folder":        {map[string]string{"a.txt": prose(anna), "b.txt": prose(anna)}, false, false},
		"copied by another": {map[string]string{"anna/1.txt": prose(anna), "ben/1.txt": prose(anna), "ben/2.txt": prose(ben)}, false, false},
	} {
		report := compared(t, []string{write(t, c.files)}, "", Options{ByFolder: c.byFolder})
		if got := slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.Contains(w, "--by-field folder") }); got != c.want {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
}

// Of a passage that goes on through words of the task, only the others count for a share.
func TestTaskWithinAPassage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 1))
	before, task, behind := words(r, 60), words(r, 60), words(r, 60)
	dir := write(t, map[string]string{"a.txt": prose(before, task, behind, words(r, 60)), "b.txt": prose(words(r, 120), before, task, behind)})
	report := compared(t, []string{dir}, "", Options{Base: []Named{{"task.txt", prose(task)}}})
	if got := told(report); !slices.Equal(got, []string{"a.txt b.txt 0.67 0.50 2"}) || report.Submissions[0].Share != 0.6666 || report.Pairs[0].Words != 120 {
		t.Errorf("%q, %+v", got, report)
	}
}

// Submissions that are too short to tell are told of.
func TestTooShortToTell(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 4))
	few := prose(words(r, 19))
	for want, files := range map[string]map[string]string{
		"2 submissions are too short": {"a.txt": few, "b.txt": few, "c.txt": prose(words(r, 20))},
		"1 submission is too short":   {"a.go": "package a\n\nvar table = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}\n", "b.go": "package a\n\nconst name = `anna`\n"},
	} {
		report := compared(t, []string{write(t, files)}, "", Options{})
		if report.Shared > 0 || !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.HasPrefix(w, want) }) {
			t.Errorf("%d pairs, %q, want %q", report.Shared, report.Warnings, want)
		}
	}
	// A person with a long text and a short source, or the other way round, is none of them.
	long, short := prose(words(r, 200)), "package a\n\nvar x = 1\n"
	source := "package a\n\nvar names = []string{`anna`, `ben`, `carla`}\n"
	report := compared(t, []string{write(t, map[string]string{"anna/a.txt": long, "anna/a.go": short, "ben/a.go": source, "ben/a.txt": few})}, "",
		Options{ByFolder: true})
	if len(report.Warnings) > 0 {
		t.Errorf("%q", report.Warnings)
	}
}

// Of submissions that have as much of one, the first by its name is told.
func TestMost(t *testing.T) {
	t.Parallel()
	text := prose(words(rand.New(rand.NewPCG(9, 2)), 100))
	report := compared(t, []string{write(t, map[string]string{"a.txt": text, "b.txt": text, "c.txt": text})}, "", Options{})
	var got []string
	for _, s := range report.Submissions {
		got = append(got, filepath.Base(s.Name)+" "+filepath.Base(s.Most))
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a.txt b.txt", "b.txt a.txt", "c.txt a.txt"}) {
		t.Errorf("%q", got)
	}
}

// Who may not read one of the texts may not read what is made of them.
func TestResultIsAsSecretAsTheTexts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no permissions")
	}
	text := prose(words(rand.New(rand.NewPCG(9, 3)), 100))
	dir := write(t, map[string]string{"in/a.txt": text, "in/b.txt": text})
	if err := os.Chmod(filepath.Join(dir, "in", "b.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	compared(t, []string{filepath.Join(dir, "in")}, filepath.Join(dir, "out"), Options{})
	for _, name := range []string{pairsName, run.ReportName, run.PageName} {
		if info, err := os.Stat(filepath.Join(dir, "out", name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// OfTexts leaves out what many texts have, and counts all if nobody says how many these are.
func TestOfTextsCountsWhatManyHave(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	words := func(n int) (text string) {
		for range n {
			text += fmt.Sprintf("w%x ", r.IntN(1<<20))
		}
		return text
	}
	task, whole, long := words(30), words(300), words(60)
	texts := []Named{{"a", whole}, {"b", whole}}
	for i := range 30 {
		texts = append(texts, Named{fmt.Sprint(i), map[bool]string{true: task}[i < 10] + words(100)})
	}
	ring := append(slices.Clone(texts), Named{"longer", long + words(100)})
	for i := range 11 {
		ring = append(ring, Named{fmt.Sprint("copy ", i), long + words(4)})
	}
	var middle []Named // ten copied one text, with a sentence of their own in its middle
	for i := range 16 {
		text := words(250)
		if i < 10 {
			text = whole[:len(whole)/2] + words(8) + whole[len(whole)/2:]
		}
		middle = append(middle, Named{fmt.Sprint("middle ", i), text})
	}
	type result struct{ shown, have int }
	for _, tt := range []struct {
		texts []Named
		many  int
		want  result
	}{
		{texts, 0, result{1 + 45, 0}},
		{texts, 10, result{1, 10}},
		{middle, 10, result{45, 0}},
		{ring, 10, result{1 + 66, 10}}, // what is most of the copies is not common, though it is a third of the longest
	} {
		pairs, common, more, err := OfTexts(t.Context(), tt.texts, Options{}, tt.many)
		var got result
		if len(common) > 0 {
			got.have = common[0].Submissions
		}
		for _, p := range pairs {
			if p.Shown {
				got.shown++
			}
		}
		if err != nil || got != tt.want || (len(more) == 0) != (tt.want.have > 0 || tt.many > 0) || len(common) > 1 || len(common) > 0 && strings.TrimSpace(task) != strings.TrimSpace(common[0].Text) {
			t.Errorf("many are %d: %+v, %+v, %v", tt.many, got, common, err)
		}
	}
	// Whoever asks for a number gets it.
	if pairs, common, _, err := OfTexts(t.Context(), middle, Options{Common: 10}, 10); err != nil || len(pairs) > 0 || len(common) != 2 {
		t.Errorf("what ten have does not count: %d pairs, %d passages, %v", len(pairs), len(common), err)
	}
	files := map[string]string{}
	for _, named := range texts[:20] {
		files[named.Name+".txt"] = named.Text
	}
	dir := write(t, files)
	for many, want := range map[float64]int{0: 1, .3: 1, .5: 1, .55: 1 + 45, 4: 1, 11: 1 + 45, -1: 1 + 45} {
		report, counted := compared(t, []string{dir}, "", Options{Common: many}), want > 1
		if report.Shared != want || (len(report.Common) == 0) != counted || len(report.Warnings) != 1 ||
			!strings.HasPrefix(report.Warnings[0], "10 of 20 submissions have the same 30 words") || strings.Contains(report.Warnings[0], "They do not count") == counted {
			t.Errorf("common is what %v have: %d pairs, %+v, %q", many, report.Shared, report.Common, report.Warnings)
		}
	}
}

// Shares of submissions are rounded up, and two never count as many.
func TestMany(t *testing.T) {
	for _, tt := range []struct {
		all  int
		is   float64
		want int
	}{{20, 0, 10}, {21, 0, 11}, {4, 0, 10}, {100, .1, 10}, {101, .1, 11}, {10, .1, 3}, {1000, 3, 3}, {1000, -1, 0}, {10, 1e300, 11}, {10, math.Inf(1), 11}} {
		if got := Many(tt.all, tt.is); got != tt.want {
			t.Errorf("of %d, %v: %d, want %d", tt.all, tt.is, got, tt.want)
		}
	}
}
