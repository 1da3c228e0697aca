package disk

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// openPath maps the file at path.
func openPath(path string) (*Mapped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return MapFile(f)
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, want := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte("page"), 5000)} {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := openPath(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Data(), want) {
			t.Errorf("%d bytes mapped, want %d equal ones", len(f.Data()), len(want))
		}
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A map has the contents of the file that was opened, even if another file gets its name.
func TestReplacedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := openPath(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path+"2", []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"2", path); err != nil {
		t.Fatal(err)
	}
	if string(f.Data()) != "old" {
		t.Errorf("the map shows %q", f.Data())
	}
}

// MapFile maps a file from its beginning, independent of its offset.
func TestOpenFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("written"); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(f.Name()) // some systems cannot do this, and need not
	m, err := MapFile(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if string(m.Data()) != "written" {
		t.Errorf("the map shows %q", m.Data())
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeMapped(t *testing.T) {
	dir := t.TempDir()
	if _, err := openPath(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if _, err := openPath(dir); err == nil {
		t.Error("a directory was mapped")
	}
	// A device has no size, and would look like an empty file.
	if _, err := openPath(os.DevNull); err == nil {
		t.Error("a device was mapped")
	}
}
