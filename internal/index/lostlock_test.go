package index

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
)

// A writer whose lock was removed acknowledges nothing more: another writer may have changed the index since. What that
// one was told stays.
func TestLostLock(t *testing.T) {
	t.Parallel()
	type writer struct {
		put   func(id string) error
		close func() error
	}
	open := map[string]func(fsys disk.FS) writer{
		"writer": func(fsys disk.FS) writer {
			w, err := openWriter(fsys, "idx", changeSettings(), WriterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return writer{func(id string) error {
				if err := w.Ingest(t.Context(), docs(id, id+" and some words")); err != nil {
					return err
				}
				_, err := w.Commit(t.Context())
				return err
			}, w.Close}
		},
		"live": func(fsys disk.FS) writer {
			l := openTestLive(t, fsys, "idx", 0)
			return writer{func(id string) error { return applyLive(l, []string{id, id + " and some words"}, nil) }, l.Close}
		},
	}
	for first, openFirst := range open {
		for second, openSecond := range open {
			for _, before := range []bool{false, true} { // whether the first one has written something
				fsys := disk.NewMemory()
				a := openFirst(fsys)
				if before {
					if err := a.put("early"); err != nil {
						t.Fatal(err)
					}
				}
				if err := fsys.Remove(filepath.Join("idx", "lock")); err != nil {
					t.Fatal(err)
				}
				b := openSecond(fsys)
				if err := b.put("other"); err != nil {
					t.Fatalf("%s beside %s: %v", second, first, err)
				}
				if err := a.put("late"); !errors.Is(err, disk.ErrLockLost) {
					t.Errorf("%s beside %s, writing before: %v: the first one writes on: %v", second, first, before, err)
				}
				if err := errors.Join(b.put("more"), b.close()); err != nil {
					t.Errorf("%s beside %s: %v", second, first, err)
				}
				_ = a.close() // it may say again that the lock is lost
				want := []string{"more", "other"}
				if before {
					want = []string{"early", "more", "other"}
				}
				ix, err := openDir(fsys, "idx")
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for doc := range uint32(ix.Len()) {
					id, err := ix.ID(doc)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, string(id))
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s beside %s, writing before: %v: has %q, want %q", second, first, before, got, want)
				}
				if err := ix.Close(); err != nil {
					t.Error(err)
				}
				mustVerify(t, fsys, "idx")
			}
		}
	}
}

// A lock that is lost while a segment is written keeps it from being named: another writer may have changed the
// manifest.
func TestLockLostDuringACommit(t *testing.T) {
	t.Parallel()
	base := disk.NewMemory()
	fsys := &disktest.FS{Base: base}
	w, err := openWriter(fsys, "idx", changeSettings(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ingest(t.Context(), docs("a", "some words")); err != nil {
		t.Fatal(err)
	}
	lost := error(nil)
	fsys.After = func(op disktest.Op) {
		if op.Kind == "rename" && filepath.Ext(op.To) == ".seg" {
			lost = base.Remove(filepath.Join("idx", "lock"))
		}
	}
	if _, err := w.Commit(t.Context()); !errors.Is(err, disk.ErrLockLost) || lost != nil {
		t.Errorf("the commit: %v, %v", err, lost)
	}
	if m, err := store.ReadManifest(base, "idx"); err != nil || len(m.Segments) > 0 {
		t.Errorf("the manifest names %+v, %v", m, err)
	}
	_ = w.Close() // whose lock is gone
}
