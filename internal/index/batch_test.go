package index

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/tests/testkit"
)

// large returns a text of more than 1 MiB. Its analysis has to wait for its turn.
func large(word string) string { return strings.Repeat(word+" ", 1<<20/(len(word)+1)+1) }

// Large documents are learnt from, added and found as small ones are, in order, with any number of
// threads. An error between them ends everything.
func TestLargeDocuments(t *testing.T) {
	testkit.Long(t, "large documents")
	t.Parallel()
	var all []string
	for i := range 12 {
		text := fmt.Sprintf("word%d word%d", i, i/2)
		if i%3 > 0 {
			text = large(text)
		}
		all = append(all, fmt.Sprint("id", i), text)
	}
	s := analysis.Classic()
	s.Mode, s.Weights = analysis.Both, fingerprint.TFIDF
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
		ix, err := Open(w.dir.Path)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		err = ix.NearAll(t.Context(), docs(all...), Options{Predicate: Within(1), Threads: threads, Batch: 1}, func(a Answer) error {
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
				return ix.NearAll(t.Context(), d, Options{Predicate: Within(1), Threads: threads, Batch: 1}, func(Answer) error { return fail() })
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

// A new index has the same bytes whatever the number of threads, with documents that repeat ids, ones without
// features, and what is added later.
func TestThreadsLeaveNewIndexesAsTheyAre(t *testing.T) {
	t.Parallel()
	first := []string{"a", "alder birch cedar", "b", "...", "c", "cedar birch alder", "a", "alder birch cedar", "d", "maple poplar", "b", "willow", "e", "..."}
	second := []string{"f", "...", "g", "alder birch cedar", "c", "cedar birch alder"}
	var want string
	for _, threads := range []int{1, 2, 3} {
		dir := t.TempDir()
		got := addWith(t, dir, analysis.Classic(), WriterOptions{Threads: threads}, docs(first...))
		if got.Added != 5 || got.Unchanged != 1 || got.Refused != 1 || got.Empty != 0 {
			t.Errorf("%d threads: %+v", threads, got)
		}
		addWith(t, dir, analysis.Classic(), WriterOptions{Threads: threads}, docs(second...))
		if bytes := snapshot(t, dir); want == "" {
			want = bytes
		} else if bytes != want {
			t.Errorf("%d threads: another index", threads)
		}
	}
}
