//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/ground/publish"
	"simsearch/internal/tests/testkit"
)

// However often dedup is killed, the same command ends with the same files. SIMSEARCH_KILLS is the number of kills.
func TestDedupIsKilled(t *testing.T) {
	for what, flags := range map[string][]string{
		"documents": nil, "paragraphs": {"--by", "paragraph"},
		"field": {"--keep", "newest:day"}, "boilerplate": {"--boilerplate", "0.3", "--boilerplate", "IGNORE"}, "contained": {"--contained", "0.9", "--features", "words", "--boilerplate", "500"},
		"all": {"--group", "components", "--boilerplate", "500", "--boilerplate", "IGNORE", "--keep", "lowest:day"},
	} {
		t.Run(what, func(t *testing.T) {
			if what != "all" && what != "paragraphs" {
				testkit.Long(t, "two kinds of options suffice")
			}
			killDedup(t, flags)
		})
	}
}

func killDedup(t *testing.T, flags []string) {
	t.Parallel()
	kills := testkit.Of(1, 4)
	if n, err := strconv.Atoi(os.Getenv("SIMSEARCH_KILLS")); err == nil {
		kills = n
	}
	in := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for file := range 40 {
		var b strings.Builder
		for doc := range 200 {
			fmt.Fprintf(&b, `{"id":"%d-%d","day":%d,"text":"`, file, doc, rng.IntN(1000))
			for range 30 {
				fmt.Fprintf(&b, "w%d ", rng.IntN(2)*rng.IntN(1000)+doc%50)
			}
			b.WriteString("\"}\n")
		}
		write(t, filepath.Join(in, fmt.Sprintf("part%02d.jsonl", file)), b.String())
	}
	ignore := filepath.Join(t.TempDir(), "ignore.txt")
	write(t, ignore, "w1 w2 w3\nw4")
	flags = slices.Clone(flags)
	for i, f := range flags {
		flags[i] = strings.ReplaceAll(f, "IGNORE", ignore)
	}
	args := func(out string) []string {
		return append([]string{"dedup", "--quiet", "--memory", "1MB", "--jaccard", "0.4", "--out", out, in}, flags...)
	}
	want, out := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
	begin := time.Now()
	must(t, args(want)...)
	took := time.Since(begin)
	killed, begun, decided := 0, 0, 0
	for killed < kills {
		cmd := exec.Command("simsearch", args(out)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(took))))
		_ = cmd.Process.Kill() // it may have ended
		if wait(t, cmd) == statusDone {
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
			continue
		}
		killed++
		if _, err := os.Stat(out); err == nil {
			begun++
		}
		if _, err := os.Stat(filepath.Join(out, publish.WorkName, dedup.StateDir)); err == nil {
			decided++
		}
	}
	must(t, args(out)...)
	for name, text := range filesOf(t, want) {
		if strings.HasPrefix(name, "state/") || name == publish.ListName { // TestGoesOn of package dedup compares them
			continue
		}
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || strings.ReplaceAll(string(got), out, want) != text {
			t.Errorf("after %d kills, %s is another file; %v", killed, name, err)
		}
	}
	for name := range filesOf(t, out) {
		if _, err := os.Stat(filepath.Join(want, name)); err != nil {
			t.Errorf("after %d kills, there is %s", killed, name)
		}
	}
	t.Logf("%d runs were killed, %d of them with something to go on with, %d of them when all was read", killed, begun, decided)
}

// filesOf returns the files below a directory.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
