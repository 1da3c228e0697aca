package decontaminate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
)

// put writes a file into a directory of the test, and returns its path.
func put(tb testing.TB, dir, name, text string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		tb.Fatal(err)
	}
	return path
}

// testsOf returns tests that are compared by all fields.
func testsOf(paths ...string) (all []Test) {
	for _, path := range paths {
		all = append(all, Test{Path: path})
	}
	return all
}

func get(tb testing.TB, path ...string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// rowsOf reads hits.jsonl or less.jsonl.
func rowsOf(tb testing.TB, dir, name string) (rows []hitRow) {
	tb.Helper()
	for line := range strings.Lines(get(tb, dir, name)) {
		var row hitRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			tb.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

const (
	question = "Which of the rivers that flow through the old town is the one that the miller's daughter crossed at night?"
	answer   = "It was the smaller one, said the miller, for the larger one had no bridge in those days."
	short    = "Who was the king of Portugal in that year?"
)

// A collection has a benchmark in three formats, and training files in four.
func collection(tb testing.TB) (o Options, train []string, dir string) {
	tb.Helper()
	in := tb.TempDir()
	quoted := strings.ToUpper(question)
	o = Options{Options: run.Options{Threads: 2, Command: "decontaminate"},
		Words: DefaultWords, Tests: testsOf(
			put(tb, in, "tests/qa.jsonl", fmt.Sprintf("{\"id\":\"a\",\"question\":%q,\"answer\":%q,\"n\":1}\n{\"id\":\"b\",\"question\":\"Why?\",\"answer\":\"So.\"}\n"+
				"{\"id\":7,\"question\":\"%s\",\"choices\":[\"no\",\"%s\"]}\n", question, answer, short, "this is one of those answers that are long enough to be judged on their own")),
			put(tb, in, "tests/table.csv", "id,prompt\nrow,\"東京都の知事選挙で誰が選ばれたかを新聞は報じていない\"\n"),
			filepath.Dir(put(tb, in, "tests/files/one.txt", "An item can be a file of its own, with a text that has words enough for anybody.\n")),
		),
	}
	train = []string{
		put(tb, in, "train/web.jsonl", fmt.Sprintf("{\"id\":\"clean\",\"text\":\"nothing of that is here\"}\n{\"id\":\"dirty\",\"text\":\"Before. %s After it.\"}\n", quoted)),
		put(tb, in, "train/more.csv", "id,text\n1,\"so it began: "+answer+"\"\n2,other\n"),
		put(tb, in, "train/lines.txt", "She asked who was the king of Portugal in that year, and why.\n"),
		put(tb, in, "train/zh.txt", "新聞によれば、東京都の知事選挙で誰が選ばれたかを新聞は報じていない。以上"),
	}
	return o, train, filepath.Join(tb.TempDir(), "out")
}

func TestRun(t *testing.T) {
	o, train, dir := collection(t)
	r, err := Run(t.Context(), train, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"dirty": "Before. " + strings.ToUpper(question) + " After it.", "1": "so it began: " + answer, "lines": get(t, train[2]), "zh": get(t, train[3]),
	}
	var found []string
	for _, row := range rowsOf(t, dir, hitsName) {
		name := row.Document
		if i := strings.LastIndex(name, "/"); i >= 0 {
			name = strings.TrimSuffix(name[i+1:], ".txt")
		}
		var parts []string
		for _, s := range row.Spans {
			parts = append(parts, fmt.Sprint(s[0])+texts[name][s[1][0]:s[1][1]])
		}
		found = append(found, fmt.Sprintf("%s %s %s %s %v %s", filepath.Base(row.Benchmark), row.Item, row.Field, name, row.Share, strings.Join(parts, "|")))
	}
	want := []string{
		"qa.jsonl a question dirty 1 [0 105]" + strings.TrimSuffix(strings.ToUpper(question), "?"),
		"qa.jsonl a answer 1 1 [0 87]" + strings.TrimSuffix(answer, "."),
		"qa.jsonl 7 question lines 1 [0 41]who was the king of Portugal in that year",
		"table.csv row prompt zh 1 [0 78]東京都の知事選挙で誰が選ばれたかを新聞は報じていない",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
	if c := (Counts{Items: 5, Short: 1, Found: 3, Half: 3, Whole: 3}); r.Counts != c || r.Hits != 4 || r.Documents != 6 || r.FoundIn != 4 {
		t.Errorf("%+v", *r)
	}
	if page := get(t, dir, run.PageName); !strings.Contains(page, "3 of 4 test items found") || !strings.Contains(page, ">"+strings.ToUpper(question[:20])) {
		t.Error("the page does not say so")
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 5 {
		t.Errorf("there is %v", names)
	}
}

// With fields that are named, others are not compared.
func TestTestFields(t *testing.T) {
	o, train, dir := collection(t)
	o.Tests = []Test{ParseTest(o.Tests[0].Path + ":answer")}
	if _, err := Run(t.Context(), train, dir, o); err != nil {
		t.Fatal(err)
	}
	if rows := rowsOf(t, dir, hitsName); len(rows) != 1 || rows[0].Field != "answer" {
		t.Errorf("%v", rows)
	}
	o.Tests[0].Fields = []string{"solution"}
	if _, err := Run(t.Context(), train, filepath.Join(t.TempDir(), "x"), o); err == nil || !strings.Contains(err.Error(), `"solution"`) {
		t.Errorf("the error is %v", err)
	}
}

// What is likely not meant is told of: a file that is one item, and a table without names.
func TestTestsAreDoubtful(t *testing.T) {
	in := t.TempDir()
	lines := put(t, in, "lines.txt", strings.Repeat("Only this one line is said again and again, in words that nobody counts.\n", 30)+question+"\n")
	table := put(t, in, "table.csv", strings.ReplaceAll(question, ",", "")+",B\n"+strings.ToLower(question)+",A\n")
	train := []string{put(t, in, "train.txt", "They ask: "+question+"\n")}
	o := Options{Options: run.Options{Threads: 1}, Tests: testsOf(lines, table), Words: DefaultWords}
	r, err := Run(t.Context(), train, filepath.Join(t.TempDir(), "out"), o)
	if err != nil || len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "lines.txt, has 440 words") || !strings.Contains(r.Warnings[1], "a first row") {
		t.Errorf("%v, %q", err, r.Warnings)
	}
}

func TestPurify(t *testing.T) {
	o, train, dir := collection(t)
	o.Purify = Documents
	o.Corpus.Base = filepath.Dir(train[0])
	r, err := Run(t.Context(), train, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, run.KeptName)
	for name, want := range map[string]string{"web.jsonl": "{\"id\":\"clean\",\"text\":\"nothing of that is here\"}\n", "more.csv": "id,text\n2,other\n"} {
		if got := get(t, kept, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(kept, "*")); len(names) != 2 || r.Removed != 4 {
		t.Errorf("there is %v, and %d documents were removed", names, r.Removed)
	}
	o.Purify, dir = Passages, filepath.Join(t.TempDir(), "passages")
	if r, err = Run(t.Context(), train, dir, o); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"web.jsonl": "{\"id\":\"clean\",\"text\":\"nothing of that is here\"}\n{\"id\":\"dirty\",\"text\":\"Before. After it.\"}\n",
		"more.csv":  "id,text\n1,\"so it began:\"\n2,other\n", "lines.txt": "She asked and why.\n", "zh.txt": "新聞によれば、以上",
	} {
		if got := get(t, dir, run.KeptName, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if r.Changed != 4 || r.Removed != 0 {
		t.Errorf("%+v", *r)
	}
	again := filepath.Join(t.TempDir(), "again")
	if r, err = Run(t.Context(), []string{filepath.Join(dir, run.KeptName)}, again, o); err != nil || r.Found != 0 {
		t.Errorf("%v, and then %d are found", err, r.Found)
	}
}

// What is a small share of a field is listed, and neither counted nor purified, beside what is a larger share of
// another one.
func TestMinShare(t *testing.T) {
	in, many := t.TempDir(), ""
	for i := range 100 {
		many += fmt.Sprintf("word%d ", i)
	}
	phrase := "word10 word11 word12 word13 word14 word15 word16 word17 word18 word19 word20 word21 word22"
	o := Options{Options: run.Options{Threads: 1, Corpus: corpus.Options{Base: in, Format: corpus.Lines}},
		Tests: testsOf(put(t, in, "t.jsonl", fmt.Sprintf("{\"q\":%q}\n{\"q\":%q}\n", many, question))), Words: DefaultWords,
	}
	text := "so " + phrase + " end\nit asks: " + question + " so " + phrase + " end\n"
	train := put(t, in, "train.txt", text)
	for _, c := range []struct {
		purify  Purify
		counted Counts
		foundIn int
		kept    string
	}{
		{Documents, Counts{Items: 2, Found: 1, Less: 1, Half: 1, Whole: 1}, 1, "so " + phrase + " end\n"},
		{Passages, Counts{Items: 2, Found: 1, Less: 1, Half: 1, Whole: 1}, 1, strings.Replace(text, question+" ", "", 1)},
	} {
		o.Purify = c.purify
		dir := filepath.Join(t.TempDir(), "out")
		r, err := Run(t.Context(), []string{train}, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Counts != c.counted || r.FoundIn != c.foundIn || len(rowsOf(t, dir, hitsName)) != r.Hits || r.Hits+len(rowsOf(t, dir, lessName)) != 3 {
			t.Errorf("%v: %+v in %d documents, %d rows", c.purify, r.Counts, r.FoundIn, r.Hits)
		}
		kept, _ := os.ReadFile(filepath.Join(dir, run.KeptName, "train.txt"))
		if string(kept) != c.kept {
			t.Errorf("%v: %q is kept, want %q", c.purify, kept, c.kept)
		}
		if r.Removed+r.Changed != c.foundIn {
			t.Errorf("%v: %d removed, %d changed", c.purify, r.Removed, r.Changed)
		}
	}
}

// What a tenth of the items of a benchmark have, and three or more, is its form, however small it is: alone it is no
// hit, and the share of an item is that of its own words. It is the form of other benchmarks, too. A phrase of one
// item is listed apart.
func TestForm(t *testing.T) {
	in := t.TempDir()
	words := func(name string, from, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint(name, from+i))
		}
		return strings.Join(all, " ")
	}
	form, tests := words("form", 0, 24), ""
	for i := range 50 {
		tests += fmt.Sprintf("{\"id\":\"i%d\",\"q\":\"%s %s\"}\n", i, form, words(fmt.Sprintf("own%dx", i), 0, 20))
	}
	few := ""
	for i := range 4 {
		few += fmt.Sprintf("{\"id\":\"f%d\",\"q\":\"%s %s\"}\n", i, map[bool]string{true: words("small", 0, 15), false: words("none", 0, 15)}[i < 3], words(fmt.Sprintf("few%dx", i), 0, 12))
	}
	news := fmt.Sprintf("{\"id\":\"n\",\"q\":%q}\n{\"id\":\"form\",\"q\":%q}\n{\"q\":%q}\n", words("news", 0, 60), form+" "+words("and", 0, 6), question)
	all := []string{put(t, in, "tests.jsonl", tests), put(t, in, "few.jsonl", few), put(t, in, "news.jsonl", news)}
	for _, c := range []struct {
		name, text string
		tests      []string
		hits, less string
	}{
		{"the form", "so " + form + " end", all[:2], "", ""},
		{"the form and a word", form + " own7x0 end", all[:1], "", "i7 0.05"},
		{"the form and some words", form + " " + words("own7x", 0, 10), all[:1], "i7 0.5", ""},
		{"its own words", words("own7x", 0, 20) + " end", all[:1], "i7 1", ""},
		{"all of it", form + " " + words("own7x", 0, 20) + " end", all[:1], "i7 1", ""},
		{"the form of three", words("small", 0, 15), all[1:2], "", ""},
		{"what one of them has", words("none", 0, 15), all[1:2], "f3 0.5555", ""},
		{"items that are all alike", words("equal", 0, 20), []string{put(t, in, "equal.jsonl", strings.Repeat("{\"q\":\""+words("equal", 0, 20)+"\"}\n", 3))}, "", ""},
		{"the form in another benchmark", "so " + form + " end", all, "", ""},
		{"a phrase", words("news", 20, 14) + " clean news", all, "", "n 0.2333"},
		{"a phrase and another one", words("news", 20, 14) + " and " + words("news", 40, 13), all, "n 0.45", ""},
		{"half of it", words("news", 20, 30), all, "n 0.5", ""},
	} {
		train, dir := put(t, in, "train.jsonl", fmt.Sprintf("{\"text\":%q}\n", c.text)), filepath.Join(t.TempDir(), "out")
		r, err := Run(t.Context(), []string{train}, dir, Options{Options: run.Options{Threads: 1}, Tests: testsOf(c.tests...), Words: DefaultWords, Purify: Documents})
		if err != nil {
			t.Fatal(err)
		}
		list := func(name string) string {
			var all []string
			for _, row := range rowsOf(t, dir, name) {
				all = append(all, fmt.Sprint(row.Item, " ", row.Share))
			}
			return strings.Join(all, ", ")
		}
		if hits, less := list(hitsName), list(lessName); hits != c.hits || less != c.less || (hits == "") != (r.Removed == 0) || r.Form == 0 ||
			(r.Alike == 3) != (len(r.Warnings) == 1) || (r.Alike == 3) != (c.name == "items that are all alike") {
			t.Errorf("%s: %q and %q, want %q and %q; %d removed, %d forms", c.name, hits, less, c.hits, c.less, r.Removed, r.Form)
		}
	}
}

// rowOf returns n words that differ by a name.
func rowOf(name string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(name, "x", i))
	}
	return strings.Join(all, " ")
}

// What forms leave of a field is judged as a field of that length, wherever it stands in the field. What is shorter
// than that is short, but found as a whole with its form.
func TestFormLeaves(t *testing.T) {
	in, form := t.TempDir(), rowOf("form", 18)
	for _, c := range []struct {
		own              int
		before, behind   string
		text             func(own, item string) string
		found, short     int
		hits, share, how string
	}{
		{10, form + " ", "", func(own, _ string) string { return own }, 1, 0, "3", "1", "behind a form"},
		{8, "", " " + form, func(own, _ string) string { return own }, 1, 0, "3", "1", "before a form"},
		{12, form + " ", " " + rowOf("end", 14), func(own, _ string) string { return own }, 1, 0, "3", "1", "between forms"},
		{12, form + " ", "", func(own, _ string) string { return own[:len(own)-1] + "y" }, 0, 0, "", "", "not all of it"},
		{10, form + " ", "", func(string, string) string { return form }, 0, 0, "", "", "the form"},
		{10, form + " ", "", func(_, item string) string { return item }, 1, 0, "3", "1", "all of it"},
		{7, form + " ", "", func(own, _ string) string { return own }, 0, 6, "", "", "too short"},
		{7, form + " ", "", func(_, item string) string { return item }, 1, 5, "3", "1", "too short, but all of it"},
	} {
		tests, items := "", []string(nil)
		for i := range 6 {
			items = append(items, c.before+rowOf(fmt.Sprint("own", i), c.own)+c.behind)
			tests += fmt.Sprintf("{\"id\":%d,\"q\":%q}\n", i, items[i])
		}
		train := put(t, in, "train.txt", "some words before it "+c.text(rowOf("own3", c.own), items[3])+" and behind")
		dir := filepath.Join(t.TempDir(), "out")
		r, err := Run(t.Context(), []string{train}, dir, Options{Options: run.Options{Threads: 1}, Tests: testsOf(put(t, in, "t.jsonl", tests)), Words: DefaultWords})
		if err != nil || r.Items != 6 || r.Found != c.found || r.Short != c.short || r.Alike != 0 || r.Less != 0 {
			t.Errorf("%s: %v, %+v", c.how, err, r)
			continue
		}
		for _, row := range rowsOf(t, dir, hitsName) {
			if row.Item != c.hits || fmt.Sprint(row.Share) != c.share {
				t.Errorf("%s: %v", c.how, row)
			}
		}
	}
}

// A passage that several items have is no form: it is found, and so are all of them. What the passages or the
// questions begin with is. A field that most items have is form, and one line says so.
func TestPassages(t *testing.T) {
	in, form, instruction := t.TempDir(), rowOf("form", 24), rowOf("please", 15)
	tests, equal, small := "", "", ""
	for i := range 50 {
		tests += fmt.Sprintf("{\"id\":\"q%d\",\"context\":\"%s %s\",\"question\":%q}\n", i, form, rowOf(fmt.Sprint("passage", i/5), 60), rowOf(fmt.Sprint("q", i), 12))
		equal += fmt.Sprintf("{\"text\":%q,\"how\":%q}\n", rowOf(fmt.Sprint("equal", max(i-30, 0)), 20), instruction)
	}
	for i := range 2 {
		small += fmt.Sprintf("{\"text\":\"%s %s\"}\n", form, rowOf(fmt.Sprint("small", i), 9))
	}
	paths := map[string]string{"passages": put(t, in, "p.jsonl", tests), "equal": put(t, in, "e.jsonl", equal), "small": put(t, in, "s.jsonl", small)}
	three := strings.Repeat(fmt.Sprintf("{\"text\":%q}\n", rowOf("three", 20)), 3)
	for i := range 27 {
		three += fmt.Sprintf("{\"text\":%q}\n", rowOf(fmt.Sprint("t", i), 20))
	}
	paths["three"] = put(t, in, "three.jsonl", three)
	for _, c := range []struct {
		tests                        []string
		text                         string
		found, hits, alike, warnings int
	}{
		{[]string{"passages"}, form + " " + rowOf("passage1", 60), 5, 5, 0, 0},
		{[]string{"passages"}, rowOf("passage1", 60) + " " + rowOf("passage7", 60) + " " + rowOf("q5", 12), 10, 11, 0, 0},
		{[]string{"passages"}, form, 0, 0, 0, 0},
		{[]string{"small", "passages"}, form, 0, 0, 0, 0},
		{[]string{"small", "passages"}, "so " + rowOf("small1", 9), 1, 1, 0, 0},
		{[]string{"three"}, rowOf("three", 20), 3, 3, 0, 0},
		{[]string{"equal"}, instruction, 0, 0, 31, 2},
		{[]string{"equal"}, rowOf("equal0", 20), 0, 0, 31, 2},
		{[]string{"equal"}, rowOf("equal4", 20), 1, 1, 31, 2},
	} {
		o := Options{Options: run.Options{Threads: 1, Corpus: corpus.Options{Base: in}}, Words: DefaultWords, Purify: Documents}
		for _, name := range c.tests {
			o.Tests = append(o.Tests, Test{Path: paths[name]})
		}
		r, err := Run(t.Context(), []string{put(t, in, "train.txt", c.text)}, filepath.Join(t.TempDir(), "out"), o)
		if err != nil || r.Found != c.found || r.Hits != c.hits || r.Alike != c.alike || len(r.Warnings) != c.warnings || r.Removed != min(1, c.found) {
			t.Errorf("%.20s in %v: %v, %+v", c.text, c.tests, err, r)
		}
	}
}

// Where a passage was cut, the words on both sides may be those of an item.
func TestPurifyTwice(t *testing.T) {
	in, dir := t.TempDir(), filepath.Join(t.TempDir(), "out")
	item, half := "a b c d e f g h i j k l m", strings.Repeat("x y z ", 5)
	o := Options{Options: run.Options{Threads: 1, Corpus: corpus.Options{Base: in, Format: corpus.Lines}},
		Tests: testsOf(put(t, in, "t.jsonl", fmt.Sprintf("{\"q\":%q}\n{\"q\":%q}\n", item, half))), Words: DefaultWords, Purify: Passages,
	}
	train := put(t, in, "train.txt", "so "+item[:12]+half+item[12:]+" end\n")
	if _, err := Run(t.Context(), []string{train}, dir, o); err != nil {
		t.Fatal(err)
	}
	if got := get(t, dir, run.KeptName, "train.txt"); got != "so end\n" {
		t.Errorf("%q is kept", got)
	}
}

// The same is written by any number of threads, and by a second run in the place of the first.
func TestDeterministic(t *testing.T) {
	in, random := t.TempDir(), rand.New(rand.NewPCG(7, 8))
	draw := func(n int) string {
		var words []string
		for range n {
			words = append(words, fmt.Sprint("w", random.IntN(4)))
		}
		return strings.Join(words, " ")
	}
	var tests, train strings.Builder
	for i := range 50 {
		fmt.Fprintf(&tests, "{\"id\":%d,\"question\":%q,\"answer\":%q}\n", i, draw(random.IntN(40)), draw(random.IntN(12)))
	}
	for i := range 6000 {
		fmt.Fprintf(&train, "{\"id\":%d,\"text\":%q}\n", i, draw(random.IntN(60)))
	}
	o := Options{Options: run.Options{Command: "c"}, Tests: testsOf(put(t, in, "tests.jsonl", tests.String())), Words: 8, Purify: Passages}
	files := []string{put(t, in, "train.jsonl", train.String()), put(t, in, "b/other.txt", draw(500))}
	read := func(dir string) (all string) {
		for _, name := range []string{hitsName, run.KeptName + "/train.jsonl"} {
			all += get(t, dir, name)
		}
		return all
	}
	o.Corpus.Base = in
	want, dir := "", filepath.Join(t.TempDir(), "out")
	for _, threads := range []int{1, 2, 7} {
		o.Threads = threads
		if _, err := Run(t.Context(), files, dir, o); err != nil {
			t.Fatal(err)
		}
		if got := read(dir); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d threads write something else", threads)
		}
	}
	if strings.Count(want, "\n") < 6000 {
		t.Errorf("%d lines show little", strings.Count(want, "\n"))
	}
}

// What stops a run leaves nothing behind, and the earlier result as it was.
func TestStopped(t *testing.T) {
	o, train, dir := collection(t)
	o.Purify = Documents
	if _, err := Run(t.Context(), train, dir, o); err != nil {
		t.Fatal(err)
	}
	before := get(t, dir, hitsName)
	for _, at := range []string{ReadingTests, run.Reading, listing, run.Writing} {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("stopped")
		o.Phase = func(what string) {
			if what == at {
				cancel(why)
			}
		}
		for _, to := range []string{dir, filepath.Join(t.TempDir(), "new")} {
			if _, err := Run(ctx, train, to, o); !errors.Is(err, why) {
				t.Errorf("stopped at %s: %v", at, err)
			}
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "unfinished")); len(names) > 0 || get(t, dir, hitsName) != before {
			t.Errorf("stopped at %s: %v is there", at, names)
		}
	}
	o.Phase, o.Command = nil, "another"
	if _, err := Run(t.Context(), train, dir, o); err == nil || !strings.Contains(err.Error(), "another command") {
		t.Errorf("the result of another command: %v", err)
	}
}

// A file that changes between the readings is an error, and so is a disk that fails.
func TestFails(t *testing.T) {
	for _, c := range [][2]string{{"train", listing}, {"train", run.Writing}} {
		o, train, dir := collection(t)
		o.Purify = Documents
		which, when := c[0], c[1]
		o.Phase = func(what string) {
			if what == when {
				path := map[string]string{"test": o.Tests[0].Path, "train": train[0]}[which]
				text := get(t, path)
				if err := os.WriteFile(path, []byte(strings.Replace(strings.Replace(text, "rivers", "lakes", 1), "RIVERS", "LAKES", 1)), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := Run(t.Context(), train, dir, o); !errors.Is(err, document.ErrChanged) {
			t.Errorf("a %s that changes before %s: %v", which, when, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a %s that changes before %s leaves %s: %v", which, when, dir, err)
		}
	}
}

// What is no text, what cannot be read, and tests of which nothing can be judged, are told of.
func TestRefused(t *testing.T) {
	in := t.TempDir()
	good, out := put(t, in, "good.jsonl", "{\"text\":\"one two three four five six seven eight nine ten\"}\n"), filepath.Join(t.TempDir(), "out")
	bad := put(t, in, "bad.jsonl", "{\"text\":\"one two three four five six seven eight nine ten\"}\n{\"text\":\n{\"x\":1}\n")
	prints := put(t, in, "prints.txt", "a 0x0123456789abcdef\nb 0x0123456789abcdee\n")
	few := put(t, in, "few.jsonl", "{\"question\":\"Why so?\"}\n")
	for _, c := range []struct {
		name     string
		tests    []string
		train    []string
		change   func(o *Options)
		complain string
	}{
		{"few words", []string{few}, []string{good}, nil, "none of 1 item of the tests has a text of 8 words or more"},
		{"no such file", []string{in + "/none"}, []string{good}, nil, "none"},
		{"fingerprints", []string{good}, []string{prints}, func(o *Options) { o.Corpus.Format = corpus.Fingerprints }, "no words"},
		{"rule", []string{good}, []string{good}, func(o *Options) { o.Words = 65 }, "want 1 to 64"},
	} {
		o := Options{Options: run.Options{Threads: 1}, Tests: testsOf(c.tests...), Words: DefaultWords}
		if c.change != nil {
			c.change(&o)
		}
		if _, err := Run(t.Context(), c.train, out, o); err == nil || !strings.Contains(err.Error(), c.complain) {
			t.Errorf("%s: the error is %v", c.name, err)
		}
	}
	told := 0
	o := Options{Options: run.Options{Threads: 1, Bad: func(*corpus.BadError) { told++ }, FS: disk.OS}, Tests: testsOf(bad), Words: DefaultWords}
	r, err := Run(t.Context(), []string{bad}, out, o)
	if err != nil || r.Bad != told || told < 2 || r.Found != 1 {
		t.Errorf("%v, %d told of, and %+v", err, told, r)
	}
	for _, dir := range []string{in, filepath.Join(in, "out")} {
		if _, err := Run(t.Context(), []string{in}, dir, o); err == nil || !strings.Contains(err.Error(), "apart") {
			t.Errorf("a directory that is read: %v", err)
		}
	}
}

// The texts of items with all shares are shown, of each benchmark.
func TestPick(t *testing.T) {
	var list []Item
	for i := range 500 {
		list = append(list, Item{Benchmark: []string{"a", "b", "a"}[i%3], Share: 1 - float64(i)/1000})
	}
	list = append(list, Item{Benchmark: "c"})
	for _, n := range []int{1, 13, 20} {
		picked := pick(list, n)
		if want := 2*n + min(1, mostShown-2*n); len(picked) != want || !picked[0] || !picked[1] || n > 1 && (!picked[498] || !picked[499]) {
			t.Errorf("of %d: %v", n, picked)
		}
	}
	if picked := pick(nil, 5); len(picked) > 0 {
		t.Errorf("of nothing: %v", picked)
	}
}

// A page shows what is around, of texts that are longer than it shows.
func TestShown(t *testing.T) {
	for _, text := range []string{
		"FOUND", "a FOUND b", strings.Repeat("before it ", 50) + "FOUND" + strings.Repeat(" behind it", 50),
		strings.Repeat("before it ", 50_000) + "FOUND" + strings.Repeat(" behind it", 50_000), strings.Repeat("東京", 20_000) + "FOUND" + strings.Repeat("東京", 20_000),
	} {
		at := strings.Index(text, "FOUND")
		is := shown([]byte("found"), []byte(text), [][2]span{{{0, 5}, {at, at + 5}}})
		all, found := "", 0
		for _, p := range is.Document {
			if all += p.Text; p.Passage == 1 {
				found++
			}
			if (p.Passage == 1) != (p.Text == "FOUND") {
				t.Errorf("%v is a part", p)
			}
		}
		if found != 1 || len(all) > mostText || len(text) < 100 && all != text || len(is.Item) != 1 || is.Item[0].Passage != 1 {
			t.Errorf("%q and %v are shown", all, is.Item)
		}
	}
	// Runs that lie outside of what is shown, or cross its end, are no error.
	long := []byte(strings.Repeat("many words ", 10_000))
	if is := shown(long, long, [][2]span{{{50_000, 50_010}, {50_000, 50_010}}, {{10, 20}, {100_000, 100_010}}, {{60_000, 90_000}, {45_000, 75_000}}}); len(is.Item) < 3 || len(is.Document) < 3 {
		t.Errorf("%d and %d parts", len(is.Item), len(is.Document))
	}
}
