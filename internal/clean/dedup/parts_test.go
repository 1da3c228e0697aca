package dedup

import (
	"bytes"
	"context"
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

	"github.com/parquet-go/parquet-go"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/tests/testkit"
)

// What is cut is what a simple program cuts, on any number of threads and in any memory.
func TestCut(t *testing.T) {
	for seed, o := range []Options{{By: Paragraphs}, {By: Lines}, {By: Lines, Threshold: 1}, {By: Paragraphs, Threshold: 0.6, MinWords: 1}} {
		const refs = 60
		all := dividedTexts(rand.New(rand.NewPCG(uint64(seed), 1)), 400)
		o.Settings, o.Threads = DefaultSettings(), 2
		if o.Threshold == 0 {
			o.Threshold, o.MinWords = 0.8, DefaultMinWords
		}
		for _, refs := range []int{0, refs} {
			from, inputs := []string(nil), files(t, all)
			if refs > 0 {
				from, inputs = []string{files(t, all[:refs])}, files(t, all[refs:])
			}
			got, result := cutTo(t, from, inputs, o)
			parts, removed := simpleCut(t, all, refs, o)
			compareCuts(t, got, result, parts[refs:], removed[refs:], refs)
			o.Threads, o.Memory = 1, 1<<21
			if again, _ := cutTo(t, from, inputs, o); fmt.Sprint(again) != fmt.Sprint(got) {
				t.Error("other files on one thread and in little memory")
			}
			o.Threads, o.Memory = 2, 0
		}
	}
}

// cutRun cuts parts, and writes to out.
func cutRun(ctx context.Context, refs, inputs []string, out string, o Options) (r *Cuts, err error) {
	c, err := Read(ctx, refs, inputs, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := Decide(ctx, c)
	if err != nil {
		return r, err
	}
	err = d.Write(ctx, out)
	return d.Cuts(), err
}

func cutTo(t *testing.T, refs []string, dir string, o Options) (map[string]string, *Cuts) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	r, err := cutRun(t.Context(), refs, []string{dir}, out, o)
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, out), r
}

// compareCuts compares files with what a simple program has decided.
func compareCuts(t *testing.T, got map[string]string, r *Cuts, parts [][]*wantedPart, removed []bool, refs int) {
	t.Helper()
	id := func(doc int) string {
		if doc < refs {
			return fmt.Sprintf("d%d", doc)
		}
		return fmt.Sprintf("d%d", doc-refs)
	}
	var cuts []string
	var gone []string
	texts := map[string]string{}
	exact, near := 0, 0
	for i, list := range parts {
		left := ""
		cut := 0
		for _, p := range list {
			if p.cut == nil {
				left += " " + p.text
				continue
			}
			cut++
			if p.cut.near {
				near++
			} else {
				exact++
			}
			cuts = append(cuts, fmt.Sprintf("%s %d %s %d %v %v", id(p.doc), p.number, id(p.cut.kept.doc), p.cut.kept.number, p.cut.similarity, p.cut.near))
		}
		if removed[i] {
			gone = append(gone, fmt.Sprintf("%s %d", id(list[0].doc), cut))
		} else {
			texts[id(list[0].doc)] = strings.Join(strings.Fields(left), " ")
		}
	}
	var gotCuts, gotGone []string
	for _, row := range rowsOf[cutRow](t, got[run.CutName]) {
		gotCuts = append(gotCuts, fmt.Sprintf("%s %d %s %d %v %v", row.ID, row.Part, row.KeptID, row.KeptPart, row.Similarity, row.Near))
	}
	for _, row := range rowsOf[goneRow](t, got[run.RemovedName]) {
		gotGone = append(gotGone, fmt.Sprintf("%s %d", row.ID, row.Parts))
	}
	if !slices.Equal(gotCuts, cuts) || exact < 50 {
		t.Errorf("%d cuts, want %d", len(gotCuts), len(cuts))
	}
	if !slices.Equal(gotGone, gone) || len(gone) == 0 {
		t.Errorf("removed are %v, want %v", gotGone, gone)
	}
	if r.Exact != exact || r.Near != near || r.Removed != len(gone) || r.Documents != len(parts) {
		t.Errorf("%+v, want %d exact and %d near", r, exact, near)
	}
	documents := 0
	for name, text := range got {
		if !strings.HasPrefix(name, run.KeptName) {
			continue
		}
		for _, row := range rowsOf[record](t, text) {
			documents++
			if is := strings.Join(strings.Fields(row.Text), " "); is != texts[row.ID] {
				t.Errorf("%s is left as %q, want %q", row.ID, is, texts[row.ID])
			}
		}
	}
	if documents != len(texts) {
		t.Errorf("%d documents are left, want %d", documents, len(texts))
	}
}

