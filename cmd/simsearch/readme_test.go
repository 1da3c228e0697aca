package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// The commands of these pages must print what the pages say, and leave readers in the directory where they
// began. A line of three dots matches any lines. Times may differ. testscript.Main has put the program on the path.
func TestPages(t *testing.T) {
	for page, least := range map[string]int{"README.md": 4, "docs/SEARCHING.md": 7, "docs/TUTORIAL.md": 15, "docs/RECIPES.md": 10, "docs/IMAGES.md": 4,
		"docs/SCALE.md": 10} {
		t.Run(page, func(t *testing.T) { runPage(t, page, t.TempDir(), least) })
	}
}

// runPage runs the commands of a page in dir, which are at least so many, with some words in the place of others.
func runPage(t *testing.T, name, dir string, least int, replace ...string) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to run the commands of ", name)
	}
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	n := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for _, step := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			command = strings.NewReplacer(replace...).Replace(command)
			run := exec.Command(shell, "-c", "here=$(pwd)\n"+command+"\nstatus=$?; [ \"$(pwd)\" = \"$here\" ] || echo The next command begins in $(pwd).; exit $status")
			run.Dir = dir
			out, err := run.CombinedOutput()
			if want != "" && !strings.HasSuffix(want, "\n") {
				want += "\n" // it ends before the next command
			}
			if err != nil {
				t.Errorf("%s\n%v\n%s", command, err, out)
			} else if !matches(want, string(out)) {
				t.Errorf("%s\nprints\n%s%s says\n%s", command, out, name, want)
			}
			n++
		}
	}
	if n < least {
		t.Errorf("only %d commands found in %s", n, name)
	}
}

// matches reports whether got is the output that a document shows as want.
func matches(want, got string) bool {
	pattern := regexp.QuoteMeta(want)
	pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta("...\n"), `(?:.*\n)*`)
	pattern = regexp.MustCompile(` in [0-9\\.]+m?s`).ReplaceAllString(pattern, ` in [0-9.]+m?s`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}

// docs/COMING-FROM.md runs other programs beside this one, which SIMSEARCH_PEERS names: an environment of Python that
// bench/peers/coming/install.sh makes.
func TestComingFrom(t *testing.T) {
	testkit.Long(t, "it starts Python many times")
	peers := os.Getenv("SIMSEARCH_PEERS")
	if peers == "" {
		testkit.Skip(t, "peers", "SIMSEARCH_PEERS does not say where other programs are: bench/peers/coming/install.sh installs them")
	}
	t.Setenv("PATH", filepath.Join(peers, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("LC_ALL", "C")
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := t.TempDir()
	page, err := os.ReadFile("../../docs/COMING-FROM.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range regexp.MustCompile("(?s)<!-- (\\S+) -->\n```[a-z]+\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		name := filepath.Join(dir, file[1])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(file[2]), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	absent, err := filepath.Abs("../../bench/peers/coming/absent") // stands in for PyTorch
	if err != nil {
		t.Fatal(err)
	}
	runPage(t, "docs/COMING-FROM.md", dir, 20, "python with_imagededup.py", "PYTHONPATH="+absent+" python with_imagededup.py")
	if log, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && t.Failed() {
		t.Logf("the last of the other programs wrote this to its log:\n%s", log)
	}
}
