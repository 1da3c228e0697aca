package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/ground/disk"
)

// What is moved aside stays in the index, even if somebody has put a link where it goes.
func TestMoveAsideFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "000001.seg"), []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, AsideName)); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	if err := (&Dir{FS: disk.OS, Path: dir}).moveAside("000001.seg"); !errors.Is(err, disk.ErrLink) {
		t.Errorf("%v, want %v", err, disk.ErrLink)
	}
	names, err := os.ReadDir(outside)
	if err != nil || len(names) > 0 {
		t.Errorf("outside there is %v (%v)", names, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "000001.seg")); err != nil {
		t.Error(err)
	}
}
