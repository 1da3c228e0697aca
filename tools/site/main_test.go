package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const reference = "# simsearch\n\n[near](near.md)\n\n# simsearch near\n\n## Flags\n\n### Output\n\nNone.\n"

// tree returns a repository with these files.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := put(root, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var few = []part{{"Start", []string{"README.md|Overview"}}, {"Guides", []string{commandsFile}}}

// Each link that leads nowhere is told, with the page that has it.
func TestLinks(t *testing.T) {
	root := tree(t, map[string]string{
		"README.md":      "# A\n\n[1](docs/X.md#words-and-more) [2](docs/X.md#word) [3](docs/Y.md) [4](main.go) [5](gone.go) ![6](docs/none.svg) [7](#a) [8](#b) <https://example.org>\n",
		"docs/X.md":      "# X\n\n## Words, and more\n\n[back](../README.md#a)\n",
		"main.go":        "// docs/X.md#x-1 is wrong, and docs/X.md#x is right.\n// docs/GONE.md and internal/a/GONE.md are not there.\n",
		"testdata/no.go": "// docs/GONE.md is data.\n",
	})
	s, err := read(root, few, []byte(reference))
	if err != nil {
		t.Fatal(err)
	}
	err = s.check()
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	want := []string{
		"README.md: it links to docs/X.md#word: docs/X.md has no such heading",
		"README.md: it links to docs/Y.md: there is no such file",
		"README.md: it links to gone.go: there is no such file",
		"README.md: it shows docs/none.svg: there is no such file",
		"README.md: it links to #b: README.md has no such heading",
		"main.go names docs/X.md#x-1, which has no such heading",
		"main.go names docs/GONE.md, which does not exist",
		"main.go names internal/a/GONE.md, which does not exist",
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// A page links to pages of the site, to no other file, and loads nothing from elsewhere.
func TestWritten(t *testing.T) {
	root := tree(t, map[string]string{
		"README.md":           "# A\n\n[file](main.go), [page](docs/B.md#c), `simsearch near --help`, `simsearch nothing`.\n\n```console\n$ echo '<x>'\n<x>\n```\n",
		"docs/B.md":           "# B\n\n## C\n\n![plot](measured/p.svg)\n",
		"docs/measured/p.svg": "<svg/>",
		"main.go":             "package main\n",
	})
	s, err := read(root, few, []byte(reference))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "site")
	for range 2 { // the second takes the place of the first
		if err := s.write(out); err != nil {
			t.Fatal(err)
		}
	}
	home, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<p>file, <a href=\"b.html#c\">page</a>, <a href=\"commands/near.html\"><code>simsearch near --help</code></a>, <code class=\"short\">simsearch nothing</code>.</p>",
		"<span class=\"prompt\">$ </span><b>echo '&lt;x&gt;'</b>\n&lt;x&gt;\n",
		"aria-current=\"page\">Overview</a>",
	} {
		if !strings.Contains(string(home), want) {
			t.Errorf("%s\nis not in\n%s", want, home)
		}
	}
	loaded := regexp.MustCompile(`(?:src|<link[^>]* href)="(?:[a-z]+:)?//|@import|url\(`)
	err = filepath.WalkDir(out, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if m := loaded.Find(text); m != nil {
			t.Errorf("%s loads something from elsewhere: %s", file, m)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "measured", "p.svg")); err != nil {
		t.Error(err)
	}
}

// The pages on a disk are searched in a browser, without a server.
func TestSearch(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium: ", err)
	}
	root := tree(t, map[string]string{
		"README.md": "# A\n\nNothing here.\n",
		"docs/B.md": "# Stones\n\n## Grey ones\n\nGranite is <hard> and grey.\n\n## Others\n\nMarble is white.\n",
		"docs/C.md": "# Sand\n\nIt was granite once.\n",
	})
	s, err := read(root, few, []byte(reference))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir() + "/site"
	if err := s.write(out); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"grani":        {"b.html#grey-ones", "c.html"},
		"GREY granite": {"b.html#grey-ones"},
		"marble+sand":  nil,
		"flags":        {"commands/near.html#flags"},
	} {
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=5000", "--dump-dom",
			"file://"+out+"/index.html?q="+strings.ReplaceAll(query, " ", "+"))
		dom, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		_, shown, _ := strings.Cut(string(dom), `id="results"`)
		shown, _, _ = strings.Cut(shown, "</form>")
		var got []string
		for _, m := range regexp.MustCompile(`<a href="([^"]*)"`).FindAllStringSubmatch(shown, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s finds %v, want %v:\n%s", query, got, want, shown)
		}
		if strings.Contains(shown, "<hard>") {
			t.Errorf("a text is taken for HTML: %s", shown)
		}
	}
}
