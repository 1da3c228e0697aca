package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestCommitReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"first", "second"} {
		if err := WriteAtomic(OS, path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("file holds %q, want %q", got, text)
		}
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("directory holds %v, want the file alone", got)
	}
}

func TestAbortLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := WriteAtomic(OS, path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	f, err := CreateAtomic(OS, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := filepath.Glob(filepath.Join(dir, TempPattern)); len(got) != 1 {
		t.Errorf("TempPattern matches %v, want the one unfinished file", got)
	}
	f.Abort()
	f.Abort()
	if err := f.Commit(); err == nil {
		t.Error("Commit after Abort succeeded")
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file holds %q, want the old text", got)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("directory holds %v, want the file alone", got)
	}
}

func TestCommitOntoADirectoryFailsClean(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteAtomic(OS, path, []byte("x")); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("directory holds %v, want no temporary file", got)
	}
}