// Only the bytes of texts that change are others, in all formats.
func TestCutFormats(t *testing.T) {
	const again = "The same words are said again in each of these."
	for _, tt := range []struct{ name, text, want string }{
		{"a.jsonl", `{"n": 1, "text":"` + again + `"}` + "\r\n\nbad\n" + `{ "text" : "Some words.\n\u0054` + again[1:] + `\u0009\n\nMore – \u00e9","n":1.0}`,
			`{"n": 1, "text":"` + again + `"}` + "\r\n\nbad\n" + `{ "text" : "Some words.\n\nMore – é","n":1.0}`},
		{"a.json", `[{"text":"` + again + `"}, {"text":"One\n` + again + `"}, {"text":"` + again + `"}]`, `[{"text":"` + again + `"}, {"text":"One"}]`},
		{"a.csv", "id;text\n1;" + again + "\n2;\"x\n" + again + "\"\n3;" + again + "\n", "id;text\n1;" + again + "\n2;\"x\"\n"},
		{"a.tsv", "id\ttext\n1\t" + again + "\n2\t" + again + "\n", "id\ttext\n1\t" + again + "\n"},
		{"a.txt", "\ufeff" + again + "\r\nx\r\n" + again + "\r\n" + again, "\ufeff" + again + "\r\nx"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, tt.name), []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, _ := cutTo(t, nil, dir, cutOptions())
		if got[run.KeptName+"/"+tt.name] != tt.want {
			t.Errorf("%s is left as\n%q, want\n%q", tt.name, got[run.KeptName+"/"+tt.name], tt.want)
		}
	}
	for name, text := range map[string]string{"a.html": "<p>" + again, "a.wet": "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:1>\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nab\r\n\r\n", "a.u64": "0123456789abcdef\n"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := cutRun(t.Context(), nil, []string{path}, filepath.Join(t.TempDir(), "out"), cutOptions()); !errors.Is(err, ErrText) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %v", name, err, ErrText)
		}
	}
	o := cutOptions()
	o.Corpus.TextField = "title,body"
	if _, err := cutRun(t.Context(), nil, []string{t.TempDir()}, "out", o); err == nil || !strings.Contains(err.Error(), "several text fields") {
		t.Error(err)
	}
}

