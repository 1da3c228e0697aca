package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
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
	_, stderr := atTerminal(t, "groups", "--index", dir)
	before, _, told := strings.Cut(stderr, "simsearch: ")
	if !told || !strings.HasPrefix(before, "\rgrouping") || !strings.HasSuffix(before, " \r") {
		t.Errorf("%q", stderr)
	}
}

// Results on a terminal end the bar of progress, which would stand between them. So do those that go into a
// pipe, whose end may be less.
func TestResultsHideTheBar(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", "../../testdata/sample/en")
	for _, args := range [][]string{{"pairs"}, {"groups"}, {"near", "../../testdata/sample/en"}} {
		check := func(screen string) {
			bar, results, _ := strings.Cut(screen, " \r")
			if !strings.HasPrefix(bar, "\r") || strings.Contains(strings.ReplaceAll(results, " \r", ""), "\r") || !strings.Contains(results, "library-hours") {
				t.Errorf("%s: %q", args[0], screen)
			}
		}
		args = append([]string{"simsearch", args[0], "--index", dir}, args[1:]...)
		var screen bytes.Buffer // what both streams show
		newEnvironment(strings.NewReader(""), &screen, &screen, true, true).run(t.Context(), args)
		check(screen.String())

		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			newEnvironment(strings.NewReader(""), w, w, false, true).run(t.Context(), args)
			_ = w.Close()
		}()
		piped, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		check(string(piped))
	}
}
