package filenames

import "testing"

func TestNames(t *testing.T) {
	dirs := []string{"/home/a", "/mnt/a"}
	n := Namer{dirs, dirs}
	for path, want := range map[string]string{
		"a": "a", "./a": "a", "d//a": "d/a", "d/../a": "a", "./-": "./-", "../a/d/b": "d/b", "../b": "/mnt/b", "..": "/mnt",
		"/home/a/d/b": "d/b", "/mnt/a/b": "b", "/home/ab": "/home/ab", "/home/a/../b": "/home/b", "/": "/", "...": "...", "..a/b": "..a/b",
	} {
		if got := n.Name(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := (Namer{[]string{"/"}, []string{"/"}}).Name("/a/b"); got != "a/b" {
		t.Errorf("below the root: %s", got)
	}
	if got := (Namer{}).Name("../a/./b"); got != "../a/b" {
		t.Errorf("without a working directory: %s", got)
	}
}
