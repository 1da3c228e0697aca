package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Learning and indexing are shown one after the other, and each has its own rate.
func TestOneMeterAtATime(t *testing.T) {
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs.txt")
	if err := os.WriteFile(docs, []byte("some text\nmore text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	// A bar is shown from the start of its meter.
	status, stderr := atTerminal(t, "index", "--index", filepath.Join(dir, "idx"), "--weights", "tfidf", "--format", "lines", "--threads", "1", docs)
	if status != 0 {
		t.Fatal(stderr)
	}
	learning, indexing := strings.LastIndex(stderr, "learning: "), strings.Index(stderr, "indexing: ")
	if learning < 0 || indexing < learning {
		t.Errorf("indexing is shown while it learns: %q", stderr)
	}
	if !regexp.MustCompile(`added 2 documents from 20 B in [0-9.]+m?s, after [0-9.]+m?s of learning\n$`).MatchString(stderr) {
		t.Errorf("the summary: %q", stderr)
	}
}
