package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReaders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are those of Unix")
	}
	dir := t.TempDir()
	file := func(mode fs.FileMode) string {
		path := filepath.Join(dir, mode.String())
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the mask is
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		modes []fs.FileMode
		want  fs.FileMode
	}{
		{nil, 0o666}, {[]fs.FileMode{0o644}, 0o666}, {[]fs.FileMode{0o444}, 0o666}, {[]fs.FileMode{0o640}, 0o660}, {[]fs.FileMode{0o600}, 0o600}, {[]fs.FileMode{0o400}, 0o600},
		{[]fs.FileMode{0o644, 0o600, 0o644}, 0o600}, {[]fs.FileMode{0o640, 0o604}, 0o600}, {[]fs.FileMode{0o622}, 0o600},
	} {
		var r Readers
		for _, mode := range tt.modes {
			r.See(file(mode))
		}
		for _, other := range []string{"", "-", dir, filepath.Join(dir, "absent"), os.DevNull} {
			r.See(other)
		}
		if r.Mode() != tt.want {
			t.Errorf("%v: %v, want %v", tt.modes, r.Mode(), tt.want)
		}
	}
}

// A link to nothing is told of as such, also where it is above the directory that is wanted.
func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := os.Symlink("absent", link); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(link, "below")} {
		if made, err := MkdirAll(OS, path); !errors.Is(err, errDangling) || len(made) != 0 {
			t.Errorf("%s: made %q, %v", path, made, err)
		}
	}
	for _, path := range []string{link, filepath.Join(link, "below", "it")} {
		if err := CanBeDir(path); !errors.Is(err, errDangling) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if CanBeDir(file) == nil || CanBeDir(filepath.Join(file, "below")) == nil {
		t.Error("a file is taken for a directory")
	}
	if err := errors.Join(CanBeDir(dir), CanBeDir(filepath.Join(dir, "absent", "below")), CanBeDir("absent")); err != nil {
		t.Error(err)
	}
}
