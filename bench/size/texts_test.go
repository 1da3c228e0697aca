package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The same seed gives the same documents, which are JSON, with as many copies as wanted.
func TestDocuments(t *testing.T) {
	path := t.TempDir() + "/docs.jsonl"
	var real strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&real, "{\"id\":\"%d\",\"text\":\"sentence number %d has a few words. so has its neighbour, %d and \\\"one\\\". short one\"}\n", i, i, i)
	}
	if err := os.WriteFile(path, []byte(real.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	made := func() string {
		w, err := newWriter([]string{path}, .06)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.write(&b, 3_000_000); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := made()
	if text != made() {
		t.Error("the documents differ")
	}
	seen, n, equal := map[string]bool{}, 0, 0
	for line := range strings.Lines(text) {
		var doc struct{ ID, Text string }
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err, line)
		}
		if n++; seen[doc.Text] {
			equal++
		}
		seen[doc.Text] = true
	}
	if share := float64(equal) / float64(n); share < .03 || share > .07 || len(text) < 3_000_000 {
		t.Errorf("%d of %d documents are copies, in %d bytes", equal, n, len(text))
	}
}
