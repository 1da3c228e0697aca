package service

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// unpack writes the files of an archive into a new directory, which it returns.
func unpack(t *testing.T, archive io.Reader) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for files := tar.NewReader(archive); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		var data []byte
		if err == nil {
			data, err = io.ReadAll(files)
		}
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777)); err == nil {
			err = os.WriteFile(path, data, fs.FileMode(h.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A snapshot that is taken while documents come, logs are flushed and segments merged is a sound index, and has what was
// answered before. It is served again as it is.
func TestSnapshotsWhileItChanges(t *testing.T) {
	s := open(t, Options{Data: t.TempDir(), Memory: 32 << 20}) // logs are flushed at 1 MiB
	create(t, s, "notes", Settings{})
	var answered atomic.Int64
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n += 100 {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			var docs []Document
			for i := range 100 {
				text := fmt.Sprintf("note %d of the ship's log: wind %d, sea %d, %x", n+i, (n+i)%7, (n+i)%11, bytes.Repeat([]byte{byte(n), byte(i)}, 200))
				docs = append(docs, Document{ID: fmt.Sprint(n + i), Content: Content{Text: &text}})
			}
			if _, err := s.Put(t.Context(), "notes", docs); err != nil {
				done <- err
				return
			}
			answered.Add(int64(len(docs)))
		}
	}()
	var last string
	segments := 0
	for round := 0; round < testkit.Of(5, 20) || segments == 0 && round < 100; round++ {
		for next := answered.Load() + 1000; answered.Load() < next && len(done) == 0; {
			_ = s.Health(t.Context())
		}
		before := answered.Load()
		var archive bytes.Buffer
		if err := s.Snapshot(t.Context(), "notes", &archive); err != nil {
			t.Fatal(err)
		}
		last = unpack(t, &archive)
		dir := filepath.Join(last, "notes")
		m, err := store.ReadManifest(disk.OS, dir)
		if err != nil {
			t.Fatal(err)
		}
		segments = max(segments, len(m.Segments))
		examined, err := store.Verify(t.Context(), disk.OS, dir)
		if err != nil || len(examined.Damages) > 0 {
			t.Fatalf("%+v, %v", examined, err)
		}
		ix, err := index.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(ix.Len()); n < before || n > answered.Load()+100 {
			t.Errorf("the snapshot has %d documents; %d were answered before, and %d after it", n, before, answered.Load())
		}
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-done; err != nil || segments == 0 {
		t.Fatalf("%v, %d segments", err, segments)
	}
	again := open(t, Options{Data: last})
	if a := ok[*Document](t)(again.Document(t.Context(), "notes", "7")); a.ID != "7" {
		t.Errorf("%+v", a)
	}
	ok[[]Outcome](t)(again.Delete(t.Context(), "notes", []string{"7"}))
	hasCode(t, s.Snapshot(t.Context(), "none", io.Discard), NotFound)
}
