//go:build unix

package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
)

// A pattern is an index of two segments, the second of a few hundred pages.
type pattern struct {
	dir string
	all []witness
}

func newPattern(t testing.TB) *pattern {
	t.Helper()
	p := &pattern{dir: t.TempDir()}
	s := minHash(analysis.Both)
	addWith(t, p.dir, s, WriterOptions{}, docs("first", "the one and only text of the first segment"))
	addWith(t, p.dir, s, WriterOptions{}, numbered(nearTexts(1500), 0))
	p.all = witnesses(t, mustOpen(t, p.dir))
	return p
}

// open returns a copy of the index that was written an hour ago and opened without being verified.
// It also returns the path of its second segment.
func (p *pattern) open(t testing.TB) (ix *Snapshot, path string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "000002.seg")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	ix, err := openUnverified(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix, path
}

// searches returns every way to read an index.
func searches(ix *Snapshot, all []witness) map[string]func() error {
	const doc = 1400
	w := all[doc]
	nearDocuments := func(c Predicate) func() error {
		return func() error {
			queries := func(yield func(*document.Document, error) bool) {
				for _, w := range all {
					d := &document.Document{ID: w.id, Fingerprint: w.fp, HasFingerprint: true}
					if c.BySets() {
						d = &document.Document{ID: w.id, Text: []byte("one two three four")}
					}
					if !yield(d, nil) {
						return
					}
				}
			}
			return ix.NearAll(context.Background(), queries, Options{Predicate: c, Threads: 2, Batch: 100}, func(Answer) error { return nil })
		}
	}
	pairs := func(c Predicate, groups bool) func() error {
		return func() error {
			return ix.Pairs(context.Background(), c, PairOptions{Threads: 2, Groups: groups}, func(Pair) error { return nil })
		}
	}
	return map[string]func() error{
		"ID":                     func() error { _, err := ix.ID(doc); return err },
		"Find":                   func() error { _, _, err := ix.Find(w.id); return err },
		"Fingerprint":            func() error { _, _, err := ix.Fingerprint(doc); return err },
		"Signature":              func() error { _, _, err := ix.Signature(doc); return err },
		"identity":               func() error { _, err := identityOf(ix, doc); return err },
		"Near":                   func() error { _, err := matches(ix, Fingerprint(w.fp), Within(3)); return err },
		"Near, scanning":         func() error { _, err := matches(ix, Fingerprint(w.fp), Within(30)); return err },
		"Similar":                func() error { _, err := matches(ix, Set(w.set), Similar(0.8)); return err },
		"Similar, comparing all": func() error { _, err := matches(ix, Set(w.set), searchedBy(0.1, 0.99, Exact)); return err },
		"NearDocuments":          nearDocuments(Within(3)),
		"NearDocuments, by sets": nearDocuments(Similar(0.8)),
		"Pairs":                  pairs(Within(3), false),
		"Pairs of groups":        pairs(Within(3), true),
		"Pairs, by sets":         pairs(Similar(0.8), false),
		"Verify":                 func() error { return ix.VerifyChecksums() },
	}
}

