package tempfile

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A file keeps its contents without a name, and is gone when it is closed.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, "some-*")
	if err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("an open file can be seen, and would outlive a kill: %v", left)
	}
	if _, err := f.WriteString("what is kept"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.NewSectionReader(f, 0, 100))
	if err != nil || string(got) != "what is kept" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Where a file cannot be removed while it is open, Close removes it.
func TestCloseRemovesWhatHasAName(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "named"))
	if err != nil {
		t.Fatal(err)
	}
	if err := (&File{f, true}).Close(); err != nil {
		t.Error(err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCreateWhereThereIsNoDirectory(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "missing"), "some-*"); err == nil {
		t.Error("a directory that is missing: no error")
	}
}
