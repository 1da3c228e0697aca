package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// A wrong value of any flag gives one clear line, in every kind of evaluation. It comes before
// anything is read: the input does not even exist.
func TestEvalChecksItsFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	labels := filepath.Join(dir, "labels.jsonl")
	if err := os.WriteFile(labels, []byte(`{"cluster": ["a", "b"]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{
		"truth": filepath.Join(dir, "absent-labels.jsonl"), "truth-features": "typo", "floor": "2", "sample": "-1", "experiment": "typo",
		"min-precision": "7", "min-recall": "0", "protocol": "typo", "out": labels,
		"preset": "typo", "mode": "typo", "features": "typo", "weights": "typo", "lang": "typo", "bits": "33", "perms": "3", "seed": "-1", "hash": "typo",
		"format": "typo", "mail-without": "typo", "max-document": "typo", "threads": "-1", "memory": "typo", "progress": "typo", "include": "[", "exclude": "[",
	}
	anything := []string{"id-field", "text-field", "fingerprint-field", "files-from"} // names, whatever they are
	modes := [][]string{{}, {"--recommend"}, {"--recommend", "--format", "sets"}, {"--protocol", "core"}, {"--protocol", "news-copy", "--truth", labels}}
	for _, f := range evalCommand(&environment{}).Flags {
		name := f.Names()[0]
		if _, is := f.(*cli.BoolFlag); is || slices.Contains(anything, name) {
			continue
		}
		value, ok := wrong[name]
		if !ok {
			t.Errorf("no wrong value of --%s is tried", name)
		}
		for _, mode := range modes {
			args := append(append([]string{"eval"}, mode...), "--"+name, value, filepath.Join(dir, "absent.jsonl"))
			status, stdout, stderr := command(t, t.Context(), nil, args...)
			told := strings.Contains(stderr, name) || strings.Contains(stderr, value)
			if status != statusError || stdout != "" || strings.Count(stderr, "\n") != 1 || !told || strings.Contains(stderr, "absent.jsonl") {
				t.Errorf("%s: status %d, %q", strings.Join(args, " "), status, stderr)
			}
		}
	}
}

// Flags that exclude each other are refused.
func TestEvalFlagsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"--recommend --protocol core", "exclude each other"},
		{"--recommend --experiment bands", "exclude each other"},
		{"--protocol core --experiment bands", "exclude each other"},
		{"--protocol core --min-recall 0.9", "what --recommend is to reach"},
		{"--protocol news-copy", "wants the labelled clusters"},
		{"--format fingerprints", "eval compares features"},
		{"--truth " + directory, "regular file"},
	} {
		status, _, stderr := command(t, t.Context(), nil, append([]string{"eval", "absent.jsonl"}, strings.Fields(tt.args)...)...)
		if status != statusError || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q", tt.args, status, stderr)
		}
	}
}
