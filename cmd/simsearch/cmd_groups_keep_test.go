package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const copies = `{"id":"a","text":"the bridge over the river is closed until the end of May","date":"2024-02-01","n":"7","source":"wire"}
{"id":"b","text":"the bridge over the river is closed until the end of May!","date":"1-MAR-2024 10:00:00.00","n":9,"source":"blog"}
{"id":"c","text":"The bridge over the river is closed until the end of May","date":"2024-01-31","n":10,"source":"wire"}
{"id":"d","text":"the library opens at nine from now on and closes at noon","source":"wire"}
{"id":"e","text":"The library opens at nine from now on and closes at noon","source":"wire"}
`

func indexOfCopies(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", "--perms", "64", "--keep-fields", "date,n,source", write(t, filepath.Join(t.TempDir(), "news.jsonl"), copies))
	return dir
}

// Groups tell their current document by a field, in each format.
func TestGroupsKeep(t *testing.T) {
	t.Parallel()
	dir := indexOfCopies(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--keep", "newest"}, "1 3 1.0000 a -,1 3 1.0000 b newest,1 3 1.0000 c -,2 2 1.0000 d -,2 2 1.0000 e -,"},
		{[]string{"--keep", "oldest:date"}, "1 3 1.0000 a -,1 3 1.0000 b -,1 3 1.0000 c oldest,2 2 1.0000 d -,2 2 1.0000 e -,"},
		{[]string{"--keep", "highest:n", "--k", "0"}, "1 3 0 a -,1 3 0 b -,1 3 0 c highest,2 2 0 d -,2 2 0 e -,"},
		{[]string{"--keep", "lowest:n", "--where", "source=wire"}, "1 2 1.0000 a lowest,1 2 1.0000 c -,2 2 1.0000 d -,2 2 1.0000 e -,"},
		{[]string{"--keep", "longest"}, "1 3 1.0000 a -,1 3 1.0000 b longest,1 3 1.0000 c -,2 2 1.0000 d longest,2 2 1.0000 e -,"},
		{[]string{"--keep", "first"}, "1 3 1.0000 a first,1 3 1.0000 b -,1 3 1.0000 c -,2 2 1.0000 d first,2 2 1.0000 e -,"},
		{[]string{"--keep", "newest", "--json"}, `{"v":1,"group":1,"size":3,"representative":"a","min_similarity":1,"current":"b","current_value":"1-MAR-2024 10:00:00.00","ids":["a","b","c"]},{"group":2,"size":2,"representative":"d","min_similarity":1,"ids":["d","e"]},`},
		{[]string{"--json", "--where", "source=wire", "--where", "date>=2024"}, `{"v":1,"group":1,"size":2,"representative":"a","min_similarity":1,"ids":["a","c"]},`},
	} {
		status, stdout, stderr := command(t, t.Context(), nil, append([]string{"groups", "--index", dir}, test.args...)...)
		if got := strings.NewReplacer("\t", " ", "\n", ",").Replace(stdout); status != statusDone || got != test.want {
			t.Errorf("%q: status %d, %q\nwant %q\n%s", test.args, status, got, test.want, stderr)
		}
	}
	_, _, stderr := command(t, t.Context(), nil, "groups", "--index", dir, "--keep", "newest")
	if !strings.Contains(stderr, "1 group has no date or time in the field date") {
		t.Errorf("%q", stderr)
	}
	for flag, want := range map[string]string{
		"newest:price": "the index keeps date, n, source, and not \"price\"",
		"best":         "unknown way to keep \"best\"",
		"highest":      "highest of what: want highest:FIELD",
	} {
		if status, _, stderr := command(t, t.Context(), nil, "groups", "--index", dir, "--keep", flag); status != statusError || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %q", flag, status, stderr)
		}
	}
}

// Without a date, the current document is that of the file that was changed last, wherever the command runs.
func TestGroupsKeepByFile(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	for name, day := range map[string]int{"old.txt": 3, "new.txt": 5, "lines.jsonl": 4} {
		text := "the bridge over the river is closed until the end of May"
		if strings.HasSuffix(name, "jsonl") {
			text = `{"text":"` + text + `"}`
		}
		at := time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(write(t, filepath.Join(files, name), text), at, at); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", files)
	for way, want := range map[string]string{"newest": "new.txt", "oldest": "old.txt"} {
		status, stdout, stderr := command(t, t.Context(), nil, "groups", "--index", dir, "--keep", way)
		if status != statusDone || !strings.Contains(stdout, want+"\t"+way) || !strings.Contains(stderr, "by the time of files") {
			t.Errorf("%s: status %d, %q, %q", way, status, stdout, stderr)
		}
	}
}
