package index

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"simsearch/internal/disk"
	"simsearch/internal/disk/disktest"
	"simsearch/internal/store"
)

// A flush leaves the log before closed, and so does Close the log that is left.
func TestLogsAreClosed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	open := map[string]int{}
	logs := 0
	l := openTestLive(t, &disktest.FS{Base: disk.NewMemory(), After: func(op disktest.Op) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case !strings.HasSuffix(op.Path, store.LogExtension):
		case op.Kind == "create":
			logs++
			open[op.Path]++
		case op.Kind == "close":
			if open[op.Path]--; open[op.Path] == 0 {
				delete(open, op.Path)
			}
		}
	}}, "idx", 1)
	for i := range 5 {
		if err := applyLive(l, []string{fmt.Sprint("id", i), fmt.Sprint("text ", i)}, nil); err != nil {
			t.Fatal(err)
		}
		l.j.Wait()
		mu.Lock()
		if len(open) > 1 {
			t.Errorf("%d logs are open", len(open))
		}
		mu.Unlock()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if len(open) > 0 || logs < 5 {
		t.Errorf("%d of %d logs are open after Close", len(open), logs)
	}
}

// Segments in memory that a flush writes to the disk are not merged meanwhile: their documents are there afterwards, once.
func TestMergesDuringAFlush(t *testing.T) {
	t.Parallel()
	writing, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	var flushing atomic.Bool
	var since atomic.Int32 // files that were created since the new log
	fsys := gate{disk.NewMemory(), func(kind, path string) {
		if !flushing.Load() || kind != "create" {
			return
		}
		const manifests = 2 // one that names the new log, and one that reserves the number of the segment
		if strings.HasSuffix(path, store.LogExtension) {
			since.Store(1)
		} else if since.Load() > 0 && since.Add(1) > manifests {
			once.Do(func() {
				close(writing)
				<-goOn
			})
		}
	}}
	l := openTestLive(t, fsys, "idx", 0)
	want := model{}
	add := func(i int) {
		t.Helper()
		id, text := fmt.Sprint("id", i), fmt.Sprint("text number ", i)
		want[id] = text
		if err := applyLive(l, []string{id, text}, nil); err != nil {
			t.Fatal(err)
		}
		ix, err := l.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if got := contents(t, ix); !maps.Equal(got, want) {
			t.Fatalf("after %d documents: %v", i+1, got)
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const many = 8 // segments in memory are merged
	for i := range many - 1 {
		add(i)
	}
	flushing.Store(true)
	flushed := make(chan error)
	go func() { flushed <- l.j.Flush(true) }()
	<-writing
	for i := range 2 * many {
		add(many + i)
	}
	close(goOn)
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	add(4 * many)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ix, err := openDir(fsys.FS, "idx")
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if got := contents(t, ix); !maps.Equal(got, want) {
		t.Errorf("%d documents are on the disk, want %d", len(got), len(want))
	}
}
