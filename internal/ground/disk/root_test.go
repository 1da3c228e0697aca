package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Nothing that a Root is asked for reaches a file outside of its directory, or leads through a link.
func TestRootStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("gold"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "real", "z"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"away": outside, "file": victim, "near": "real", "real/up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("links cannot be made here:", err)
		}
	}
	root, err := OS.Root(dir, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	ops := map[string]func(path string) error{
		"Create":   func(p string) error { _, err := root.Create(p); return err },
		"ReadFile": func(p string) error { _, err := root.ReadFile(p, 1<<30); return err },
		"Map":      func(p string) error { _, err := root.Map(p); return err },
		"Mkdir":    root.Mkdir,
		"SyncFile": root.SyncFile,
		"Lock":     func(p string) error { _, err := root.Lock(p, "note"); return err },
		"Rename":   func(p string) error { return root.Rename(p, "real/x") },
		"Link":     func(p string) error { return root.Link(p, "real/y") },
		"Link to":  func(p string) error { return root.Link("real/z", p) },
		"Remove":   root.Remove,
		"Stat":     func(p string) error { _, err := root.Stat(p); return err },
		"ReadDir":  func(p string) error { _, err := root.ReadDir(p); return err },
		"SyncDir":  root.SyncDir,
		"Root":     func(p string) error { _, err := root.Root(p, 0o666); return err },
	}
	for what, op := range ops {
		for _, path := range []string{"away/victim", "near/x", "real/up/file", "real/up/real"} {
			if err := op(path); !errors.Is(err, ErrLink) {
				t.Errorf("%s of %s: %v, want ErrLink", what, path, err)
			}
		}
		for _, path := range []string{"../" + filepath.Base(outside), victim, "real/../../x", ""} {
			if err := op(path); !errors.Is(err, errOutside) {
				t.Errorf("%s of %q: %v, want errOutside", what, path, err)
			}
		}
		switch what {
		case "ReadFile", "Map", "SyncFile", "Lock", "ReadDir", "SyncDir", "Root":
			for _, path := range []string{"file", "away"} {
				if err := op(path); !errors.Is(err, ErrLink) {
					t.Errorf("%s of the link %s: %v, want ErrLink", what, path, err)
				}
			}
		}
	}
	if info, err := root.Stat("file"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("Stat of a link describes %v (%v), want the link", info, err)
	}
	if err := errors.Join(root.Remove("file"), root.Remove("away")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(victim); string(text) != "gold" {
		t.Errorf("the file outside has %q (%v)", text, err)
	}
}

// Files of a Root have its permissions.
func TestRootPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions")
	}
	dir := t.TempDir()
	root, err := OS.Root(dir, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := errors.Join(root.Mkdir("d"), WriteAtomic(root, "d/a", []byte("text"))); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{"d": 0o700, "d/a": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has the permissions %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
}

// Errors name whole paths, also those of a Root below another one.
func TestRootNamesWholePaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "work"), 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := OS.Root(dir, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	work, err := root.Root("work", 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = work.Close() }()
	absent := filepath.Join(dir, "work", "absent")
	_, opened := work.ReadFile("absent", 1)
	_, stat := work.Stat("absent")
	for _, err := range []error{work.Remove("absent"), work.Rename("absent", "other"), work.Mkdir("absent/x"), opened, stat} {
		if err == nil || !strings.Contains(err.Error(), absent) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v does not name %s", err, absent)
		}
	}
}