// The column of texts changes, and no other one.
func TestCutParquet(t *testing.T) {
	type row struct {
		ID   string  `parquet:"id"`
		Text string  `parquet:"text"`
		N    float64 `parquet:"n"`
	}
	const again = "The same words are said again in each of these."
	dir := t.TempDir()
	rows := []row{{"a", "one\n" + again, 1.5}, {"b", again + "\ntwo", 2.5}, {"c", again, 3.5}}
	if err := parquet.WriteFile(filepath.Join(dir, "a.parquet"), rows); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := cutRun(t.Context(), nil, []string{dir}, out, cutOptions()); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.ReadFile[row](filepath.Join(out, run.KeptName, "a.parquet"))
	if want := []row{rows[0], {"b", "two", 2.5}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func cutOptions() Options {
	o := options()
	o.By, o.MinWords = Lines, DefaultMinWords
	return o
}

// A line of signs alone is no repetition, however few words a line may have.
func TestLinesOfSignsStay(t *testing.T) {
	const text = `{"text":"one\n}\n--"}` + "\n" + `{"text":"two\n}\n--"}` + "\n"
	dir := writeFiles(t, map[string]string{"a.jsonl": text})
	o := cutOptions()
	o.MinWords = 0
	if got, _ := cutTo(t, nil, dir, o); got[run.KeptName+"/a.jsonl"] != text {
		t.Errorf("kept %q", got[run.KeptName+"/a.jsonl"])
	}
}

// Standard input is written to a stream, as a file would be written.
func TestCutStream(t *testing.T) {
	dir := files(t, dividedTexts(rand.New(rand.NewPCG(7, 1)), 90))
	want, _ := cutTo(t, nil, filepath.Join(dir, "part0.jsonl"), cutOptions())
	in, err := os.Open(filepath.Join(dir, "part0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	o := cutOptions()
	o.Corpus.Stdin = in
	var out bytes.Buffer
	c, err := Read(t.Context(), nil, []string{corpus.Stdin.Path}, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Decide(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(d.Stream(t.Context(), &out), c.Close())
	r := d.Cuts()
	if err != nil || out.String() != want[run.KeptName+"/part0.jsonl"] || r.Exact == 0 {
		t.Errorf("%d bytes, %v, %+v; want %d bytes", out.Len(), err, r, len(want[run.KeptName+"/part0.jsonl"]))
	}
}

// A dry run writes the same lists, and no documents.
func TestCutDryRun(t *testing.T) {
	all := dividedTexts(rand.New(rand.NewPCG(8, 1)), 90)
	dir, refs := files(t, all[:60]), []string{files(t, all[60:])}
	want, wanted := cutTo(t, refs, dir, cutOptions())
	o := cutOptions()
	o.DryRun = true
	got, result := cutTo(t, refs, dir, o)
	for name, text := range want {
		if !strings.HasPrefix(name, run.KeptName) && name != run.ReportName && name != run.PageName && got[name] != text {
			t.Errorf("%s is another file", name)
		}
	}
	if summary := result.Summary(); !strings.Contains(summary, " would be cut, ") {
		t.Errorf("%q tells of a trial as if something were cut", summary)
	}
	result.Mode = Removing
	if len(got) != 5-1 || fmt.Sprint(result) != fmt.Sprint(wanted) {
		t.Errorf("%d files, %+v, want %+v", len(got), result, wanted)
	}
}

// The report has the texts of what is cut most often, and of borderline pairs.
func TestCutReport(t *testing.T) {
	dir := t.TempDir()
	line := func(n int) string { return fmt.Sprintf("This is sentence %d of one and of several other texts.", n) }
	var long []string
	for i := range 30 {
		long = append(long, fmt.Sprintf("word%d", i))
	}
	other := slices.Clone(long)
	other[3] = "another"
	text := strings.Repeat(line(1)+"\n", 3) + strings.Repeat(line(2)+"\n", 5) + strings.Join(long, " ") + "\n" + strings.Join(other, " ") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, _ := cutTo(t, nil, dir, cutOptions())
	var r struct {
		Exact, Near int
		Repeated    []struct {
			Times, Part int
			Text        string
		}
		Borderline []struct{ ID, A, B string }
	}
	if err := json.Unmarshal([]byte(got[run.ReportName]), &r); err != nil {
		t.Fatal(err)
	}
	if r.Exact != 6 || r.Near != 1 || len(r.Repeated) != 3 || r.Repeated[0].Times != 4 || r.Repeated[0].Text != line(2) || r.Repeated[0].Part != 4 || r.Repeated[1].Times != 2 {
		t.Errorf("%+v", r)
	}
	if len(r.Borderline) != 1 || r.Borderline[0].ID != filepath.Join(dir, "a.txt")+", line 10" || r.Borderline[0].A != strings.Join(other, " ") || r.Borderline[0].B != strings.Join(long, " ") {
		t.Errorf("%+v", r.Borderline)
	}
	if page := got[run.PageName]; !strings.Contains(page, "7 of 10 lines cut") || !strings.Contains(page, line(2)) {
		t.Error("the page does not say what is cut")
	}
}

// A run that fails anywhere is finished by the same run again, with the same files.
func TestCutFailures(t *testing.T) {
	dir := files(t, dividedTexts(rand.New(rand.NewPCG(9, 1)), 60))
	again := cutOptions()
	again.Command = "simsearch dedup"
	want, _ := cutTo(t, nil, dir, again)
	for at := 0; ; at += testkit.Of(5, 1) {
		out := filepath.Join(t.TempDir(), "out")
		n, hit := 0, false
		o := cutOptions()
		o.Threads, o.Command = 1, "simsearch dedup"
		o.FS = &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
			if n++; n-1 == at {
				hit = true
				return 0, os.ErrPermission
			}
			return 0, nil
		}}
		_, err := cutRun(t.Context(), nil, []string{dir}, out, o)
		if !hit {
			break
		}
		if err == nil {
			if got := contents(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("operation %d fails, and nobody is told", at)
			}
			continue
		}
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("operation %d: %v", at, err)
		}
		if _, err := cutRun(t.Context(), nil, []string{dir}, out, again); err != nil {
			t.Fatalf("operation %d: %v", at, err)
		}
		if got := contents(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("operation %d fails: other files after the next run", at)
		}
	}
}

// A file that changes between the two readings is told of.
func TestCutOfChangedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	const before = `{"id":"a","text":"one two three"}` + "\n" + `{"id":"b","text":"four five six"}` + "\n"
	for what, after := range map[string]string{"another text": strings.Replace(before, "two", "2", 1), "more": before + before, "less": before[:strings.Index(before, "\n")+1]} {
		if err := os.WriteFile(path, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		o := cutOptions()
		o.Phase = func(what string) {
			if what == run.Writing {
				if err := os.WriteFile(path, []byte(after), 0o666); err != nil {
					t.Error(err)
				}
			}
		}
		if _, err := cutRun(t.Context(), nil, []string{path}, filepath.Join(t.TempDir(), "out"), o); !errors.Is(err, document.ErrChanged) {
			t.Errorf("%s: %v, want %v", what, err, document.ErrChanged)
		}
	}
}

// Parts that exceed the memory lie in temporary files, and what is cut is the same.
func TestCutMemory(t *testing.T) {
	dir := files(t, dividedTexts(rand.New(rand.NewPCG(1, 2)), 200))
	temporary := func(o Options) (result map[string]string, files int) {
		o.FS = &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
			if op.Kind == "createtemp" {
				files++
			}
		}}
		result, r := cutTo(t, nil, dir, o)
		if r.Near == 0 {
			t.Error("no part is near another one")
		}
		return result, files
	}
	o := cutOptions()
	o.MinWords = 3
	want, held := temporary(o)
	o.Memory, o.PartBytes = 1000, 1<<9
	got, spilled := temporary(o)
	if !same(got, want) || spilled <= held {
		t.Errorf("%d temporary files, and %d with memory; other files: %v", spilled, held, !same(got, want))
	}
}

// A source that loses nearly all is told of, and so are documents of which little is left.
func TestCutWarnings(t *testing.T) {
	r := Cuts{halved: 5, By: Lines.String(), Documents: 100, Sources: []cutSource{{Path: "a", Documents: 9, Parts: 10, Exact: 10}, {Path: "b", Documents: 91, Parts: 100, Exact: 90}}}
	if got := r.warned(); len(got) != 0 {
		t.Errorf("%q", got)
	}
	r.halved, r.Sources[1].Near = 10, 1
	want := []string{"b loses 91 of its 100 lines.", "10 documents lose more than half of their texts and stay. They may be near others: remove near documents first."}
	if got := r.warned(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	long := "one two three four five six seven eight nine ten eleven"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(long+"\n"+long+"\n"+long+"\nshort"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, r := cutTo(t, nil, dir, cutOptions()); r.halved != 1 || r.Changed != 1 {
		t.Errorf("%+v", r)
	}
}