// A segment that is truncated while the index is open gives an error that names it. This holds for
// every search and every goroutine, before anything has been checked and after everything has.
func TestTruncatedWhileOpen(t *testing.T) {
	t.Parallel()
	p := newPattern(t)
	for name := range searches(nil, p.all) {
		for _, before := range []string{"unchecked", "checked"} {
			ix, path := p.open(t)
			search := searches(ix, p.all)[name]
			if before == "checked" {
				if err := errors.Join(ix.VerifyChecksums(), search()); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
			if err := search(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", name, before, err)
			}
			if err := ix.Unchanged(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("Unchanged: %v", err)
			}
			if err := ix.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Bytes that are overwritten before they were checked are found by the checksums. Bytes that are
// overwritten later are found by the time of the change, in searches of many documents and by
// Unchanged.
func TestOverwrittenWhileOpen(t *testing.T) {
	t.Parallel()
	zero := func(t *testing.T, path string) {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write(make([]byte, info.Size())); err != nil {
			t.Fatal(err)
		}
	}
	p := newPattern(t)
	looksAgain := []string{"NearDocuments", "NearDocuments, by sets", "Pairs", "Pairs of groups", "Pairs, by sets", "Verify"}
	for name := range searches(nil, p.all) {
		ix, path := p.open(t)
		zero(t, path)
		if err := searches(ix, p.all)[name](); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Contains(looksAgain, name) {
			continue
		}
		ix, path = p.open(t)
		search := searches(ix, p.all)[name]
		if err := errors.Join(ix.VerifyChecksums(), search(), ix.Unchanged()); err != nil {
			t.Fatal(err)
		}
		zero(t, path)
		if err := search(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s, checked before: %v", name, err)
		}
		if err := ix.Unchanged(); !errors.Is(err, ErrCorrupt) || !errors.Is(err, disk.ErrChanged) || !strings.Contains(err.Error(), path) {
			t.Errorf("Unchanged: %v", err)
		}
	}
}

// If a segment was changed during a search, the answers of the batch are not handed on, and Pairs
// ends with an error.
func TestChangedDuringASearch(t *testing.T) {
	t.Parallel()
	p := newPattern(t)
	ix, path := p.open(t)
	later := func() error { return os.Chtimes(path, time.Now(), time.Now()) }
	given, answered := 0, 0
	queries := func(yield func(*document.Document, error) bool) {
		for _, w := range p.all {
			if given++; given == 500 {
				if err := later(); err != nil {
					t.Error(err)
				}
			}
			if !yield(&document.Document{ID: w.id, Fingerprint: w.fp, HasFingerprint: true}, nil) {
				return
			}
		}
	}
	err := ix.NearAll(t.Context(), queries, Options{Predicate: Within(3), Threads: 1, Batch: 100}, func(Answer) error { answered++; return nil })
	if !errors.Is(err, disk.ErrChanged) || answered >= 500 {
		t.Errorf("NearDocuments: %v after %d answers", err, answered)
	}
	ix, path = p.open(t)
	err = ix.Pairs(t.Context(), Within(3), PairOptions{Threads: 1}, func(Pair) error { return later() })
	if !errors.Is(err, disk.ErrChanged) {
		t.Errorf("Pairs: %v", err)
	}
}

// Segments that are removed or replaced by other files are read as before.
func TestRemovedWhileOpen(t *testing.T) {
	t.Parallel()
	p := newPattern(t)
	ix, path := p.open(t)
	for _, do := range []func() error{
		func() error {
			return errors.Join(os.WriteFile(path+"2", []byte("x"), 0o666), os.Rename(path+"2", path))
		},
		func() error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		for name, search := range searches(ix, p.all) {
			if err := search(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := ix.Unchanged(); err != nil {
			t.Error(err)
		}
	}
}

// A search during Close ends normally or says that the index is closed.
func TestCloseDuringSearches(t *testing.T) {
	t.Parallel()
	p := newPattern(t)
	for range 20 {
		ix, _ := p.open(t)
		var wg sync.WaitGroup
		started := make(chan struct{}, 100)
		for name, search := range searches(ix, p.all) {
			if strings.HasPrefix(name, "Pairs, by") || strings.HasPrefix(name, "NearDocuments, by") {
				continue // would take too long
			}
			wg.Go(func() {
				started <- struct{}{}
				for {
					if err := search(); errors.Is(err, ErrClosed) {
						return
					} else if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			})
		}
		<-started
		time.Sleep(time.Millisecond)
		if err := errors.Join(ix.Close(), ix.Close()); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if ix.segments[0].Mapped() {
			t.Fatal("the index is still mapped")
		}
		for name, search := range searches(ix, p.all) {
			if err := search(); !errors.Is(err, ErrClosed) {
				t.Errorf("%s, closed: %v", name, err)
			}
		}
	}
}

// The last reader of an index unmaps it, not a Close while it is read.
func TestTheLastReaderUnmaps(t *testing.T) {
	t.Parallel()
	ix, _ := newPattern(t).open(t)
	err := ix.reading(func() error {
		if err := ix.Close(); err != nil {
			return err
		}
		if !ix.segments[0].Mapped() {
			t.Error("unmapped while it is read")
		}
		return nil
	})
	if err != nil || ix.segments[0].Mapped() {
		t.Errorf("%v; still mapped: %v", err, ix.segments[0].Mapped())
	}
}

func BenchmarkReading(b *testing.B) {
	ix := mustOpen(b, smallIndex(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ix.ID(1); err != nil {
			b.Fatal(err)
		}
	}
}
