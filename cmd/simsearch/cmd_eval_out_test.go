package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

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
