package wal

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"simsearch/internal/ground/disk"
)

// A slow disk tells which writes of its one file a sync has made durable: those before the sync began. A sync lasts
// until the test lets it go, if hold is set.
type slow struct {
	disk.FS
	hold chan struct{}

	mu      sync.Mutex
	end     int64 // of what has been written
	writes  int
	synced  int   // how many writes are durable
	durable int64 // the end of these
}

func (s *slow) Create(path string) (disk.File, error) {
	f, err := s.FS.Create(path)
	return slowFile{f, s}, err
}

type slowFile struct {
	disk.File
	s *slow
}

func (f slowFile) Write(p []byte) (int, error) {
	f.s.wrote(int64(len(p)))
	return f.File.Write(p)
}

func (f slowFile) WriteAt(p []byte, at int64) (int, error) {
	f.s.wrote(at + int64(len(p)))
	return f.File.WriteAt(p, at)
}

func (s *slow) wrote(end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end, s.writes = max(s.end, end), s.writes+1
}

func (f slowFile) Sync() error {
	s := f.s
	s.mu.Lock()
	writes, end := s.writes, s.end
	s.mu.Unlock()
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced, s.durable = max(s.synced, writes), max(s.durable, end)
	return nil
}

// A record that is appended during a sync may not be on the disk when the sync ends: it waits for the next one.
func TestAppendedDuringASync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{FS: disk.NewMemory()}
		w, err := Create(s, "log", 7, false)
		if err != nil {
			t.Fatal(err)
		}
		s.hold = make(chan struct{})
		append1 := func() (acknowledged chan struct{}) {
			end, err := w.Append([]byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			acknowledged = make(chan struct{})
			go func() {
				defer close(acknowledged)
				err := w.Durable(end)
				s.mu.Lock()
				defer s.mu.Unlock()
				if err != nil || s.durable < end {
					t.Errorf("a record that ends at %d is acknowledged, and %d bytes are durable: %v", end, s.durable, err)
				}
			}()
			return acknowledged
		}
		first := append1()
		synctest.Wait() // in the sync
		second := append1()
		synctest.Wait()
		s.hold <- struct{}{}
		<-first
		s.hold <- struct{}{}
		<-second
		close(s.hold)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Close leaves nothing that is not durable, though no record waits for it: neither records nor the note of their
// length.
func TestCloseSyncs(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		for _, sync := range []bool{false, true} {
			s := &slow{FS: disk.NewMemory()}
			w, err := Create(s, "log", 7, late)
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Append([]byte("x"))
			if sync {
				err = errors.Join(err, w.Sync())
			}
			if err := errors.Join(err, w.Close(), w.Close()); err != nil {
				t.Error(err)
			}
			if s.synced != s.writes {
				t.Errorf("late %v, after a sync %v: %d of %d writes are durable", late, sync, s.synced, s.writes)
			}
		}
	}
}
