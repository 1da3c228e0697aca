package corpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// paths returns the paths that a reader finds.
func paths(t *testing.T, inputs []string, o Options) []string {
	t.Helper()
	r, err := Open(inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for doc, err := range r.Documents() {
		if err != nil {
			found = append(found, "! "+err.Error())
			continue
		}
		found = append(found, doc.Source)
	}
	return found
}

func TestIncludeAndExclude(t *testing.T) {
	tree := map[string]string{}
	for _, name := range strings.Fields("a.md b.txt docs/c.md docs/d.txt docs/deep/e.md docs/deep/f.txt src/docs/g.md .x/h.md weird/[i].md") {
		tree["d/"+name] = "text"
	}
	files(t, tree)
	for _, tt := range []struct {
		include, exclude string
		want             string
	}{
		{"", "", "a.md b.txt docs/c.md docs/d.txt docs/deep/e.md docs/deep/f.txt src/docs/g.md weird/[i].md"},
		{"*.md", "", "a.md docs/c.md docs/deep/e.md src/docs/g.md weird/[i].md"},
		{"/*.md", "", "a.md"}, {"./*.md", "", "a.md"},
		{"docs/*.md", "", "docs/c.md"}, {"docs/**/*.md", "", "docs/c.md docs/deep/e.md"}, {"**/docs/*.md", "", "docs/c.md src/docs/g.md"},
		{"docs", "", "docs/c.md docs/d.txt docs/deep/e.md docs/deep/f.txt src/docs/g.md"},
		{"docs/", "deep", "docs/c.md docs/d.txt src/docs/g.md"}, {"a.md/", "", ""},
		{"*.{md,txt} ", "*.txt", ""}, {"*.{md,txt}", "*.txt", "a.md docs/c.md docs/deep/e.md src/docs/g.md weird/[i].md"},
		{"*.md b.txt", "", "a.md b.txt docs/c.md docs/deep/e.md src/docs/g.md weird/[i].md"},
		{"", "docs/ weird", "a.md b.txt"}, {"", "/docs/ /weird", "a.md b.txt src/docs/g.md"}, {"", "docs/deep/** *.txt", "a.md docs/c.md src/docs/g.md weird/[i].md"},
		{"[ab].*", "", "a.md b.txt"}, {`\[i\].md`, "", "weird/[i].md"}, {".x/*.md", "", ""},
	} {
		split := func(s string) []string {
			if strings.HasSuffix(s, " ") {
				return []string{s}
			}
			return strings.Fields(s)
		}
		for _, root := range []string{"d", "./d/", "../" + filepath.Base(must(os.Getwd())) + "/d"} {
			got := paths(t, []string{root}, Options{Include: split(tt.include), Exclude: split(tt.exclude)})
			want := strings.Fields(tt.want)
			for i := range want {
				want[i] = filepath.ToSlash(filepath.Join(root, want[i]))
			}
			if !slices.Equal(got, want) {
				t.Errorf("include %q, exclude %q in %s: got %q, want %q", tt.include, tt.exclude, root, got, want)
			}
		}
	}
	if got, want := paths(t, []string{"d"}, Options{Include: []string{".x/*.md"}, Hidden: true}), []string{"d/.x/h.md"}; !slices.Equal(got, want) {
		t.Errorf("hidden: got %q, want %q", got, want)
	}
	if got, want := paths(t, []string{"d/b.txt"}, Options{Include: []string{"*.md"}}), []string{"d/b.txt"}; !slices.Equal(got, want) {
		t.Errorf("a named file: got %q, want %q", got, want)
	}
	t.Chdir("d")
	if got, want := paths(t, []string{"."}, Options{Include: []string{"docs/*.md"}}), []string{"docs/c.md"}; !slices.Equal(got, want) {
		t.Errorf("the working directory: got %q, want %q", got, want)
	}
	for _, p := range []string{"", "/", "./", "[a", "{a"} {
		if _, err := Open([]string{"."}, Options{Exclude: []string{p}}); err == nil || !strings.Contains(err.Error(), "is not a pattern of paths") {
			t.Errorf("pattern %q: %v", p, err)
		}
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// What .gitignore files leave out is what git leaves out.
func TestGitIgnore(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	files(t, map[string]string{
		".gitignore":        "*.log\n/build/\n!keep.log\nsub/only.txt\n\\#x\ntrailing  \n",
		"a.txt":             "A",
		"a.log":             "A",
		"keep.log":          "A",
		"#x":                "X",
		"trailing":          "T",
		"build/b.txt":       "B",
		"sub/build/c.txt":   "C",
		"sub/only.txt":      "O",
		"sub/.gitignore":    "!a.log\n*.tmp\ndeep/*\n!deep/stay/\n",
		"sub/a.log":         "A",
		"sub/b.log":         "B",
		"sub/x.tmp":         "X",
		"sub/deep/d.txt":    "D",
		"sub/deep/stay/e":   "E",
		"sub/deep/stay/tmp": "E",
		"other/x.tmp":       "X",
		"other/deep/d.txt":  "D",
		"**":                "S",
	})
	init := exec.Command(git, "-c", "init.defaultBranch=x", "init", "-q")
	if out, err := init.CombinedOutput(); err != nil {
		t.Skipf("git init: %v\n%s", err, out)
	}
	for _, root := range []string{".", "sub", "sub/deep", "other"} {
		list := exec.Command(git, "-c", "core.quotePath=false", "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-per-directory=.gitignore", "--full-name", "--", root)
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			if !strings.HasPrefix(filepath.Base(name), ".") {
				want = append(want, name)
			}
		}
		got := paths(t, []string{root}, Options{GitIgnore: true})
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", root, got, want)
		}
	}
	// A directory that is left out is read if it is asked for.
	if got, want := paths(t, []string{"build"}, Options{GitIgnore: true}), []string{"build/b.txt"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := paths(t, []string{"."}, Options{}); !slices.Contains(got, "build/b.txt") {
		t.Errorf("without GitIgnore: %q", got)
	}
}

func TestGitIgnoreOutsideOfARepository(t *testing.T) {
	files(t, map[string]string{".gitignore": "*", "d/.gitignore": "b", "d/a": "A", "d/b": "B", "e/.gitignore": strings.Repeat("#", 1<<20+1), "e/a": "A"})
	got := paths(t, []string{"d", "e"}, Options{GitIgnore: true})
	want := []string{"d/a", "! e/.gitignore: cannot read: it has more than the 1048576 bytes that a file of this kind may have", "e/a"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A link to a directory is followed if it is named. Those in a directory are not.
func TestLinks(t *testing.T) {
	files(t, map[string]string{"d/a": "A", "d/e/b": "B"})
	for link, to := range map[string]string{"link": "d", "d/inner": "e"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for _, root := range []string{"link", "link/", "./link"} {
		if got, want := paths(t, []string{root}, Options{}), []string{"link/a", "link/e/b"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", root, got, want)
		}
		if got, want := paths(t, []string{root}, Options{Exclude: []string{"/e"}}), []string{"link/a"}; !slices.Equal(got, want) {
			t.Errorf("%s without e: got %q, want %q", root, got, want)
		}
	}
}
