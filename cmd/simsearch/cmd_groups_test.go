package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Of a group of very many distinct documents a part of the pairs is compared, and the user is told.
func TestLargeGroupsAreTold(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range 64 {
		fmt.Fprintf(&list, "%016x\n", uint64(1)<<i)
		for j := range i {
			fmt.Fprintf(&list, "%016x\n", uint64(1)<<i|uint64(1)<<j)
		}
	}
	list.WriteString("0000000000000000\n")
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", "--format", "fingerprints", write(t, filepath.Join(t.TempDir(), "list"), list.String()))
	for _, json := range []bool{false, true} {
		status, stdout, stderr := command(t, t.Context(), nil, "groups", "--index", dir, "--k", "2", fmt.Sprint("--json=", json))
		if status != statusDone || !strings.Contains(stderr, "1 group of 2,081 documents in all; 1 of them so large that a part of their pairs was compared") {
			t.Errorf("status %d, %q", status, stderr)
		}
		if json != strings.Contains(stdout, `"estimated":true`) {
			t.Errorf("json %v: %.200s", json, stdout)
		}
	}
}

// What is told of groups does not stand behind the bar of progress.
func TestGroupsAreToldWithoutTheBar(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", "../../testdata/sample/en")
	_, _, stderr := command(t, t.Context(), nil, "groups", "--index", dir, "--progress", "bar")
	before, _, told := strings.Cut(stderr, "simsearch: ")
	if !told || !strings.HasPrefix(before, "\rgrouping") || !strings.HasSuffix(before, " \r") {
		t.Errorf("%q", stderr)
	}
}

// Results on a terminal end the bar of progress, which would stand between them.
func TestResultsHideTheBar(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", "../../testdata/sample/en")
	for _, args := range [][]string{{"pairs"}, {"groups"}, {"near", "../../testdata/sample/en"}} {
		var screen bytes.Buffer // what both streams show
		env := newEnvironment(strings.NewReader(""), &screen, &screen, true, true)
		env.run(t.Context(), append([]string{"simsearch", args[0], "--index", dir}, args[1:]...))
		bar, results, _ := strings.Cut(screen.String(), " \r")
		if !strings.HasPrefix(bar, "\r") || strings.Contains(strings.ReplaceAll(results, " \r", ""), "\r") || !strings.Contains(results, "library-hours") {
			t.Errorf("%s: %q", args[0], screen.String())
		}
	}
}
