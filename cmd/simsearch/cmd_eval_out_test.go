package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/cli/results"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/publish"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// Labels that were filled in are there, whichever operation of writing the report fails. No unfinished file stays.
func TestLabelsOutliveFailures(t *testing.T) {
	t.Parallel()
	const filled = `{"a":"a","b":"b","label":"yes","figures":"1 bit"}`
	section := &report.Section{Name: "pairs", Examples: []*report.Examples{{Pairs: []report.Example{{A: "b", B: "a"}, {A: "c", B: "d", Figures: "2 bits"}}}}}
	r := &report.Report{Version: 1, Title: "new", Sections: []*report.Section{section}}
	merged := filled + "\n" + `{"a":"c","b":"d","label":"","figures":"2 bits"}` + "\n"
	failures := 0
	for at := 0; ; at++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "labels.jsonl"), []byte(filled), 0o666); err != nil {
			t.Fatal(err)
		}
		n := 0
		failing := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
			if n++; n == at+1 && op.Writes() {
				return 3, errors.New("broken")
			}
			return 0, nil
		}}
		err := results.WriteReport(dir, publish.Options{By: "eval", Anew: true, Edited: []string{truth.LabelsName}, FS: failing}, r)
		got, readErr := os.ReadFile(filepath.Join(dir, "labels.jsonl"))
		if text := string(got); readErr != nil || text != merged && (err == nil || text != filled) {
			t.Fatalf("operation %d fails, %v: the labels are %q, %v", at, err, text, readErr)
		}
		if n <= at {
			break
		}
		if err != nil {
			failures++
		}
		if left, _ := filepath.Glob(filepath.Join(dir, disk.TempPattern)); len(left) > 1 { // one, if removing it is what fails
			t.Errorf("operation %d fails: %q stay", at, left)
		}
	}
	if failures < 15 {
		t.Errorf("only %d operations failed", failures)
	}
}

// What eval writes of documents is read by those alone who may read the documents.
func TestModesOfReports(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are those of Unix")
	}
	dir := t.TempDir()
	texts := []string{`{"id":"a","text":"the first of some words that are near"}`, `{"id":"b","text":"the first of some words that are here"}`}
	public, secret, group, out := filepath.Join(dir, "public.jsonl"), filepath.Join(dir, "secret.jsonl"), filepath.Join(dir, "group.jsonl"), filepath.Join(dir, "out")
	for path, mode := range map[string]fs.FileMode{public: 0o644, secret: 0o600, group: 0o640} {
		if err := os.WriteFile(path, []byte(strings.Join(texts, "\n")), mode); err != nil {
			t.Fatal(err)
		}
	}
	index := filepath.Join(dir, "idx")
	must(t, "index", "--index", index, "--quiet", "--store", "source", secret)
	for _, tt := range []struct {
		args   []string
		denied fs.FileMode
	}{
		{[]string{public}, 0},
		{[]string{group}, 0o006},
		{[]string{group, public, secret}, 0o066},
		{[]string{"--recommend", secret}, 0o066},
		{[]string{"--index", index}, 0o066},
	} {
		target := filepath.Join(out, strings.ReplaceAll(strings.Join(tt.args, " "), "/", "_"))
		if err := os.MkdirAll(target, 0o777); err != nil {
			t.Fatal(err)
		}
		must(t, slices.Concat([]string{"eval", "--quiet", "--out", target}, tt.args)...)
		list, err := os.ReadDir(target)
		if err != nil || len(list) < 4 {
			t.Fatal(list, err)
		}
		probe := filepath.Join(dir, "probe")
		if err := os.WriteFile(probe, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		usual, err := os.Stat(probe)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range list {
			info, err := entry.Info()
			if err != nil {
				t.Fatal(err)
			}
			if want := usual.Mode() &^ tt.denied; info.Mode() != want {
				t.Errorf("%v: %s has the mode %v, want %v", tt.args, entry.Name(), info.Mode(), want)
			}
		}
	}
}
