package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Blocks need no distance, and what is said of them names none that nobody asked for.
func TestIndexBlocks(t *testing.T) {
	t.Parallel()
	file := write(t, filepath.Join(t.TempDir(), "a.txt"), "the bridge over the river is closed")
	for flags, want := range map[string]string{
		"--blocks 3 --header-blocks 2":       "",
		"--blocks 2 --header-blocks 1":       "",
		"--blocks 6 --header-blocks 3 --k 3": "",
		"--blocks 3 --header-blocks 3":       "--header-blocks 3: want 1 to 2 of --blocks 3",
		"--blocks 2 --header-blocks 2":       "--header-blocks 2: want 1 to 1 of --blocks 2",
		"--blocks 1 --header-blocks 1":       "--blocks 1: want 2 to 64",
		"--blocks 6":                         "go together",
		"--blocks 6 --header-blocks 4 --k 3": "--header-blocks 4: want 1 to 3 of --blocks 6 with --k 3",
		"--blocks 3 --header-blocks 1 --k 3": "--blocks 3: want 4 to 64 with --k 3",
	} {
		dir := filepath.Join(t.TempDir(), "idx")
		status, _, stderr := command(t, t.Context(), nil, append([]string{"index", "--index", dir, file}, strings.Fields(flags)...)...)
		if (status == statusDone) != (want == "") || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", flags, status, stderr)
		}
		if !strings.Contains(flags, "--k") && strings.Contains(stderr, "distance") {
			t.Errorf("%s: %s", flags, stderr)
		}
	}
}
