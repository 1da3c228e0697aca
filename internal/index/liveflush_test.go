package index

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
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

// Segments in memory that a flush writes to the disk are not merged meanwhile: their documents are there afterwards,
// once.
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

// Notes outlive the log that they were made in, as often as its documents become a segment, and restarts, commits and
// repairs. They are forgotten when they are old, and the oldest when there are too many.
func TestNotesOutliveLogs(t *testing.T) {
	t.Parallel()
	fsys := disk.NewMemory()
	var steps []changeStep
	l := openTestLive(t, fsys, "idx", 16<<10)
	again := func(flush int64) {
		t.Helper()
		l.j.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = openTestLive(t, fsys, "idx", flush)
	}
	for i := range 60 {
		s := changeStep{puts: []string{fmt.Sprint("id", i), strings.Repeat(fmt.Sprint("word", i, " "), 40)}}
		if i%7 == 6 { // a change of nothing but a note is one, too
			s = changeStep{deletes: []string{fmt.Sprint("nobody", i)}}
		}
		steps = append(steps, s)
		if err := l.changeAtOnce(s.puts, s.deletes); err != nil {
			t.Fatal(err)
		}
		if i%13 == 12 {
			again(16 << 10)
		}
		if i == 30 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := commitChanges(fsys, "idx", []string{"committed", "a text between"}, []string{"id0"}); err != nil {
				t.Fatal(err)
			}
			l = openTestLive(t, fsys, "idx", 16<<10)
		}
	}
	l.j.Wait()
	m, err := store.ReadManifest(fsys, "idx")
	if err != nil || len(m.Segments) == 0 || len(m.Logs) > 5 {
		t.Fatalf("%d segments and %d logs: %v", len(m.Segments), len(m.Logs), err)
	}
	for range 2 {
		if n := noted(t, "at length", l, steps); n != len(steps) {
			t.Errorf("%d of %d changes are noted", n, len(steps))
		}
		again(16 << 10)
	}
	old := noteOf([]string{"old"}, nil, -2*time.Second)
	if _, err := l.Change(t.Context(), these(Wanted{Notes: []Note{old}})); err != nil || l.Noted(old.Key) != nil {
		t.Errorf("an old note is there: %x, %v", l.Noted(old.Key), err)
	}
	again(100) // which leaves space for one note
	if err := l.changeAtOnce([]string{"last", "the last text"}, nil); err != nil {
		t.Fatal(err)
	}
	again(100)
	last := noteOf([]string{"last", "the last text"}, nil, 0)
	if l.Noted(last.Key) == nil || l.Noted(noteOf(steps[0].puts, nil, 0).Key) != nil {
		t.Error("the last note is forgotten, or the first one is not")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
