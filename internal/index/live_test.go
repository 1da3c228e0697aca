package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

func openTestLive(t testing.TB, fsys disk.FS, dir string, flush int64) *Live {
	t.Helper()
	l, err := OpenLiveOn(fsys, dir, changeSettings(), WriterOptions{Keep: KeepText, FlushBytes: flush})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// applyLive makes changes: first the deletions, then the additions.
func applyLive(l *Live, puts, deletes []string) error {
	if len(deletes) > 0 {
		var ids [][]byte
		for _, id := range deletes {
			ids = append(ids, []byte(id))
		}
		if _, err := l.Delete(context.Background(), ids...); err != nil {
			return err
		}
	}
	_, err := l.Add(context.Background(), docs(puts...))
	return err
}

// After any history of additions, replacements and deletions, with flushes, merges and new processes between them,
// the index that is being written, a reader beside it and the next process show what the model has, and answer as a
// fresh index.
func TestLiveHistories(t *testing.T) {
	t.Parallel()
	steps := 60
	if *torture {
		steps = 300
	}
	eachHistory(t, 5, [3]int{2, 4, 100}, func(t *testing.T, seed int, c *changer) {
		dir := filepath.Join(t.TempDir(), "idx")
		flush := int64(1) << (10 + 4*(seed%3)) // after every change, or now and then
		l := openTestLive(t, unfailing, dir, flush)
		defer func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}()
		for step := range steps {
			puts, deletes := c.change(1 + c.rng.IntN(12))
			if err := applyLive(l, puts, deletes); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("step %d", step)
			switch c.rng.IntN(6) {
			case 0:
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				if c.rng.IntN(3) == 0 { // a writer of commits comes between
					puts, deletes := c.change(5)
					if err := commitChanges(unfailing, dir, puts, deletes); err != nil {
						t.Fatal(err)
					}
				}
				l = openTestLive(t, unfailing, dir, flush)
			case 1, 2:
				ix, err := l.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if got := contents(t, ix); !maps.Equal(got, c.now) {
					t.Fatalf("%s: the writer shows %d documents, want %d, or others", what, len(got), len(c.now))
				}
				if step%7 == 0 && len(c.now) > 0 {
					sameAnswers(t, what, ix, c.now.fresh(t), []string{c.some(), c.some(), c.some()})
				}
				if err := ix.Close(); err != nil {
					t.Fatal(err)
				}
			case 3, 4:
				beside, err := Open(dir)
				if errors.Is(err, ErrNoIndex) && len(c.now) == 0 {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if got := contents(t, beside); !maps.Equal(got, c.now) {
					t.Fatalf("%s: a reader beside the writer shows %d documents, want %d, or others", what, len(got), len(c.now))
				}
				if err := beside.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Whenever the power is cut, what a Live has acknowledged is there, and nothing comes back that was deleted. A note
// is there if its change is.
func TestPowerCutDuringLive(t *testing.T) {
	testkit.Long(t, "many moments")
	t.Parallel()
	images := 1
	if *torture {
		images = 60
	}
	steps, states := faultHistory()
	root := t.TempDir()
	rng := rand.New(rand.NewPCG(2, 7))
	shadow := disktest.NewShadow(root)
	var mu sync.Mutex
	total, acked := 0, 0
	fsys := &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
		mu.Lock()
		defer mu.Unlock()
		shadow.Done(op)
		if !op.Writes() {
			return
		}
		// The goroutine of the operation must go on, whatever is found: Fatal ends another one.
		checked := make(chan struct{})
		go func() {
			defer close(checked)
			for i := range 1 + images {
				var by *rand.Rand
				if i > 0 {
					by = rng
				}
				total++
				image := t.TempDir()
				if err := shadow.Image(image, by); err != nil {
					t.Error(err)
					return
				}
				what := fmt.Sprintf("power cut after %s %s", op.Kind, filepath.Base(op.Path))
				dir := filepath.Join(image, "idx")
				got := stateOf(t, what, dir, states, acked)
				if got > acked+1 {
					t.Errorf("%s: state %d, %d acknowledged", what, got, acked)
				}
				if got > 0 {
					notedAsShown(t, what, dir, steps, states)
				}
				finishChanges(t, what, dir, steps[min(acked, len(steps)):], states)
				if err := os.RemoveAll(image); err != nil {
					t.Error(err)
				}
			}
		}()
		<-checked
	}}
	dir := filepath.Join(root, "idx")
	l := openTestLive(t, fsys, dir, 4<<10)
	// A step is one change, so that there is no state between.
	for i, s := range steps {
		if err := l.changeAtOnce(s.puts, s.deletes); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		acked = i + 1
		mu.Unlock()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	notedAsShown(t, "without a cut", dir, steps, states)
	finishChanges(t, "without a cut", dir, nil, states)
	notedAsShown(t, "after a commit", dir, steps, states)
	if total < 60*images {
		t.Errorf("only %d images", total)
	}
}

// changeAtOnce deletes and adds documents as one change, and notes it.
func (l *Live) changeAtOnce(puts, deletes []string) error {
	want := Wanted{Notes: []Note{noteOf(puts, deletes, time.Hour)}}
	for _, id := range deletes {
		want.Deletes = append(want.Deletes, []byte(id))
	}
	for d, err := range docs(puts...) {
		if err != nil {
			return err
		}
		r, err := l.w.analysis.Analyse(d)
		if err != nil {
			return err
		}
		want.Add = append(want.Add, l.Prepare([]*analysis.Result{&r})...)
	}
	c, err := l.Change(context.Background(), these(want))
	return errors.Join(err, l.Durable(c))
}

// noteOf returns a note of a change.
func noteOf(puts, deletes []string, lives time.Duration) Note {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q without %q", puts, deletes))
	return Note{Key: NoteKey(sum[:16]), Until: time.Now().Add(lives).Unix(), Data: sum[16:]}
}

// noted returns how many of the first changes have a note. It fails if later ones have.
func noted(t testing.TB, what string, l *Live, steps []changeStep) (n int) {
	t.Helper()
	for i, s := range steps {
		want := noteOf(s.puts, s.deletes, 0)
		switch data := l.Noted(want.Key); {
		case data == nil:
		case i > n || !bytes.Equal(data, want.Data):
			t.Errorf("%s: %d changes are noted, and of change %d %x", what, n, i, data)
		default:
			n++
		}
	}
	return n
}

// notedAsShown fails unless the notes of an index are those of the changes that its documents have seen.
func notedAsShown(t testing.TB, what, dir string, steps []changeStep, states []model) {
	t.Helper()
	l := openTestLive(t, unfailing, dir, 4<<10)
	ix, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if n, got := noted(t, what, l, steps), contents(t, ix); !maps.Equal(got, states[n]) {
		t.Errorf("%s: %d changes are noted, and the index has %v", what, n, got)
	}
	if err := errors.Join(ix.Close(), l.Close()); err != nil {
		t.Error(err)
	}
}

// Whichever operation fails, what a Live has acknowledged is there. After a disk that was full for a while, writing
// goes on.
func TestEveryOperationOfLiveFails(t *testing.T) {
	t.Parallel()
	steps, states := faultHistory()
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC} {
		full := errors.Is(fault, syscall.ENOSPC)
		t.Run(fault.Error(), func(t *testing.T) {
			t.Parallel()
			stride := 5
			switch {
			case *torture:
				stride = 1
			case !testkit.IsLong():
				stride = 20
			}
			failed := 0
			for at := 0; ; at += stride {
				var n atomic.Int64
				hit := false
				fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
					i := int(n.Add(1) - 1)
					if i == at || i > at && i < at+20 && full && op.Writes() && op.Kind != "sync" && op.Kind != "syncdir" {
						hit = true
						return 10, fault
					}
					return 0, nil
				}}
				dir := filepath.Join(t.TempDir(), "idx")
				acked := 0
				what := fmt.Sprintf("operation %d fails with %v", at, fault)
				run := func() error {
					l, err := OpenLiveOn(fsys, dir, changeSettings(), WriterOptions{Keep: KeepText, FlushBytes: 4 << 10})
					if err != nil {
						return err
					}
					for acked < len(steps) {
						s := steps[acked]
						err := l.changeAtOnce(s.puts, s.deletes)
						for try := 0; err != nil && !errors.Is(err, disk.ErrUncertain) && try < 40; try++ {
							err = l.changeAtOnce(s.puts, s.deletes) // as when there is space again
						}
						if err != nil {
							return errors.Join(err, l.Close())
						}
						acked++
					}
					return l.Close()
				}
				err := run()
				if !hit {
					break
				}
				if err != nil {
					failed++
				}
				if got := stateOf(t, what, dir, states, acked); got > acked+1 {
					t.Fatalf("%s: state %d, %d acknowledged", what, got, acked)
				}
				finishChanges(t, what, dir, steps[acked:], states)
			}
			if failed < 1 && !full {
				t.Errorf("only %d operations could fail: the test tests little", failed)
			}
		})
	}
}

// Many goroutines change an index while others search it. Each search sees a state between two changes: all documents
// of a change, or none, and never an old text of a document behind a new one.
func TestLiveConcurrently(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	l := openTestLive(t, unfailing, dir, 64<<10)
	const writers, each, readers = 4, 40, 3
	g := testkit.NewWords(3)
	base := make([]string, writers)
	for i := range base {
		base[i] = g.Text(300)
	}
	var acked [writers]atomic.Int64 // the last version of each writer's documents that was acknowledged
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for version := 1; version <= each; version++ {
				text := fmt.Sprintf("%s version%d", base[w], version)
				if _, err := l.Add(context.Background(), docs(fmt.Sprint("left", w), text, fmt.Sprint("right", w), text)); err != nil {
					t.Error(err)
					return
				}
				acked[w].Store(int64(version))
			}
		})
	}
	stop := make(chan struct{})
	for r := range readers {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				var least [writers]int64
				for w := range writers {
					least[w] = acked[w].Load()
				}
				var ix *Snapshot
				var err error
				if r > 0 {
					ix, err = l.Snapshot()
				} else if ix, err = Open(dir); errors.Is(err, ErrNoIndex) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				now := contents(t, ix)
				for w := range writers {
					left, right := now[fmt.Sprint("left", w)], now[fmt.Sprint("right", w)]
					version := int64(0)
					if left != "" {
						_, _ = fmt.Sscanf(left[len(base[w]):], " version%d", &version)
					}
					if left != right || version < least[w] {
						t.Errorf("writer %d: version %d, and %d was acknowledged; both documents the same: %v", w, version, least[w], left == right)
						return
					}
				}
				_ = ix.Close()
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, mustOpen(t, dir)); len(got) != 2*writers {
		t.Errorf("%d documents at the end", len(got))
	}
}

