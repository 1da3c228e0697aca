package index

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// Options that would fail later are refused before anything is begun.
func TestOptionsAreCheckedFirst(t *testing.T) {
	t.Parallel()
	sets := minHash(analysis.MinHash)
	for name, o := range map[string]WriterOptions{
		"distance":       {Distance: -1},
		"large distance": {Distance: 64},
		"table bytes":    {TableBytes: -1},
		"no table bytes": {TableBytes: math.NaN()},
		"threads":        {Threads: -1},
		"hold":           {Memory: -1},
		"threshold":      {Search: analysis.Search{Planned: 1.5}},
		"recall":         {Search: analysis.Search{Recall: -0.1}},
		"search":         {Search: analysis.Search{Jaccard: 2}},
		"keep":           {Keep: "all"},
	} {
		dir := filepath.Join(t.TempDir(), "x")
		w, err := OpenWriter(dir, sets, o)
		if err == nil {
			t.Errorf("%s: no error", name)
			_ = w.Close()
		}
		if got := snapshot(t, dir); got != "absent" {
			t.Errorf("%s: an index was begun: %s", name, got)
		}
	}
}

func TestIDsThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var refused []string
	o := WriterOptions{Refused: func(id []byte, _, why string) { refused = append(refused, why) }}
	r := addWith(t, dir, withoutStopWords(), o, docs("a", "one", "", "two", "b\x00", "three", strings.Repeat("c", segment.MaxID+1), "four", strings.Repeat("d", segment.MaxID), "five"))
	if r.Added != 2 || r.Refused != 3 || len(refused) != 3 {
		t.Errorf("%+v, told %q; want 2 added and 3 refused", r, refused)
	}
}

// If the lock were a symbolic link, somebody else's file would be locked and written to.
func TestALockIsNoLink(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	victim, dir := filepath.Join(parent, "victim"), filepath.Join(parent, "idx")
	if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, store.LockName)); err != nil {
		t.Skip(err)
	}
	if w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{}); err == nil {
		t.Error("the link was followed")
		_ = w.Close()
	}
	if data, _ := os.ReadFile(victim); string(data) != "precious" {
		t.Errorf("the file behind the link holds %q", data)
	}
}

// Writers that begin an index at the same time come one after the other, or get ErrLocked.
func TestRacingFirstWriters(t *testing.T) {
	t.Parallel()
	rounds := testkit.Of(20, 80)
	for range rounds {
		dir := filepath.Join(t.TempDir(), "new", "idx")
		var wg sync.WaitGroup
		var mu sync.Mutex
		added := 0
		for _, name := range []string{"a", "b", "c"} {
			wg.Go(func() {
				w, err := openWriter(unfailing, dir, withoutStopWords(), WriterOptions{})
				if err == nil && name != "c" { // this writer adds nothing and ends
					if err = w.Ingest(t.Context(), docs(name, "some text")); err == nil {
						_, err = w.Commit(t.Context())
					}
				}
				if w != nil {
					err = errors.Join(err, w.Close())
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil && name != "c" {
					added++
				} else if err != nil && !errors.Is(err, ErrLocked) {
					t.Errorf("writer %s: %v", name, err)
				}
			})
		}
		wg.Wait()
		got := 0
		if ix, err := Open(dir); err == nil {
			got = ix.Len()
			_ = ix.Close()
		} else if !errors.Is(err, ErrNoIndex) {
			t.Fatal(err)
		}
		if got != added {
			t.Fatalf("%d documents, %d added", got, added)
		}
	}
}

// After a failed sync nothing more is added or acknowledged until the index is opened anew.
func TestAFailedSyncEndsTheWriter(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sync", "syncdir", "rename"} {
		dir := t.TempDir()
		failing := false
		fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
			if failing && op.Kind == kind {
				failing = false
				return 0, syscall.EIO
			}
			return 0, nil
		}}
		w, err := openWriter(fsys, dir, withoutStopWords(), WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), docs("a", "some text")); err != nil {
			t.Fatal(err)
		}
		failing = true
		if _, err := w.Commit(t.Context()); !errors.Is(err, disk.ErrUncertain) {
			t.Fatalf("%s fails: %v, want ErrUncertain", kind, err)
		}
		for range 2 {
			_, err := w.Commit(t.Context())
			if ingested := w.Ingest(t.Context(), docs("b", "other text")); !errors.Is(err, syscall.EIO) || !errors.Is(ingested, syscall.EIO) {
				t.Errorf("%s has failed: Commit %v, Ingest %v", kind, err, ingested)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A commit that fails leaves the Writer as it was. If it is tried again, the result is the same for
// every document. If nothing is committed in the end, no file is left behind.
func TestAFailedCommitLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "idx")
	full := true
	fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
		if full && op.Kind == "write" && len(op.Data) > 1000 { // the segment, not a manifest
			return 10, syscall.ENOSPC
		}
		return 0, nil
	}}
	for _, again := range []bool{false, true} {
		full = true
		w, err := openWriter(fsys, dir, withoutStopWords(), WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), docs("a", "some text", "a", "some text", "a", "other text", "b", "more text")); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, disk.ErrUncertain) {
			t.Fatalf("a full disk: %v", err)
		}
		if again {
			full = false
			if r, err := w.Commit(t.Context()); err != nil || r != (Result{Added: 2, Unchanged: 1, Refused: 1}) {
				t.Errorf("with room again: %+v, %v", r, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Dir(dir)); !again && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind: %v", filepath.Dir(dir), err)
		}
	}
	if ix := mustOpen(t, dir); ix.Len() != 2 {
		t.Errorf("%d documents", ix.Len())
	}
}

// A manifest that names a segment twice would have its documents twice.
func TestASegmentNamedTwice(t *testing.T) {
	t.Parallel()
	ref := segment.Ref{Name: "000001.seg", Documents: 3, Bytes: 4096, Digest: "0123abcd"}
	m := &store.Manifest{Settings: analysis.Classic(), Next: 2, Segments: []segment.Ref{ref, ref}}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.DecodeManifest(ManifestName, b); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v, want ErrCorrupt", err)
	}
}
