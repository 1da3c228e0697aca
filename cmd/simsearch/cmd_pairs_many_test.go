package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where there are more pairs than anybody reads, pairs says so first, and names what shows as much. In little memory,
// the answer is the same.
func TestManyPairsAreTold(t *testing.T) {
	dir := t.TempDir()
	list, idx := filepath.Join(dir, "list.jsonl"), filepath.Join(dir, "idx")
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, `{"id":"n%d","text":"word%d `, i, i%90)
		for w := range 30 {
			fmt.Fprintf(&b, "of%d ", w)
		}
		b.WriteString("\"}\n")
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, messages := command(t, t.Context(), nil, "index", "--quiet", "--index", idx, list); status != statusDone {
		t.Fatal(messages)
	}
	const pairs = 400 * 399 / 2
	for _, tt := range []struct {
		args []string
		rows int
		want string
	}{
		{nil, pairs, "simsearch: many pairs may follow; simsearch groups prints each document once\n"},
		{[]string{"--jaccard", "0.8"}, pairs, "simsearch: 79,800 pairs of 400 documents in 1 group follow; simsearch groups prints each of these documents once\n"},
		{[]string{"--jaccard", "0.8", "--memory", "1MB"}, pairs, "simsearch: 79,800 pairs of 400 documents in 1 group follow; simsearch groups prints each of these documents once\n"},
		{[]string{"--k", "0"}, 0, ""},
	} {
		_, out, messages := command(t, t.Context(), nil, append([]string{"pairs", "--index", idx}, tt.args...)...)
		if n := strings.Count(out, "\n"); n != tt.rows && tt.want != "" {
			t.Errorf("%v: %d pairs, want %d", tt.args, n, tt.rows)
		}
		if tt.want == "" && strings.Contains(messages, "follow") || !strings.HasPrefix(messages, tt.want) {
			t.Errorf("%v: %q, want %q", tt.args, messages, tt.want)
		}
	}
}
