package disktest

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"simsearch/internal/ground/disk"
)

// certain returns the contents that name certainly has after a crash, or "absent".
func certain(t *testing.T, s *Shadow, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := s.Image(dir, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return "absent"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestShadowKeepsWhatIsSynced(t *testing.T) {
	root := t.TempDir()
	s := NewShadow(root)
	fsys := &FS{Base: disk.OS, After: s.Done}
	path := filepath.Join(root, "a")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := fsys.Create(path)
	must(err)
	_, err = f.Write([]byte("one"))
	must(err)
	must(f.Sync())
	if got := certain(t, s, "a"); got != "absent" {
		t.Errorf("a name that no SyncDir has made durable: %q", got)
	}
	must(fsys.SyncDir(root))
	_, err = f.Write([]byte("two"))
	must(err)
	if got := certain(t, s, "a"); got != "one" {
		t.Errorf("certain are %q, want what has been synced", got)
	}
	must(f.Sync())
	must(f.Close())
	must(fsys.Rename(path, filepath.Join(root, "b")))
	if a, b := certain(t, s, "a"), certain(t, s, "b"); a != "onetwo" || b != "absent" {
		t.Errorf("renamed, not synced: a is %q, b is %q", a, b)
	}
	must(fsys.SyncDir(root))
	if a, b := certain(t, s, "a"), certain(t, s, "b"); a != "absent" || b != "onetwo" {
		t.Errorf("renamed and synced: a is %q, b is %q", a, b)
	}
	must(fsys.Remove(filepath.Join(root, "b")))
	if got := certain(t, s, "b"); got != "onetwo" {
		t.Errorf("removed, not synced: %q", got)
	}
}

func TestARefusedWriteIsShort(t *testing.T) {
	root := t.TempDir()
	fsys := &FS{Base: disk.OS, Before: func(op Op) (int, error) {
		if op.Kind == "write" {
			return 2, syscall.ENOSPC
		}
		return 0, nil
	}}
	f, err := fsys.Create(filepath.Join(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := f.Write([]byte("three"))
	if n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Write returned %d, %v; want 2 bytes and ENOSPC", n, err)
	}
	if data, _ := os.ReadFile(filepath.Join(root, "a")); string(data) != "th" {
		t.Errorf("the file holds %q", data)
	}
}

func TestQuota(t *testing.T) {
	q := NewQuota(disk.NewMemory(), 10)
	f, err := q.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("seven s")); n != 7 || err != nil {
		t.Errorf("the first write: %d, %v", n, err)
	}
	if n, err := f.Write([]byte("five.")); n != 3 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a write that does not fit: %d, %v", n, err)
	}
	if n, err := f.WriteAt([]byte("S"), 0); n != 1 || err != nil {
		t.Errorf("a write over what is there: %d, %v", n, err)
	}
	temporary, err := q.CreateTemp("")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := temporary.Write([]byte("x")); n != 0 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a temporary file on a full disk: %d, %v", n, err)
	}
	q.SetRoom(2)
	if n, err := temporary.Write([]byte("xyz")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a temporary file with room for 2 bytes: %d, %v", n, err)
	}
	g, err := q.Create("b")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), temporary.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := g.Write([]byte("xyz")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("after a temporary file was closed: %d, %v", n, err)
	}
	if err := q.Rename("b", "a"); err != nil {
		t.Fatal(err)
	}
	if n, err := g.Write([]byte("0123456789x")); n != 10 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("after a file was replaced: %d, %v", n, err)
	}
	if err := errors.Join(g.Close(), q.Remove("a")); err != nil {
		t.Fatal(err)
	}
	if got := q.Most(); got != 12 {
		t.Errorf("%d bytes were in use at a time", got)
	}
}

// What was in a directory that is gone does not come back in another one of its name.
func TestShadowForgetsWhatIsInADirectoryThatIsGone(t *testing.T) {
	root := t.TempDir()
	s := NewShadow(root)
	fsys := &FS{Base: disk.OS, After: s.Done}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	file := func(dir, name string) {
		must(fsys.Mkdir(in(dir)))
		f, err := fsys.Create(in(dir, name))
		must(err)
		must(f.Close(), fsys.SyncDir(in(dir)), fsys.SyncDir(root))
	}
	file("d", "old")
	file("e", "new")
	must(fsys.Remove(in("d", "old")), fsys.Remove(in("d")), fsys.SyncDir(root), fsys.Rename(in("e"), in("d")), fsys.SyncDir(root))
	for i := range uint64(20) {
		image := t.TempDir()
		must(s.Image(image, rand.New(rand.NewPCG(i, 1))))
		_, missing := os.Stat(filepath.Join(image, "d", "new"))
		if _, err := os.Stat(filepath.Join(image, "d", "old")); err == nil || missing != nil {
			t.Fatalf("the old file is there: %v; the new one: %v", err == nil, missing)
		}
	}
}
