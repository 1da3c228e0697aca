package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// A spaceScript writes an index on a disk that becomes full. Each call that fails says so, has changed nothing, and
// succeeds when there is space.
type spaceScript struct {
	*testing.T
	what   string
	base   disk.FS
	disk   *disktest.Quota
	room   int64 // given after each call that has succeeded at the second attempt
	now    model // what was acknowledged
	failed int   // calls
	text   []string
}

// try makes a call that changes the documents to next.
func (s *spaceScript) try(name string, next model, call func() error) {
	s.Helper()
	err := call()
	if err != nil {
		s.failed++
		if !disk.Full(err) || errors.Is(err, ErrCorrupt) || errors.Is(err, disk.ErrUncertain) {
			s.Fatalf("%s, %s: the error is %v", s.what, name, err)
		}
		s.check(name, s.now)
		s.disk.SetRoom(1 << 40)
		if err := call(); err != nil {
			s.Fatalf("%s, %s: there is space again: %v; before: %v", s.what, name, err, err)
		}
		s.disk.SetRoom(s.room)
	}
	s.now = next
}

// check checks that the index has the documents of want, and is sound.
func (s *spaceScript) check(name string, want model) {
	s.Helper()
	ix, err := openDir(s.base, "idx")
	if errors.Is(err, ErrNoIndex) && len(want) == 0 {
		return
	}
	if err != nil {
		s.Fatalf("%s, %s: %v", s.what, name, err)
	}
	defer func() { _ = ix.Close() }()
	if got := contents(s.T, ix); !maps.Equal(got, want) {
		s.Fatalf("%s, %s: %d documents, want %d, or others", s.what, name, len(got), len(want))
	}
	e, err := store.Verify(s.Context(), s.base, "idx")
	if err != nil || len(e.Damages) > 0 {
		s.Fatalf("%s, %s: %+v, %v", s.what, name, e, err)
	}
}

// after returns what the index has after a change.
func (s *spaceScript) after(puts, deletes []string) model {
	next := maps.Clone(s.now)
	for _, id := range deletes {
		delete(next, id)
	}
	for i := 0; i < len(puts); i += 2 {
		next[puts[i]] = puts[i+1]
	}
	return next
}

// documents returns ids from from on, and texts that no other version has.
func (s *spaceScript) documents(from, n, version int) (puts []string) {
	for i := from; i < from+n; i++ {
		puts = append(puts, fmt.Sprint("id", i), fmt.Sprint(s.text[(i+version)%len(s.text)], " ", i, " ", version))
	}
	return puts
}

// commit makes a change by a Writer.
func (s *spaceScript) commit(name string, puts, deletes []string) {
	var w *Writer
	s.try("opening: "+name, s.now, func() (err error) { w, err = s.writer(); return err })
	for _, id := range deletes {
		if err := w.Delete([]byte(id)); err != nil {
			s.Fatal(err)
		}
	}
	s.try("reading: "+name, s.now, func() error { return w.Ingest(s.Context(), docs(puts...)) })
	s.try("committing: "+name, s.after(puts, deletes), func() error { _, err := w.Commit(s.Context()); return err })
	s.try("closing: "+name, s.now, w.Close)
}

func (s *spaceScript) writer() (*Writer, error) {
	return openWriter(s.disk, "idx", changeSettings(), WriterOptions{Keep: KeepText, hold: 1})
}

// run makes an index of commits, adds documents one after the other, flushes and merges what they leave, and compacts.
func (s *spaceScript) run() {
	s.commit("an index", s.documents(0, 24, 0), nil)
	s.commit("changes", s.documents(20, 12, 1), []string{"id3", "id4"})
	var l *Live
	s.try("opening a Live", s.now, func() (err error) {
		l, err = OpenLiveOn(s.disk, "idx", changeSettings(), WriterOptions{Keep: KeepText, FlushBytes: 8 << 10})
		return err
	})
	for i := range 8 {
		puts, deletes := s.documents(28+5*i, 8, 2+i), []string{fmt.Sprint("id", i), fmt.Sprint("id", 28+4*i)}
		deletes = slices.DeleteFunc(deletes, func(id string) bool { return slices.Contains(puts, id) })
		s.try("a change of a Live", s.after(puts, deletes), func() error { return l.changeAtOnce(puts, deletes) })
		ix, err := l.Snapshot()
		if err != nil {
			s.Fatal(err)
		}
		if got := contents(s.T, ix); !maps.Equal(got, s.now) {
			s.Fatalf("%s: the Live shows %d documents, want %d, or others", s.what, len(got), len(s.now))
		}
		if err := ix.Close(); err != nil {
			s.Fatal(err)
		}
	}
	s.try("flushing", s.now, func() error { l.j.Wait(); return l.j.Flush(true) })
	s.try("closing a Live", s.now, l.Close)
	s.try("compacting", s.now, func() error {
		w, err := s.writer()
		if err != nil {
			return err
		}
		return errors.Join(w.Compact(context.Background()), w.Close())
	})
	s.check("at the end", s.now)
}

// Wherever a disk becomes full, the call says so, and nothing that was acknowledged is lost. When there is space, the
// same call succeeds.
func TestEverySpace(t *testing.T) {
	t.Parallel()
	g := testkit.NewWords(6)
	text := make([]string, 30)
	for i := range text {
		text[i] = g.Text(120)
	}
	run := func(room int64) *spaceScript {
		base := disk.NewMemory()
		s := &spaceScript{T: t, what: fmt.Sprintf("%d KiB of space", room>>10), base: base, disk: disktest.NewQuota(base, room), room: room, now: model{}, text: text}
		s.run()
		return s
	}
	most := run(1 << 40).disk.Most()
	step := testkit.Of(100<<10, int64(4<<10))
	failed := 0
	for room := int64(0); room < most+step; room += step {
		failed += run(room).failed
	}
	t.Logf("%d KiB are enough; %d calls have failed", most>>10, failed)
	if failed < int(most/step) {
		t.Errorf("only %d calls have failed, of %d KiB", failed, most>>10)
	}
}
