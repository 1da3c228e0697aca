package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// printedLabels are labels of the sample: of all that is near, and of some pairs alone.
const (
	printedClusters = `{"cluster": ["tide-mill.txt", "tide-mill-leaflet.txt", "tide-mill-rewritten.txt"]}
{"cluster": ["library-hours.txt", "library-hours-reprint.txt", "library-hours-shouted.txt", "library-hours-summer.txt"]}
{"cluster": ["rye-bread.txt", "rye-bread-2.txt"]}
{"cluster": ["allotment-rules.txt", "allotment-rules-2024.txt", "allotment-rules-2025.txt"]}
{"cluster": ["bicycle-chain.txt", "bicycle-chain-typeset.txt"]}
{"cluster": ["release-notes-4.2.1.txt", "release-notes-draft.txt"]}
`
	printedPairs = `{"a": "tide-mill.txt", "b": "tide-mill-leaflet.txt", "label": 1}
{"a": "rye-bread.txt", "b": "rye-bread-2.txt", "label": 1}
{"a": "bicycle-chain.txt", "b": "bicycle-chain-typeset.txt", "label": 1}
{"a": "allotment-rules.txt", "b": "allotment-rules-2024.txt", "label": 1}
{"a": "library-hours.txt", "b": "library-hours-summer.txt", "label": 0}
`
)

// The commands that a verdict prints find as many pairs as it says, word for word as they are printed.
func TestPrintedCommandsWereMeasured(t *testing.T) {
	testkit.Long(t, "it repeats what eval measures")
	t.Parallel()
	sample, err := filepath.Abs("../../testdata/sample/en")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, labels := range map[string]string{"clusters": printedClusters, "pairs": printedPairs} {
		labels = regexp.MustCompile(`"([a-z0-9.-]+\.txt)"`).ReplaceAllString(labels, `"`+sample+`/$1"`)
		if err := os.WriteFile(path(name), []byte(labels), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The last text has stop words alone: words of a set, and none of a fingerprint.
	if err := os.WriteFile(path("lines"), []byte("the mill by the river grinds the corn\nthe mill at the river grinds the corn\nthe and of\nthe and of\n"+
		"a ferry crosses the wide sound at noon\na ferry crosses the wide sound at night\none two buckle my shoe\none two buckle my shoe\nthree four knock at the door\nthree four knock at the door\nfive six pick up sticks\nfive six pick up sticks\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string]string{
		"default": "", "classic": "--preset classic --store text", "sets": "--mode minhash --features word:2", "bands": "--recall 0.9", "narrow": "--bits 32 --hash fnv1a",
	} {
		must(t, strings.Fields("index --quiet --index "+path(name)+" "+flags+" "+sample)...)
	}
	for _, args := range []string{
		sample, "--recommend " + sample, "--features word:3 " + sample, "--features char:5 " + sample, "--recommend --lang en " + sample,
		"--truth " + path("clusters") + " " + sample, "--recommend --truth " + path("clusters") + " " + sample, "--recommend --want recall=0.9 --truth " + path("clusters") + " " + sample,
		"--truth " + path("pairs") + " " + sample, "--recommend --truth " + path("pairs") + " " + sample,
		"--format lines " + path("lines"), "--recommend --format lines " + path("lines"), "--recommend --hash fnv1a --bits 32 --lang de " + sample,
		"--index " + path("default"), "--recommend --index " + path("default"), "--index " + path("classic"), "--recommend --index " + path("classic"), "--index " + path("sets"),
		"--recommend --truth " + path("clusters") + " --index " + path("sets"), "--index " + path("bands"), "--recommend --index " + path("bands"), "--index " + path("narrow"),
		"--recommend --index " + path("narrow"), "--truth " + path("pairs") + " --index " + path("classic"),
	} {
		out := must(t, strings.Fields("eval --json --quiet "+args)...)
		var report struct {
			Verdict struct{ Commands, Text []string }
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(report.Verdict.Text, " ")
		said, _, _ = strings.Cut(said, "best F1 of other ways")
		said, _, _ = strings.Cut(said, "The best F1, ")
		said, _, _ = strings.Cut(said, "Another index ")
		want := 0
		for _, says := range []string{`prints all ([0-9,]+) pair`, `Of the ([0-9,]+) pairs? that it finds`, `It prints ([0-9,]+) pairs? more`} {
			if found := regexp.MustCompile(says).FindStringSubmatch(said); found != nil {
				n, err := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
				if err != nil {
					t.Fatal(err)
				}
				want += n
			}
		}
		if len(report.Verdict.Commands) == 0 || want == 0 {
			t.Errorf("eval %s: %q, %q", args, report.Verdict.Commands, said)
		}
		idx := filepath.Join(t.TempDir(), "idx")
		got := ""
		for _, line := range report.Verdict.Commands {
			words := strings.Fields(strings.Replace(line, "--index idx ", "--index "+idx+" ", 1))
			got = must(t, append(words[1:], "--quiet")...)
		}
		if n := strings.Count(got, "\n"); n != want {
			t.Errorf("eval %s says %d pairs, %q finds %d", args, want, report.Verdict.Commands, n)
		}
	}
}
