//go:build unix

package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An index of a file that not everybody can read can be read by its owner alone, whichever command has read the file,
// and whatever writes the index afterwards. Other indexes have the usual permissions.
func TestPrivateInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string, mode fs.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("open.jsonl", `{"id": "a", "text": "everybody may read these words"}`+"\n", 0o644)
	write("secrets/b.jsonl", `{"id": "b", "text": "nobody else may read those other words"}`+"\n", 0o640)
	write("more.jsonl", `{"id": "c", "text": "one more text that all may read"}`+"\n", 0o644)
	do := func(args ...string) (stderr string) {
		t.Helper()
		code, _, stderr := command(t, t.Context(), nil, args...)
		if code > statusNothing {
			t.Fatalf("%q: status %d: %s", args, code, stderr)
		}
		return stderr
	}
	// open reports which files of an index others can read.
	open := func(name string) (names []string) {
		t.Helper()
		err := filepath.WalkDir(path(name), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				names = append(names, d.Name())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	const told = "b.jsonl: "
	if stderr := do("index", "--index", path("idx"), path("open.jsonl")); strings.Contains(stderr, told) || len(open("idx")) < 4 {
		t.Errorf("others can read %q of a usual index: %s", open("idx"), stderr)
	}
	if stderr := do("index", "--index", path("idx"), path("secrets")); !strings.Contains(stderr, told) || len(open("idx")) > 0 {
		t.Errorf("others can read %q: %s", open("idx"), stderr)
	}
	do("index", "--index", path("idx"), "--quiet", path("more.jsonl"))
	do("delete", "--index", path("idx"), "--quiet", "a")
	do("compact", "--index", path("idx"), "--quiet")
	if stderr := do("index", "--index", path("idx"), path("secrets")); strings.Contains(stderr, told) || len(open("idx")) > 0 {
		t.Errorf("others can read %q later: %s", open("idx"), stderr)
	}
	do("index", "--index", path("new"), "--quiet", path("secrets"))
	do("index", "--index", path("passed"), "--quiet", path("open.jsonl"))
	do("near", "--index", path("passed"), "--quiet", "--new", "--add", path("secrets/b.jsonl"))
	stdin, err := os.Open(path("secrets/b.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	var out, messages shared
	if code := runProgram(t.Context(), []string{"simsearch", "index", "--index", path("stream"), "--quiet", "-"}, stdin, &out, &messages); code != 0 {
		t.Fatalf("status %d: %q", code, messages.lines())
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		ended <- runProgram(ctx, []string{"simsearch", "watch", "--index", path("watched"), path("secrets")}, strings.NewReader(""), &out, &messages)
	}()
	expectLine(t, &out, "b\tnew")
	stop()
	<-ended
	for _, name := range []string{"new", "passed", "stream", "watched"} {
		if others := open(name); len(others) > 0 {
			t.Errorf("%s: others can read %q", name, others)
		}
	}
}
