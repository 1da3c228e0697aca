package index

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
)

// Documents that are asked together get the answers that each gets alone, in order. This holds for
// any number of threads and any size of batches. Texts are analysed on the way.
func TestDocumentsAsQueries(t *testing.T) {
	t.Parallel()
	all := randomFingerprints(rand.New(rand.NewPCG(5, 2)), 2000)
	dir := t.TempDir()
	either := WriterOptions{Input: Input{FingerprintField: "fp"}} // records with texts or fingerprints
	addWith(t, dir, analysis.Classic(), either, fps("a-", all[:1200]...))
	add(t, dir, fps("b-", all[1200:]...))
	add(t, dir, docs("text", "the quick brown fox"))
	ix := mustOpen(t, dir)
	queries := func(yield func(*document.Document, error) bool) {
		for _, documents := range []iter.Seq2[*document.Document, error]{fps("q-", all...), docs("empty", "to be or not to be", "fox", "Quick, brown: FOX!")} {
			for d, err := range documents {
				if !yield(d, err) {
					return
				}
			}
		}
	}
	for _, k := range []int{0, 3, 8} {
		for _, threads := range []int{1, 3} {
			for _, together := range []int{1, 100, 1 << 14} {
				next := 0
				err := ix.NearAll(t.Context(), queries, Options{Predicate: Within(k), Threads: threads, Batch: together}, func(a Answer) error {
					switch next++; {
					case next <= len(all):
						want, err := matches(ix, Fingerprint(all[next-1]), Within(k))
						if err != nil {
							return err
						}
						same := func(a, b Match) bool { return a.Document == b.Document && a.Distance == b.Distance }
						if string(a.ID) != fmt.Sprint("q-", next-1) || a.Empty || !slices.EqualFunc(a.Matches, want, same) {
							t.Fatalf("k = %d, %d threads, %d together: query %d: %s: %v, want %v", k, threads, together, next-1, a.ID, a.Matches, want)
						}
					case string(a.ID) == "empty":
						if a.Empty || len(a.Matches) > 0 {
							t.Errorf("the query of stop words: %+v", a)
						}
					default:
						if len(a.Matches) == 0 || string(a.Matches[0].ID) != "text" {
							t.Errorf("the text: %+v", a)
						}
					}
					return nil
				})
				if err != nil || next != len(all)+2 {
					t.Fatalf("%d answers, %v", next, err)
				}
			}
		}
	}
	broken := errors.New("broken")
	if err := ix.NearAll(t.Context(), func(yield func(*document.Document, error) bool) { yield(nil, broken) }, Options{Predicate: Within(3), Threads: 2, Batch: 10}, nil); !errors.Is(err, broken) {
		t.Errorf("the error of a reader became %v", err)
	}
}

// What the first documents of an index are, all others have to be.
func TestKindsDoNotMix(t *testing.T) {
	t.Parallel()
	text, fp := docs("text", "the quick brown fox"), fps("fp-", 1, 2)
	for name, kinds := range map[string][2]iter.Seq2[*document.Document, error]{"texts first": {text, fp}, "fingerprints first": {fp, text}} {
		dir := t.TempDir()
		add(t, dir, kinds[0])
		w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), kinds[1]); !errors.Is(err, ErrKind) {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		holds := map[string]string{"texts first": "texts", "fingerprints first": "fingerprints"}[name]
		if got := mustOpen(t, dir).Input(); got != (Input{Holds: holds}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	both := t.TempDir()
	addWith(t, both, analysis.Classic(), WriterOptions{Input: Input{FingerprintField: "fp"}}, text)
	add(t, both, fp)
	if got := mustOpen(t, both).Input(); got.Holds != "both" {
		t.Errorf("%+v", got)
	}
}

// With Any, a query finds as many near documents as it may, or all that there are: some of those that it finds without.
func TestAnyNearDocuments(t *testing.T) {
	t.Parallel()
	dir, texts := t.TempDir(), nearTexts(200)
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 2}, numbered(texts, 0))
	ix, found := mustOpen(t, dir), 0
	for _, limit := range []int{0, 1, 3} {
		p := Copy.Predicate(0.3, 0)
		p.Any = true
		i := 0
		err := ix.NearAll(t.Context(), numbered(texts, 0), Options{Predicate: p, Limit: limit, Threads: 2}, func(a Answer) error {
			all, err := ix.Near(t.Context(), Text([]byte(texts[i])), Options{Predicate: Copy.Predicate(0.3, 0)})
			want := len(all.Matches)
			if limit > 0 {
				want = min(limit, want)
			}
			if i++; len(a.Matches) != want {
				t.Errorf("limit %d, query %d: %d matches, want %d", limit, i, len(a.Matches), want)
			}
			for _, m := range a.Matches {
				if !slices.Contains(told(all.Matches), told([]Match{m})[0]) {
					t.Errorf("limit %d, query %d: %v is not near", limit, i, m)
				}
			}
			found += len(a.Matches)
			return err
		})
		if err != nil || found < 100 {
			t.Errorf("limit %d: %d matches, %v", limit, found, err)
		}
	}
}
