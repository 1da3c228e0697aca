package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/textgen"
)

// Learning and indexing are shown one after the other, each with a rate of its own.
func TestOneMeterAtATime(t *testing.T) {
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs.txt")
	text := textgen.New(9).Text(20_000)
	// Long enough that each is shown some times.
	if err := os.WriteFile(docs, []byte(strings.Repeat(text+"\n", 60)), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := command(t, t.Context(), nil, "index", "--index", filepath.Join(dir, "idx"), "--weights", "tfidf", "--format", "lines", "--threads", "1", "--progress", "bar", docs)
	if status != 0 {
		t.Fatal(stderr)
	}
	learning, indexing := strings.LastIndex(stderr, "learning: "), strings.Index(stderr, "indexing: ")
	if learning < 0 || indexing < learning {
		t.Errorf("indexing is shown while it learns: %q", stderr)
	}
	if !regexp.MustCompile(`added [0-9,]+ documents from .* in [0-9.]+m?s, after [0-9.]+m?s of learning`).MatchString(stderr) {
		t.Errorf("the summary: %q", stderr)
	}
}
