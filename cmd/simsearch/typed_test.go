package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal near says how to end what is typed, and takes it without being told to.
func TestNearOnATerminal(t *testing.T) {
	idx := filepath.Join(t.TempDir(), "idx")
	if status, _, stderr := command(t, t.Context(), strings.NewReader("some words of a text\n"), "index", "--index", idx, "--preset", "classic", "--format", "lines", "-"); status != 0 {
		t.Fatal(stderr)
	}
	const hint = "simsearch: type the text to look for, and end with "
	for _, tt := range []struct {
		terminal bool
		args     string
		status   int
		hint     bool
	}{
		{true, "-", statusDone, true},
		{true, "", statusDone, true},
		{true, "--k 3 --format lines", statusDone, true},
		{true, "--quiet -", statusDone, false},
		{true, "--text words", statusNothing, false},
		{true, "--absent", statusError, false},
		{false, "-", statusDone, false},
		{false, "", statusError, false},
	} {
		var out, errs bytes.Buffer
		env := newEnvironment(strings.NewReader("some words of a text\n"), &out, &errs, false, true)
		env.inIsTerminal = tt.terminal
		status := env.run(t.Context(), append([]string{"simsearch", "near", "--index", idx}, strings.Fields(tt.args)...))
		if status != tt.status || strings.HasPrefix(errs.String(), hint+endOfInput+"\n") != tt.hint || strings.Contains(errs.String(), "type the text") != tt.hint {
			t.Errorf("%v %q: status %d, %q", tt.terminal, tt.args, status, errs.String())
		}
		if (status == statusDone) != strings.Contains(out.String(), "\t0\t1.0000\n") {
			t.Errorf("%v %q: %q", tt.terminal, tt.args, out.String())
		}
	}
}
