package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// someLines returns numbered lines of text, from before to behind.
func someLines(from, behind int) string {
	var b strings.Builder
	for i := from; i < behind; i++ {
		fmt.Fprintf(&b, `{"id":"n%d","text":"line number %d of a long list of %x"}`+"\n", i, i, i*i)
	}
	return b.String()
}

// indexInParts runs index with parts of a few documents, and returns the status and what it says.
func indexInParts(ctx context.Context, documents int, stdin io.Reader, args ...string) (int, string) {
	var out, messages bytes.Buffer
	env := newEnvironment(stdin, &out, &messages, false, false)
	env.part = partSize{documents: documents, bytes: 1 << 30, memory: 1 << 40}
	status := env.run(ctx, append([]string{"simsearch", "index"}, args...))
	return status, out.String() + messages.String()
}

// However many parts an input has, the index has the same documents, few segments, and ids that name one document.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list.jsonl")
	repeated := `{"id":"n3","text":"another text that has the id of the third"}` + "\n"
	if err := os.WriteFile(list, []byte(someLines(0, 200)+repeated), 0o666); err != nil {
		t.Fatal(err)
	}
	pairs := ""
	for _, documents := range testkit.Of([]int{1000, 7}, []int{1000, 50, 7, 1}) {
		idx := filepath.Join(dir, fmt.Sprint("idx", documents))
		for run, want := range []string{"added 200 documents", "added 0 documents"} {
			status, said := indexInParts(t.Context(), documents, nil, "--index", idx, list)
			if run == 0 && (status != statusError || !strings.Contains(said, "n3 in "+list+": the id stands for another text already")) || !strings.Contains(said, want) {
				t.Errorf("parts of %d, run %d: status %d, %s", documents, run, status, said)
			}
			if run == 0 {
				_, out, _ := command(t, t.Context(), nil, "info", "--index", idx, "--json")
				if n := strings.Count(out, `"name":"0`); n > 10 {
					t.Errorf("parts of %d: %d segments", documents, n)
				}
			}
		}
		_, out, _ := command(t, t.Context(), nil, "pairs", "--index", idx, "--jaccard", "0.7")
		if pairs == "" {
			pairs = out
		}
		if out != pairs || out == "" {
			t.Errorf("parts of %d: other pairs", documents)
		}
	}
}

// A run that is interrupted keeps the parts that it has committed, and says so. The same command goes on.
func TestInterruptedParts(t *testing.T) {
	for _, sync := range []bool{false, true} {
		dir := t.TempDir()
		idx, docs := filepath.Join(dir, "idx"), filepath.Join(dir, "docs")
		if err := os.Mkdir(docs, 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if err := os.WriteFile(filepath.Join(docs, fmt.Sprint(i, ".jsonl")), []byte(someLines(100*i, 100*i+100)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"--index", idx, docs}
		if sync {
			args = append([]string{"--sync"}, args...)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var messages bytes.Buffer
		env := newEnvironment(nil, io.Discard, &messages, false, false)
		env.part = partSize{documents: 100, bytes: 1 << 30, memory: 1 << 40}
		parts := 0
		env.committed = func() {
			if parts++; parts == 3 {
				cancel()
			}
		}
		status := env.run(ctx, append([]string{"simsearch", "index"}, args...))
		want := "simsearch: the index has 300 documents, 300 of them from this run; the same command goes on from there\nsimsearch: interrupted\n"
		if status != statusInterrupted || messages.String() != want {
			t.Errorf("sync %v: status %d, %q, want %q", sync, status, messages.String(), want)
		}
		status, said := indexInParts(t.Context(), 100, nil, args...)
		if status != statusDone || !strings.Contains(said, "added 700 documents") || strings.Contains(said, "300 unchanged") == sync {
			t.Errorf("sync %v, going on: status %d, %s", sync, status, said)
		}
		cancel()
	}
}

// A part ends when writing it would take its share of the memory. Segments of which merging would take more are not
// merged then, and the answers are the same.
func TestPartsFitTheMemory(t *testing.T) {
	testkit.Long(t, "a collection that memory does not hold")
	dir := t.TempDir()
	list := filepath.Join(dir, "list.jsonl")
	if err := os.WriteFile(list, []byte(someLines(0, 30000)), 0o666); err != nil {
		t.Fatal(err)
	}
	const most = 1 << 20
	segments := func(args ...string) (n int, pairs string) {
		idx := filepath.Join(t.TempDir(), "idx")
		var messages bytes.Buffer
		env := newEnvironment(nil, io.Discard, &messages, false, false)
		env.part = partSize{documents: 1 << 20, bytes: 1 << 30, memory: most}
		if status := env.run(t.Context(), append([]string{"simsearch", "index", "--quiet", "--index", idx, list}, args...)); status != statusDone {
			t.Fatalf("%v: status %d, %s", args, status, messages.String())
		}
		_, info, _ := command(t, t.Context(), nil, "info", "--index", idx, "--json")
		_, pairs, _ = command(t, t.Context(), nil, "pairs", "--index", idx, "--quiet", "--jaccard", "0.7")
		return strings.Count(info, `"name":"0`), pairs
	}
	merged, want := segments()
	apart, got := segments("--memory", "2MB")
	if merged > 10 || apart <= merged {
		t.Errorf("%d segments, and %d in little memory", merged, apart)
	}
	if got != want || got == "" {
		t.Error("other pairs")
	}
}
