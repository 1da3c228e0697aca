package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands of README.md must print what README.md says. A line of three dots matches any lines.
// Times may differ.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to run the commands of README.md")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+string(filepath.Separator), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	n := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for _, step := range strings.Split(block[1], "$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			run := exec.Command(shell, "-c", command)
			run.Dir = dir
			out, err := run.CombinedOutput()
			if err != nil {
				t.Errorf("%s\n%v\n%s", command, err, out)
			} else if !matches(want, string(out)) {
				t.Errorf("%s\nprints\n%sREADME.md says\n%s", command, out, want)
			}
			n++
		}
	}
	if n < 5 {
		t.Errorf("only %d commands found in README.md", n)
	}
}

// matches reports whether got is the output that a document shows as want.
func matches(want, got string) bool {
	pattern := regexp.QuoteMeta(want)
	pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta("...\n"), `(?:.*\n)*`)
	pattern = regexp.MustCompile(` in [0-9\\.]+m?s`).ReplaceAllString(pattern, ` in [0-9.]+m?s`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}
