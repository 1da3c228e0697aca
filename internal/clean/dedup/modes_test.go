package dedup

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"simsearch/internal/ground/disk"
)

// What is made of a file is read by nobody who may not read the file.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are those of Unix")
	}
	for _, mode := range []fs.FileMode{0o600, 0o644} {
		in, out := filepath.Join(t.TempDir(), "in.jsonl"), filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(in, []byte(`{"id":"a","text":"b"}`+"\n"), mode); err != nil {
			t.Fatal(err)
		}
		o := resumable(out)
		o.FS = disk.OS
		if _, err := runTo(t.Context(), out, nil, []string{in}, o); err != nil {
			t.Fatal(err)
		}
		files := 0
		err := filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
			if err != nil || path == out {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			files++
			if shown := info.Mode().Perm()&0o044 != 0; shown != (mode == 0o644) {
				t.Errorf("the input is %v, and %s is %v", mode, path, info.Mode())
			}
			return nil
		})
		if err != nil || files < 6 {
			t.Errorf("%d files: %v", files, err)
		}
	}
}
