package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A shared is a buffer that a command writes to while a test reads it.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSuffix(s.b.String(), "\n"), "\n")
}

// expectLine waits until a line has part.
func expectLine(t *testing.T, from *shared, part string) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if slices.ContainsFunc(from.lines(), func(line string) bool { return strings.Contains(line, part) }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no line has %q: %q", part, from.lines())
		}
	}
}

// A folder is looked at until the command is interrupted: files that are there, that come, and that change are
// answered. A file that is still growing is left alone until it stands still.
func TestWatchFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "incoming")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const text = "one two three four five six seven eight nine ten eleven twelve"
	file("a.txt", text)
	var out, messages shared
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		ended <- runProgram(ctx, []string{"simsearch", "watch", "--index", filepath.Join(dir, "idx"), folder}, strings.NewReader(""), &out, &messages)
	}()
	expect := func(part string) {
		t.Helper()
		expectLine(t, &out, part)
	}
	expect("a.txt\tnew")
	file("b.txt", text+" thirteen")
	expect("b.txt\tnear\t")
	file("b.txt", "quite another text")
	expect("b.txt\tchanged")
	file("c.jsonl", `{"id": "x", "text": "the first text of x"}`+"\n"+`{"id": "x", "text": "something else of x"}`+"\n")
	expect("x\tnew")
	expectLine(t, &messages, "simsearch: x in "+filepath.Join(folder, "c.jsonl")+": the id stands for another text already; an id names one document")
	stop()
	if status := <-ended; status != statusInterrupted {
		t.Errorf("status %d: %q", status, messages.lines())
	}
	if last := messages.lines(); last[len(last)-2] != "simsearch: 5 documents: 2 new, 1 changed, 1 near others, 0 known, 1 refused" {
		t.Errorf("%q", last)
	}
	code, pairs, _ := command(t, t.Context(), nil, "pairs", "--index", filepath.Join(dir, "idx"), "--quiet")
	if code != statusNothing || pairs != "" {
		t.Errorf("status %d: %q", code, pairs)
	}
}

// A stream that is interrupted ends with the status of that, and not as one that was read to its end.
func TestWatchOfAStreamIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	for range 20 {
		in, out := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			_, _ = io.WriteString(out, "{\"id\": \"a\", \"text\": \"the words of this\"}\n")
			stop()
			_ = out.Close() // as a pipe does whose writer is interrupted, too
		}()
		if status, _, stderr := command(t, ctx, in, "watch", "--index", dir, "--format", "jsonl", "-"); status != 130 {
			t.Fatalf("status %d: %s", status, stderr)
		}
	}
}

// A folder that goes away is told of once, and looked for until it is back. The other one is looked at meanwhile, and
// nothing is answered again.
func TestWatchFolderThatGoesAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two, away := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "away")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for folder, text := range map[string]string{one: "bread and butter with honey", two: "a walk along the river"} {
		must(os.Mkdir(folder, 0o777))
		must(os.WriteFile(filepath.Join(folder, "a.txt"), []byte(text), 0o666))
	}
	var out, messages shared
	args := []string{"simsearch", "watch", "--index", filepath.Join(dir, "idx"), "--k", "0"}
	if status := runProgram(t.Context(), append(args, one, away), strings.NewReader(""), &out, &messages); status != statusError {
		t.Errorf("a folder that was never there: status %d", status)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() { ended <- runProgram(ctx, append(args, one, two), strings.NewReader(""), &out, &messages) }()
	expectLine(t, &out, "one/a.txt\tnew")
	expectLine(t, &out, "two/a.txt\tnew")
	must(os.Rename(one, away))
	expectLine(t, &messages, "one: ")
	must(os.WriteFile(filepath.Join(two, "b.txt"), []byte("letters from an island"), 0o666))
	expectLine(t, &out, "two/b.txt\tnew")
	must(os.WriteFile(filepath.Join(away, "c.txt"), []byte("the price of timber rose"), 0o666))
	must(os.Rename(away, one))
	expectLine(t, &out, "one/c.txt\tnew")
	stop()
	if status := <-ended; status != statusInterrupted {
		t.Errorf("status %d: %q", status, messages.lines())
	}
	if all := out.lines(); len(all) != 4 {
		t.Errorf("%q", all)
	}
	if n := strings.Count(strings.Join(messages.lines(), "\n"), "looked for again"); n != 1 {
		t.Errorf("told of %d times", n)
	}
}
