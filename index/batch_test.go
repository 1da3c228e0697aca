package index

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"simsearch/document"
)

// large returns a text whose analysis has to wait for its turn.
func large(word string) string { return strings.Repeat(word+" ", largeBytes/(len(word)+1)+1) }

// A batch with a large document is not given out before the one before it is analysed; small
// ones are.
func TestLargeDocumentsTakeTurns(t *testing.T) {
	t.Parallel()
	pool := sync.Pool{New: func() any { return new(batch) }}
	out := make(chan *batch)
	go func() {
		defer close(out)
		for b, err := range batches(docs("a", large("one"), "b", "small", "c", large("two"), "d", "small", "e", "small", "f", large("three")), 1, &pool) {
			if err != nil {
				t.Error(err)
			}
			out <- b
		}
	}()
	var held *batch
	for want := range strings.SplitSeq("a b c d e f", " ") {
		isLarge := strings.Contains("a c f", want)
		if isLarge && held != nil {
			select {
			case b := <-out:
				t.Fatalf("%s comes while another one is being analysed", b.id(0))
			case <-time.After(20 * time.Millisecond):
			}
			held.analysed()
		}
		b := <-out
		if got := string(b.id(0)); got != want || b.large != isLarge {
			t.Fatalf("%s, large: %v; want %s, %v", got, b.large, want, isLarge)
		}
		if isLarge {
			held = b
		}
	}
	if b := <-out; b != nil {
		t.Errorf("another one: %s", b.id(0))
	}
}

// The memory that a large document has taken is not kept, that of small ones is.
func TestLargeDocumentsAreForgotten(t *testing.T) {
	t.Parallel()
	s := DefaultSettings()
	s.Mode = "both"
	a, err := NewAnalysis(s.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	for text, kept := range map[string]bool{"a few words": true, large("word"): false} {
		b := new(batch)
		b.add(&document.Document{ID: []byte("id"), Text: []byte(text)})
		if err := b.analyse(a); err != nil {
			t.Fatal(err)
		}
		if !b.docs[0].ok || len(b.features) != len(b.scratch.distinct()) && kept {
			t.Fatalf("%.20s: it was not analysed", text)
		}
		if got := cap(b.scratch.hashes) > 0; got != kept {
			t.Errorf("%.20s: scratch memory is kept: %v, want %v", text, got, kept)
		}
		b.reset()
		if got := cap(b.bytes) > 0 && cap(b.features) > 0; got != kept || len(b.docs) > 0 || b.large {
			t.Errorf("%.20s: memory is kept: %v, want %v; %d documents, large: %v", text, got, kept, len(b.docs), b.large)
		}
	}
}

// Large documents are learnt from, added and found as small ones are, in their order, however many
// threads there are; an error amid them ends all of it.
func TestLargeDocuments(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 12 {
		text := fmt.Sprintf("word%d word%d", i, i/2)
		if i%3 > 0 {
			text = large(text)
		}
		all = append(all, fmt.Sprint("id", i), text)
	}
	s := DefaultSettings()
	s.Mode, s.Weights = "both", "tfidf"
	for _, threads := range []int{1, 3} {
		w, err := OpenWriter(t.TempDir()+"/idx", s.Canonical(), WriterOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		failing := func(yield func(*document.Document, error) bool) {
			for d, err := range docs(all...) {
				if !yield(d, err) {
					return
				}
			}
			yield(nil, broken)
		}
		if err := w.Learn(t.Context(), docs(all...)); err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), docs(all...)); err != nil {
			t.Fatal(err)
		}
		if r, err := w.Commit(t.Context()); err != nil || r.Added != 12 {
			t.Fatalf("%d documents, %v", r.Added, err)
		}
		ix, err := Open(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		err = ix.NearDocuments(t.Context(), docs(all...), Within(1), threads, 1, func(a Answer) error {
			if want := fmt.Sprint("id", i); string(a.ID) != want || !slices.ContainsFunc(a.Matches, func(m Match) bool { return string(m.ID) == want && m.Distance == 0 }) {
				t.Errorf("answer %d is of %s: %v", i, a.ID, a.Matches)
			}
			i++
			return nil
		})
		if err != nil || i != 12 {
			t.Errorf("%d answers, %v", i, err)
		}
		for name, ask := range map[string]func(iter.Seq2[*document.Document, error], func() error) error{
			"ingest": func(d iter.Seq2[*document.Document, error], _ func() error) error { return w.Ingest(t.Context(), d) },
			"near": func(d iter.Seq2[*document.Document, error], fail func() error) error {
				return ix.NearDocuments(t.Context(), d, Within(1), threads, 1, func(Answer) error { return fail() })
			},
		} {
			if err := ask(failing, func() error { return nil }); !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
			if err := ask(docs(all...), func() error { return broken }); name == "near" && !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := errors.Join(ix.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	}
}
