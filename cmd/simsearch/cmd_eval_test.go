package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/cli"
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
		"truth": filepath.Join(dir, "absent-labels.jsonl"), "want": "typo", "experiment": "typo",
		"out":    labels,
		"preset": "typo", "mode": "typo", "features": "typo", "weights": "typo", "lang": "typo", "bits": "33", "perms": "0", "seed": "-1", "hash": "typo", "k": "typo", "jaccard": "typo", "bands": "typo", "without": "typo",
		"skip": "typo", "format": "typo", "max-document": "typo", "threads": "-1", "memory": "typo", "include": "[",
	}
	anything := []string{"index", "id-field", "text-field", "files-from"} // names, whatever they are
	modes := [][]string{{}, {"--recommend"}, {"--recommend", "--format", "sets"}}
	for _, f := range evalCommand(&task{environment: &environment{}}).Flags {
		name := f.Names()[0]
		if _, is := f.(*cli.Flag[bool]); is || slices.Contains(anything, name) {
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
		{"--recommend --experiment bands", "exclude each other"},
		{"--experiment bands --want recall=0.9", "what --recommend is to reach"},
		{"--format fingerprints --recommend", "ready-made fingerprints have none"},
		{"--format fingerprints --experiment estimates", "fingerprints have no features, and the experiment distances alone"},
		{"--index " + directory, "excludes other inputs"},
		{"--jaccard 0.9", "what --recommend is to judge"},
		{"--recommend --k 3 --jaccard 0.5", "one choice is judged"},
		{"--truth " + directory, "regular file"},
	} {
		status, _, stderr := command(t, t.Context(), nil, append([]string{"eval", "absent.jsonl"}, strings.Fields(tt.args)...)...)
		if status != statusError || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q", tt.args, status, stderr)
		}
	}
}

// Pictures are evaluated by the distances of their hashes.
func TestEvalOfPictures(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := command(t, t.Context(), nil, "eval", "--quiet", "--format", "image", "--experiment", "distances", "../../testdata/pictures")
	if status != 0 || strings.Count(stdout, "\n") > printedLines || !strings.Contains(stdout, "ready-made fingerprints of 64 bits") || strings.Contains(stdout, "simsearch index") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	status, _, stderr = command(t, t.Context(), nil, "eval", "--format", "image", "--recommend", "../../testdata/pictures")
	if status != statusError || !strings.Contains(stderr, "--recommend tries features of texts or sets") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// An index is evaluated by its texts and settings, and --recommend judges its own search, or the one that is named.
func TestEvalOfAnIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	idx := filepath.Join(dir, "idx")
	must(t, "index", "--index", idx, "--quiet", "--store", "text", "--preset", "shingles", "../../testdata/sample/en")
	for _, tt := range []struct{ args, want string }{
		{"--recommend", "Your own choice, --features word:3 --weights set --lang none, --k 10, has a precision of "},
		{"--recommend --k 2", "--weights set --lang none, --k 2, has a precision of "},
		{"--recommend --jaccard 0.6", "--mode minhash --features word:3 --lang none, --jaccard 0.6, has"},
		{"--experiment distances", "fingerprints of word:3, weights set, lang none; sets of word:3, lang none"},
	} {
		status, stdout, stderr := command(t, t.Context(), nil, append([]string{"eval", "--index", idx}, strings.Fields(tt.args)...)...)
		if status != 0 || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: status %d, %s\n%s", tt.args, status, stderr, stdout)
		}
	}
	// The figures are those of the same texts and settings without an index.
	_, byIndex, _ := command(t, t.Context(), nil, "eval", "--index", idx, "--experiment", "distances")
	_, byTexts, _ := command(t, t.Context(), nil, "eval", "--preset", "shingles", "--experiment", "distances", "../../testdata/sample/en")
	after := func(page string) string { return page[strings.Index(page, "\n"):] }
	if after(byIndex) != after(byTexts) {
		t.Errorf("by an index:\n%s\nby texts:\n%s", byIndex, byTexts)
	}
	status, _, stderr := command(t, t.Context(), nil, "eval", "--index", idx, "--features", "words")
	if status != statusError || !strings.Contains(stderr, "an index has its settings") {
		t.Errorf("settings beside an index: status %d, %q", status, stderr)
	}
	bare := filepath.Join(dir, "bare")
	must(t, "index", "--index", bare, "--quiet", "--store", "nothing", "../../testdata/sample/en")
	if status, _, stderr := command(t, t.Context(), nil, "eval", "--index", bare); status != statusError || !strings.Contains(stderr, "does not keep them") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("an index without texts: status %d, %q", status, stderr)
	}
	_, stdout, _ := command(t, t.Context(), nil, "eval", "--recommend", "--k", "4", "--features", "word:2", "../../testdata/sample/en")
	if want := "Your own choice, --features word:2 --weights tf --lang none, --k 4, has a precision of "; !strings.Contains(stdout, want) {
		t.Errorf("%q is not in\n%s", want, stdout)
	}
}
