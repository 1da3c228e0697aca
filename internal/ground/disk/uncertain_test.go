package disk_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
)

// A file that cannot be put in its place is certainly not there if the system has refused to, and otherwise it may
// be: after an error of the disk, or of a sync. No temporary file stays in any case.
func TestCertainty(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind string
		err  error
		sure bool
	}{
		{"rename", syscall.EIO, false},
		{"rename", errors.New("an error that nobody knows"), false},
		{"rename", syscall.ENOSPC, true},
		{"rename", syscall.EACCES, true},
		{"rename", syscall.EROFS, true},
		{"rename", syscall.EISDIR, true},
		{"rename", fs.ErrNotExist, true},
		{"sync", syscall.EIO, false},
		{"syncdir", syscall.EIO, false},
		{"create", syscall.EIO, true},
		{"write", syscall.EIO, true},
		{"close", syscall.EIO, true},
	} {
		base := disk.NewMemory()
		if err := disk.WriteAtomic(base, "a", []byte("old")); err != nil {
			t.Fatal(err)
		}
		fsys := &disktest.FS{Base: base, Before: func(op disktest.Op) (int, error) {
			if op.Kind == tt.kind {
				return 0, tt.err
			}
			return 0, nil
		}}
		err := disk.WriteAtomic(fsys, "a", []byte("new"))
		if !errors.Is(err, tt.err) || errors.Is(err, disk.ErrUncertain) == tt.sure {
			t.Errorf("%s, %v: %v, want it to be certain: %v", tt.kind, tt.err, err, tt.sure)
		}
		if got, err := base.ReadFile("a", 1<<30); err != nil || tt.sure && string(got) != "old" {
			t.Errorf("%s, %v: the file holds %q, %v", tt.kind, tt.err, got, err)
		}
		if names, err := base.ReadDir("."); err != nil || len(names) != 1 {
			t.Errorf("%s, %v: the directory holds %q, %v", tt.kind, tt.err, names, err)
		}
	}
}
