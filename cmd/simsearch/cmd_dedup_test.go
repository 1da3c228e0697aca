package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"simsearch/internal/clean/run"
)

// Standard input may be compressed, and what is written is not.
func TestDedupCompressedStdin(t *testing.T) {
	t.Parallel()
	const first, again = `{"id":"a","text":"one two three four five"}` + "\n", `{"id":"b","text":"one two three four five"}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(first + again)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--by", "line", "--passage-words", "1"}} {
		status, stdout, stderr := command(t, t.Context(), bytes.NewReader(packed.Bytes()), append([]string{"dedup", "--quiet", "-"}, flags...)...)
		if status != statusDone || stdout != first || stderr != "" {
			t.Errorf("%v: status %d, %q, %q", flags, status, stdout, stderr)
		}
	}
	status, stdout, stderr := command(t, t.Context(), bytes.NewReader(packed.Bytes()[:packed.Len()-10]), "dedup", "-")
	if status != statusError || stdout != first || !strings.Contains(stderr, "simsearch: standard input: unexpected EOF\n") {
		t.Errorf("cut off: status %d, %q, %q", status, stdout, stderr)
	}
}

// What is written does not depend on flags that change nothing of it, and the same command in other words writes to the
// same directory.
func TestDedupWritesTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := write(t, filepath.Join(dir, "in.jsonl"), `{"id":"a","text":"one two three four five"}`+"\n"+`{"id":"b","text":"one two three four five"}`+"\n"), filepath.Join(dir, "out")
	for _, by := range [][]string{nil, {"--by", "line"}} {
		var reports []string
		for _, flags := range [][]string{{"--quiet"}, {"--threads=1", "--memory", "1GB", "--json"}} {
			must(t, slices.Concat([]string{"dedup"}, flags, by, []string{"--out", out, in})...)
			for _, name := range []string{run.ReportName, run.PageName} {
				data, err := os.ReadFile(filepath.Join(out, name))
				if err != nil {
					t.Fatal(err)
				}
				reports = append(reports, string(data))
			}
		}
		if reports[0] != reports[2] || reports[1] != reports[3] || !strings.Contains(reports[0], "simsearch dedup --") {
			t.Errorf("%v: the reports differ, or name no command", by)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

// Texts of stop words alone are compared by these.
func TestDedupOfStopWords(t *testing.T) {
	t.Parallel()
	file := write(t, filepath.Join(t.TempDir(), "a.jsonl"), `{"text":"the of and"}
{"text":"the of and"}
{"text":"real words stand here today"}
{"text":"real words stand here today"}
`)
	for flags, want := range map[string]string{
		"--k 3":        "2 of 4 documents removed: 2 with the text of the kept one, 0 with its fingerprint, 0 near it; 2 kept\n",
		"--group star": "2 of 4 documents removed: 2 with the text of the kept one, 0 with its words, 0 near it; 2 kept\n",
	} {
		args := append([]string{"dedup", "--out", filepath.Join(t.TempDir(), "out"), file}, strings.Fields(flags)...)
		if _, _, stderr := command(t, t.Context(), nil, args...); !strings.HasSuffix(stderr, want) {
			t.Errorf("%s: %q, want %q", flags, stderr, want)
		}
	}
}

// A missing field of the reference is to be chosen with the flag for it, and one of the input with its own.
func TestAgainstField(t *testing.T) {
	dir := t.TempDir()
	reference := write(t, filepath.Join(dir, "reference.csv"), "id,other\n1,some words of a text\n")
	lines := write(t, filepath.Join(dir, "lines.jsonl"), `{"body":"some words of a text"}`+"\n")
	for _, test := range []struct{ text, against, want string }{
		{"body", "", `reference.csv: no column "body"; the table has id, other: choose one with --against FILE:FIELD`},
		{"body", "none", `reference.csv: no column "none"; the table has id, other: choose one with --against FILE:FIELD`},
		{"none", "other", `lines.jsonl:1: no field "none"; the record has body: choose one with --text-field`},
	} {
		against := reference
		if test.against != "" {
			against += ":" + test.against
		}
		args := []string{"dedup", "--out", filepath.Join(dir, "out"), "--against", against, "--text-field", test.text, lines}
		if status, _, stderr := command(t, t.Context(), nil, args...); status != statusError || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: status %d, %s", args, status, stderr)
		}
	}
}
