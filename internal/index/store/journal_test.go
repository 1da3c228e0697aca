package store

import (
	"errors"
	"path/filepath"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/segment"
)

// A failing is a disk of which the operations fail that fails says.
type failing struct {
	*disktest.FS
	fails func(op disktest.Op) bool
}

var errDisk = errors.New("the disk fails")

func newFailing(base disk.FS) *failing {
	f := &failing{FS: &disktest.FS{Base: base}, fails: func(disktest.Op) bool { return false }}
	f.Before = func(op disktest.Op) (int, error) {
		if f.fails(op) {
			return 0, errDisk
		}
		return 0, nil
	}
	return f
}

// openJournal opens the journal of an index, which it begins.
func openJournal(t *testing.T, fsys disk.FS) (*Dir, *Journal, error) {
	t.Helper()
	d := &Dir{FS: fsys, Path: "idx"}
	if err := errors.Join(d.Claim(), d.Read(analysis.Classic())); err != nil {
		t.Fatal(err)
	}
	j, err := OpenJournal(t.Context(), d, 1<<30, JournalOptions{Write: swapOptions, Hold: 1 << 20, FlushBytes: 1 << 20, FlushDocuments: 1000})
	return d, j, err
}

// change adds a document.
func change(t *testing.T, j *Journal, id string) (Change, error) {
	return j.Change(t.Context(), func() (*segment.Batch, *Places, error) {
		b := &segment.Batch{Documents: []segment.Document{{ID: []byte(id), HasFingerprint: true, Fingerprint: 7}}}
		return b, &Places{Documents: make([]Place, 1)}, nil
	})
}

// What another process may have missed, since it has taken the lock meanwhile, is not acknowledged, and nothing comes
// behind it.
func TestJournalWithoutItsLock(t *testing.T) {
	t.Parallel()
	fsys := disk.NewMemory()
	d, j, err := openJournal(t, fsys)
	if err != nil {
		t.Fatal(err)
	}
	c, err := change(t, j, "a")
	if err := errors.Join(err, j.Durable(c)); err != nil {
		t.Fatal(err)
	}
	if err := fsys.Remove(filepath.Join(d.Path, LockName)); err != nil {
		t.Fatal(err)
	}
	if err := j.Durable(c); !errors.Is(err, disk.ErrLockLost) {
		t.Errorf("acknowledged without the lock: %v", err)
	}
	if _, err := change(t, j, "b"); !errors.Is(err, disk.ErrLockLost) {
		t.Errorf("changed without the lock: %v", err)
	}
	_, _ = j.Close()
}

// If it is not known whether a manifest is durable, nothing comes behind it before the index is opened again.
func TestJournalAfterAFailedSync(t *testing.T) {
	t.Parallel()
	fsys := newFailing(disk.NewMemory())
	_, j, err := openJournal(t, fsys)
	if err == nil {
		_, err = change(t, j, "a")
	}
	if err != nil {
		t.Fatal(err)
	}
	fsys.fails = func(op disktest.Op) bool { return op.Kind == "syncdir" }
	if err := j.Flush(true); !errors.Is(err, disk.ErrUncertain) {
		t.Fatalf("%v, want %v", err, disk.ErrUncertain)
	}
	fsys.fails = func(disktest.Op) bool { return false }
	if _, err := change(t, j, "b"); !errors.Is(err, errDisk) {
		t.Errorf("%v, want what has failed before", err)
	}
	_, _ = j.Close()
}

