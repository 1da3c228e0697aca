package inputs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Of a directory those files are found that are wanted: no hidden ones, nothing of an index, and what the patterns
// say, of which the innermost .gitignore that knows a path decides.
func TestFilesOfADirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "a", "group.txt": "a", ".hidden/b.txt": "b", "sub/c.txt": "c", "sub/d.log": "d", "sub/deep/e.txt": "e", "other/f.log": "f",
		"idx/MANIFEST": manifestBegin + "3\n", "idx/g.txt": "g", "none/MANIFEST": "a text", ".gitignore": "*.log\n", "sub/.gitignore": "!d.log\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "group.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "a.txt group.txt none/MANIFEST other/f.log sub/c.txt sub/d.log sub/deep/e.txt"},
		{Options{Hidden: true}, ".gitignore .hidden/b.txt a.txt group.txt none/MANIFEST other/f.log sub/.gitignore sub/c.txt sub/d.log sub/deep/e.txt"},
		{Options{GitIgnore: true}, "a.txt group.txt none/MANIFEST sub/c.txt sub/d.log sub/deep/e.txt"},
		{Options{Include: []string{"sub/"}}, "sub/c.txt sub/d.log sub/deep/e.txt"},
		{Options{Include: []string{"sub/*.txt", "*.log"}}, "other/f.log sub/c.txt sub/d.log"},
		{Options{Exclude: []string{"sub", "*.log"}}, "a.txt group.txt none/MANIFEST"},
		{Options{Include: []string{"*.txt"}, Exclude: []string{"deep/"}}, "a.txt group.txt sub/c.txt"},
	} {
		c.o.Stdin, c.o.Context = strings.NewReader(""), t.Context()
		f, err := New(c.o)
		if err == nil {
			err = f.Find([]string{dir})
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, in := range f.Inputs {
			got = append(got, strings.TrimPrefix(in.Path, filepath.ToSlash(dir)+"/"))
		}
		slices.Sort(got)
		if fmt.Sprint(got) != "["+c.want+"]" {
			t.Errorf("%+v: %v, want %v", c.o, got, c.want)
		}
		if private := strings.HasSuffix(f.Private, "/group.txt"); private != strings.Contains(c.want, "group") && runtime.GOOS != "windows" {
			t.Errorf("%+v: %q is private", c.o, f.Private)
		}
	}
	f, err := New(Options{Context: t.Context()})
	if err == nil {
		err = f.Find([]string{filepath.Join(dir, "idx")})
	}
	if err == nil || !strings.Contains(err.Error(), "is an index") {
		t.Errorf("an index that is named: %v", err)
	}
}
