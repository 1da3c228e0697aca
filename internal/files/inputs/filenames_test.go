package inputs

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
	for path, want := range map[string]string{"a": "a", "d//a": "d/a", "./-": "./-", "/home/a/d/b": "d/b", "/mnt/b": "../b"} {
		if got := n.Name(n.Path(n.Name(path))); got != n.Name(want) {
			t.Errorf("path of %s: %s", path, got)
		}
	}
	for _, tt := range []struct {
		name, dir string
		want      bool
	}{
		{"d/a", "d", true}, {"d/e/a", "./d/", true}, {"d/a", ".", true}, {"d/a", "..", true}, {"d/a", "/", true}, {"d/a", "/home/a/d", true},
		{"d/a", "/mnt/a", true}, {"de/a", "d", false}, {"d", "d", false}, {"/mnt/b/c", "../b", true}, {"/mnt/b/c", ".", false}, {"./-", ".", true},
	} {
		if got := n.IsBelow(tt.name, tt.dir); got != tt.want {
			t.Errorf("%s is below %s: %v", tt.name, tt.dir, got)
		}
	}
	if n := (Namer{}); !n.IsBelow("d/a", "d/") || n.IsBelow("a", "d") || n.Path("d/a") != "d/a" {
		t.Error("without a working directory")
	}
	if got := (Namer{[]string{"/"}, []string{"/"}}).Name("/a/b"); got != "a/b" {
		t.Errorf("below the root: %s", got)
	}
	if got := (Namer{}).Name("../a/./b"); got != "../a/b" {
		t.Errorf("without a working directory: %s", got)
	}
}