// What a process that was killed has left in a log is made durable before anything is told of it.
func TestJournalKeepsLogs(t *testing.T) {
	t.Parallel()
	fsys := newFailing(disk.NewMemory())
	d, j, err := openJournal(t, fsys)
	if err == nil {
		_, err = change(t, j, "a")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.log.Close(), d.Release(false)); err != nil { // as if the process had ended
		t.Fatal(err)
	}
	fsys.fails = func(op disktest.Op) bool { return op.Kind == "sync" && filepath.Ext(op.Path) == LogExtension }
	d, _, err = openJournal(t, fsys)
	if !errors.Is(err, disk.ErrUncertain) {
		t.Errorf("%v, want %v", err, disk.ErrUncertain)
	}
	fsys.fails = func(disktest.Op) bool { return false }
	if err := d.Release(false); err != nil {
		t.Fatal(err)
	}
	if _, j, err = openJournal(t, fsys); err != nil || j.Len() != 1 {
		t.Errorf("%v", err)
	}
	if _, err := j.Close(); err != nil {
		t.Error(err)
	}
}

// A part is merged once at a time.
func TestPartIsMergedOnce(t *testing.T) {
	t.Parallel()
	_, j, err := openJournal(t, disk.NewMemory())
	if err == nil {
		_, err = change(t, j, "a")
	}
	if err = errors.Join(err, j.Flush(false)); err != nil {
		t.Fatal(err)
	}
	parts := j.State.Parts()
	w, err := j.State.Begin(t.Context(), parts, false)
	if err != nil || len(w.inputs) != 1 {
		t.Fatalf("%d parts: %v", len(w.inputs), err)
	}
	again, err := j.State.Begin(t.Context(), parts, false)
	if err == nil {
		t.Error("a part is merged twice")
	}
	j.State.End(again)
	j.State.End(w)
	if w, err = j.State.Begin(t.Context(), parts, false); err != nil {
		t.Error(err)
	}
	j.State.End(w)
	if _, err := j.Close(); err != nil {
		t.Error(err)
	}
}

// Tidy removes what an interrupted writer has left, when the manifest that does not name it is certain, and moves
// aside what nothing explains, as often as it comes back. No number of a file is used again.
func TestTidy(t *testing.T) {
	t.Parallel()
	fsys := newFailing(disk.NewMemory())
	d := &Dir{FS: fsys, Path: "idx"}
	write := func(name, contents string) {
		t.Helper()
		if err := disk.WriteAtomic(fsys, filepath.Join(d.Path, name), []byte(contents)); err != nil {
			t.Fatal(err)
		}
	}
	tidy := func() error { return d.Tidy(true, func(Leftover) {}) }
	if err := errors.Join(d.Claim(), d.Read(analysis.Classic())); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Reserve(3); err != nil {
		t.Fatal(err)
	}
	write("000002.seg", "a segment that was not finished")
	write("000009.seg", "of a later manifest")
	fsys.fails = func(op disktest.Op) bool { return op.Kind == "syncdir" && op.Path == d.Path }
	err := tidy()
	if names, _ := fsys.ReadDir(d.Path); !errors.Is(err, errDisk) || len(names) != 4 {
		t.Errorf("before the manifest is certain, %v is left: %v", names, err)
	}
	fsys.fails = func(op disktest.Op) bool { return op.Kind == "syncdir" && filepath.Base(op.Path) == AsideName }
	if err := tidy(); !errors.Is(err, errDisk) {
		t.Errorf("what is moved aside may be lost: %v", err)
	}
	fsys.fails = func(disktest.Op) bool { return false }
	write("000009.seg", "of another one")
	if err := tidy(); err != nil || d.Manifest.Next != 10 {
		t.Errorf("the next number is %d, want 10: %v", d.Manifest.Next, err)
	}
	for name, want := range map[string]string{"000009.seg": "of a later manifest", "000009.seg.2": "of another one"} {
		if got, err := fsys.ReadFile(filepath.Join(d.Path, AsideName, name), 100); err != nil || string(got) != want {
			t.Errorf("%s: %q, want %q: %v", name, got, want, err)
		}
	}
	if names, err := fsys.ReadDir(d.Path); err != nil || len(names) != 3 { // with the manifest and the lock
		t.Errorf("left is %v: %v", names, err)
	}
	if err := d.Release(false); err != nil {
		t.Error(err)
	}
}