// Single additions leave few segments, and writing them again is bounded.
func TestLiveSegments(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	var written atomic.Int64
	fsys := &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
		if op.Kind == "write" {
			written.Add(int64(len(op.Data)))
		}
	}}
	n, flush := 6000, int64(256<<10)
	switch {
	case *torture:
		n, flush = 100_000, 1<<20
	case !testkit.IsLong():
		n = 3000
	}
	l := openTestLive(t, fsys, dir, flush)
	g := testkit.NewWords(8)
	most := 0
	for i := range n {
		if _, err := l.Add(context.Background(), docs(fmt.Sprint("id", i), g.Text(60))); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			m, err := store.ReadManifest(disk.OS, dir)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, len(m.Segments))
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ix := mustOpen(t, dir)
	size := ix.Info().Bytes
	if ix.Len() != n || most > store.MostSegments+2 {
		t.Errorf("%d documents, and %d segments at a time", ix.Len(), most)
	}
	if amplification := float64(written.Load()) / float64(size); amplification > 10 {
		t.Errorf("%d bytes were written for %d: %.1f times", written.Load(), size, amplification)
	} else {
		t.Logf("%d segments at most, %.1f times the bytes", most, amplification)
	}
}

// A log becomes a segment when it has enough documents, deleted ones included, however small they are. A log that was
// left with as many does so when the index is opened.
func TestFlushDocuments(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	open := func(most int) *Live {
		t.Helper()
		l, err := OpenLiveOn(unfailing, dir, changeSettings(), WriterOptions{FlushDocuments: most})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	segments := func(l *Live) int {
		t.Helper()
		l.j.Wait()
		m, err := store.ReadManifest(disk.OS, dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(m.Segments)
	}
	add := func(l *Live, from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if _, err := l.Add(context.Background(), docs(fmt.Sprint("id", i), fmt.Sprint("text ", i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := open(10)
	add(l, 0, 8)
	if n := segments(l); n != 0 {
		t.Errorf("%d segments after 8 documents", n)
	}
	if _, err := l.Delete(context.Background(), []byte("id3"), []byte("id4")); err != nil {
		t.Fatal(err)
	}
	if n := segments(l); n != 1 {
		t.Errorf("%d segments after 8 additions and 2 deletions", n)
	}
	add(l, 8, 14)
	if n := segments(l); n != 1 {
		t.Errorf("%d segments after 6 more documents", n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(10)
	if n := segments(l); n != 1 {
		t.Errorf("%d segments after 6 documents were read", n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(6)
	if n := segments(l); n != 2 {
		t.Errorf("%d segments after 6 documents were read that are enough for one", n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n := mustOpen(t, dir).Len(); n != 12 {
		t.Errorf("%d documents", n)
	}
}

// An index in memory answers as one on the disk.
func TestMemory(t *testing.T) {
	t.Parallel()
	l, err := NewMemory(changeSettings(), WriterOptions{Keep: KeepText, FlushBytes: 8 << 10})
	if err != nil {
		t.Fatal(err)
	}
	c := changer{rng: rand.New(rand.NewPCG(1, 5)), text: testkit.NewWords(1), now: model{}}
	for range 30 {
		puts, deletes := c.change(10)
		if err := applyLive(l, puts, deletes); err != nil {
			t.Fatal(err)
		}
	}
	ix, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, ix); !maps.Equal(got, c.now) {
		t.Errorf("%d documents, want %d, or others", len(got), len(c.now))
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Snapshot(); !errors.Is(err, ErrClosed) {
		t.Errorf("a snapshot of a closed index: %v", err)
	}
	if _, err := l.Add(context.Background(), docs("a", "text")); !errors.Is(err, ErrClosed) {
		t.Errorf("adding to a closed index: %v", err)
	}
}
