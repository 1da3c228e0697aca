//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
)

// Whatever lies where a file of ours is expected, opening it ends at once with an error, and no other file changes.
func TestPlanted(t *testing.T) {
	type operation struct {
		name string
		do   func(path string) error
	}
	operations := func(f disk.FS, at func(path string) string) []operation {
		return []operation{
			{"ReadFile", func(p string) error { _, err := f.ReadFile(at(p), 1<<20); return err }},
			{"MapOwn", func(p string) error { _, err := disk.MapOwn(f, at(p)); return err }},
			{"SyncFile", func(p string) error { return f.SyncFile(at(p)) }},
			{"Create", func(p string) error { _, err := f.Create(at(p)); return err }},
			{"Lock", func(p string) error {
				l, err := f.Lock(at(p), "a note that is longer than the victim")
				if err == nil {
					err = l.Close()
				}
				return err
			}},
		}
	}
	for name, plant := range disktest.Planted {
		dir := t.TempDir()
		victim := filepath.Join(dir, "victim")
		if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "planted")
		if err := plant(path, victim); err != nil {
			t.Fatal(err)
		}
		root, err := disk.OS.Root(dir, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		whole := operations(disk.OS, func(p string) string { return p })
		inRoot := operations(root, filepath.Base)
		for _, op := range append(whole, inRoot...) {
			disktest.Soon(t, op.name+" of "+name, func() {
				err := op.do(path)
				second := name == "a hard link" && op.name == "SyncFile"
				if (err == nil) != second { // what is only synced may have a second name
					t.Errorf("%s of %s: %v", op.name, name, err)
				}
			})
		}
		disktest.Soon(t, "ReadDir of "+name, func() {
			if _, err := disk.OS.ReadDir(path); (err == nil) != (name == "a directory") {
				t.Errorf("ReadDir of %s: %v", name, err)
			}
		})
		if text, err := os.ReadFile(victim); string(text) != "precious" {
			t.Errorf("%s: the other file has %q, %v", name, text, err)
		}
		_ = root.Close()
	}
}

// A file that somebody has named may be reached by a link. What it leads to must be a file of a size that is expected.
func TestNamedFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(in("file"), []byte("text"), 0o666),
		os.Symlink("file", in("link")),
		os.WriteFile(in("two names"), []byte("text"), 0o666),
		os.Link(in("two names"), in("other name")),
		os.WriteFile(in("large"), nil, 0o666),
		os.Truncate(in("large"), 1<<40), // takes no space
		unix.Mkfifo(in("pipe"), 0o666),
		os.Symlink("/dev/zero", in("zeros")),
		os.Mkdir(in("dir"), 0o777),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name          string
		named, secret string // what the error says, or ""
	}{
		{"file", "", ""},
		{"link", "", ""},
		{"two names", "", disk.ErrNames.Error()},
		{"large", "bytes that a file of this kind may have", "bytes that a file of this kind may have"},
		{"pipe", disk.ErrIrregular.Error(), disk.ErrIrregular.Error()},
		{"zeros", disk.ErrIrregular.Error(), disk.ErrIrregular.Error()},
		{"dir", disk.ErrIrregular.Error(), disk.ErrIrregular.Error()},
		{"absent", "no such file", "no such file"},
	} {
		for _, way := range []struct {
			want string
			read func(path string) ([]byte, error)
		}{
			{tt.named, func(path string) ([]byte, error) { return disk.ReadNamed(path, 4) }},
			{tt.secret, disk.ReadSecret},
		} {
			disktest.Soon(t, tt.name, func() {
				text, err := way.read(in(tt.name))
				if way.want == "" && (err != nil || string(text) != "text") ||
					way.want != "" && (err == nil || !strings.Contains(err.Error(), way.want) || !errors.As(err, new(*fs.PathError))) {
					t.Errorf("%s: %q, %v; want %q", tt.name, text, err, way.want)
				}
			})
		}
	}
}
