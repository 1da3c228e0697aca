package index

import (
	"errors"
	"strings"
	"testing"
)

// Every function that takes a fingerprint refuses one with bits above those of the index, whatever
// the plan would be. The error names the document. Nothing of it is kept.
func TestFingerprintsThatAreTooWide(t *testing.T) {
	t.Parallel()
	s := withoutStopWords()
	s.Bits = 32
	dir := t.TempDir()
	addWith(t, dir, s, WriterOptions{}, fps("a-", 1, 2, 3, 1<<32-1))
	for _, wide := range []uint64{1 << 32, 1<<63 | 1, ^uint64(0)} {
		w, err := OpenWriter(dir, s, WriterOptions{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), fps("b-", wide)); !errors.Is(err, ErrWidth) || !strings.Contains(err.Error(), "b-0") {
			t.Errorf("ingest %#x: %v", wide, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		ix := mustOpen(t, dir)
		for _, k := range []int{0, 3, 8, 32} {
			if got, err := matches(ix, Fingerprint(wide), Within(k)); !errors.Is(err, ErrWidth) || len(got) != 0 {
				t.Errorf("near %#x, k = %d: %v", wide, k, err)
			}
			err := ix.NearAll(t.Context(), fps("q-", 1, wide), Options{Predicate: Within(k), Threads: 2, Batch: 10}, func(Answer) error { return nil })
			if !errors.Is(err, ErrWidth) || !strings.Contains(err.Error(), "q-1") {
				t.Errorf("documents with %#x, k = %d: %v", wide, k, err)
			}
		}
	}
	if got, err := matches(mustOpen(t, dir), Fingerprint(1<<32-1), Within(0)); err != nil || len(got) != 1 {
		t.Errorf("the widest that fits: %v, %v", got, err)
	}
}
