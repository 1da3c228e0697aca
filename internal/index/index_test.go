package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// docs yields documents. The arguments are ids and texts in turn. The text is the name of the file, too.
func docs(idsAndTexts ...string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i := 0; i < len(idsAndTexts); i += 2 {
			if !yield(&document.Document{ID: []byte(idsAndTexts[i]), Text: []byte(idsAndTexts[i+1]), Source: idsAndTexts[i+1]}, nil) {
				return
			}
		}
	}
}

// fps yields ready-made fingerprints under the ids prefix0, prefix1, …
func fps(prefix string, values ...uint64) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i, x := range values {
			if !yield(&document.Document{ID: fmt.Append(nil, prefix, i), Fingerprint: x, HasFingerprint: true}, nil) {
				return
			}
		}
	}
}

// add commits documents to the index in dir, one thread or three.
func add(t testing.TB, dir string, documents iter.Seq2[*document.Document, error]) Result {
	t.Helper()
	return addWith(t, dir, analysis.Classic(), WriterOptions{Threads: 2}, documents)
}

func addWith(t testing.TB, dir string, s analysis.Settings, o WriterOptions, documents iter.Seq2[*document.Document, error]) Result {
	t.Helper()
	w, err := OpenWriter(dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ingest(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	r, err := w.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func mustOpen(t testing.TB, dir string) *Snapshot {
	t.Helper()
	ix, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	})
	return ix
}

// near returns one string "id:distance" per match.
func near(t testing.TB, ix *Snapshot, fp uint64, k int) []string {
	t.Helper()
	ms, err := matches(ix, Fingerprint(fp), Within(k))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		out = append(out, fmt.Sprintf("%s:%d", m.ID, m.Distance))
	}
	return out
}

func pairs(t testing.TB, ix *Snapshot, k, threads int) []Pair {
	t.Helper()
	var out []Pair
	if err := ix.Pairs(t.Context(), Within(k), PairOptions{Threads: threads}, func(p Pair) error { out = append(out, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTextsInDocumentsOut(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "idx")
	text := testkit.NewWords(1).Text(300)
	r := add(t, dir, docs(
		"original", text,
		"copy", text,
		"shouted", strings.ToUpper(text),
		"empty", "the, and of … 😀",
		"other", testkit.NewWords(2).Text(300)))
	if r != (Result{Added: 5}) {
		t.Errorf("result %+v", r)
	}
	ix := mustOpen(t, dir)
	if err := ix.VerifyChecksums(); err != nil {
		t.Error(err)
	}
	var s analysis.Scratch
	fp, ok, err := ix.Analysis().Fingerprint(&s, []byte(text))
	if !ok || err != nil {
		t.Fatal("the query has no fingerprint", err)
	}
	if got := near(t, ix, fp, 3); !slices.Equal(got, []string{"copy:0", "original:0", "shouted:0"}) {
		t.Errorf("near: %v", got)
	}
	if got := pairs(t, ix, 3, 2); !slices.Equal(got, []Pair{{A: 0, B: 1}, {A: 0, B: 2}, {A: 1, B: 2}}) {
		t.Errorf("pairs: %v", got)
	}
	if fp, ok, err := ix.Fingerprint(3); !ok || err != nil || !slices.Equal(near(t, ix, fp, 3), []string{"empty:0"}) {
		t.Errorf("the document without words has the fingerprint %x, %v, %v", fp, ok, err)
	}
	for i, want := range []string{"original", "copy", "shouted", "empty", "other"} {
		if id, err := ix.ID(uint32(i)); err != nil || string(id) != want {
			t.Errorf("document %d is %q, %v", i, id, err)
		}
		if doc, ok, err := ix.Find([]byte(want)); doc != uint32(i) || !ok || err != nil {
			t.Errorf("Find(%q) = %d, %v, %v", want, doc, ok, err)
		}
	}
	if _, ok, err := ix.Find([]byte("absent")); ok || err != nil {
		t.Errorf("an absent id is found: %v", err)
	}
}

// randomFingerprints has equal, near and far values.
func randomFingerprints(rng *rand.Rand, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = rng.Uint64()
		if i > 0 && i%2 == 0 {
			out[i] = out[rng.IntN(i)]
			for range rng.IntN(6) {
				out[i] ^= 1 << rng.IntN(64)
			}
		}
	}
	return out
}

// The answers of an index must equal those of comparing all fingerprints, with any number of
// segments and threads.
func TestAnswersEqualComparingAll(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	all := randomFingerprints(rng, 1500)
	radii := testkit.Of([]int{0, 3, 9}, []int{0, 1, 3, 5, 9, 40})
	within := map[int][]Pair{}
	for a := range all {
		for b := a + 1; b < len(all); b++ {
			for _, k := range radii {
				if d := hamming.Distance(all[a], all[b]); d <= k {
					within[k] = append(within[k], Pair{A: uint32(a), B: uint32(b), Measures: Measures{Distance: d}})
				}
			}
		}
	}
	for _, cuts := range [][]int{{0, 1500}, {0, 1, 350, 1500}, {0, 500, 501, 1000, 1500}} {
		dir := t.TempDir()
		for i := 1; i < len(cuts); i++ {
			add(t, dir, fps(fmt.Sprintf("s%d-", i), all[cuts[i-1]:cuts[i]]...))
		}
		ix := mustOpen(t, dir)
		if ix.Len() != len(all) {
			t.Fatalf("%d documents, want %d", ix.Len(), len(all))
		}
		for _, k := range radii {
			want := within[k]
			for _, threads := range []int{1, 3} {
				if got := pairs(t, ix, k, threads); !slices.Equal(got, want) {
					t.Fatalf("%v, k = %d, %d threads: %d pairs, want %d", cuts, k, threads, len(got), len(want))
				}
			}
		}
		for range 200 {
			q, k := all[rng.IntN(len(all))]^1<<rng.IntN(64), rng.IntN(12)
			got, err := matches(ix, Fingerprint(q), Within(k))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, x := range all {
				if hamming.Distance(x, q) <= k {
					n++
				}
			}
			if len(got) != n {
				t.Fatalf("k = %d: %d matches, want %d", k, len(got), n)
			}
			for i, m := range got {
				if hamming.Distance(all[m.Document], q) != m.Distance {
					t.Fatalf("document %d is not at distance %d", m.Document, m.Distance)
				}
				if i > 0 && (got[i-1].Distance > m.Distance || got[i-1].Distance == m.Distance && string(got[i-1].ID) >= string(m.ID)) {
					t.Fatalf("matches out of order: %s, %s", got[i-1].ID, m.ID)
				}
			}
		}
	}
}

func TestAddingAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, dir, docs("a", "first text", "b", "second text", "e", "the"))
	var refused []string
	o := WriterOptions{OnConflict: Refuse, Refused: func(id []byte, source, why string) {
		refused = append(refused, fmt.Sprintf("%s of %s: %s", id, source, why))
	}}
	r := addWith(t, dir, analysis.Classic(), o, docs(
		"a", "first text", // unchanged
		"b", "quite another text", // refused
		"c", "third text", // added
		"c", "third text", // unchanged
		"c", "and yet another one", // refused
		"e", "the", // unchanged, empty
		"a", "the", // refused, empty now
	))
	if want := (Result{Added: 1, Unchanged: 3, Refused: 3}); r != want {
		t.Errorf("result %+v, want %+v", r, want)
	}
	slices.Sort(refused)
	if want := []string{"a of the: " + otherText, "b of quite another text: " + otherText, "c of and yet another one: " + otherText}; !slices.Equal(refused, want) {
		t.Errorf("refused %q, want %q", refused, want)
	}
	if ix := mustOpen(t, dir); ix.Len() != 4 || len(ix.Info().Segments) != 2 {
		t.Errorf("%d documents in %d segments, want 4 in 2", ix.Len(), len(ix.Info().Segments))
	}
	before := snapshot(t, dir)
	if r := add(t, dir, docs("a", "first text")); r != (Result{Unchanged: 1}) {
		t.Errorf("adding nothing new: %+v", r)
	}
	if after := snapshot(t, dir); after != before {
		t.Error("adding nothing new has changed the index")
	}
}

// snapshot returns the names and contents of all files of a directory except the lock.
func snapshot(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return "absent"
	}
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if e.Name() == store.LockName {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %q\n", e.Name(), data)
	}
	return b.String()
}

func TestBytesDoNotDependOnThreads(t *testing.T) {
	t.Parallel()
	g := testkit.NewWords(3)
	var texts []string
	for i := range 3000 {
		texts = append(texts, fmt.Sprint("doc", i), g.Text(20+i%50))
	}
	var first string
	for _, threads := range []int{1, 2, 5} {
		dir := t.TempDir()
		addWith(t, dir, analysis.Classic(), WriterOptions{Threads: threads}, docs(texts...))
		if got := snapshot(t, dir); first == "" {
			first = got
		} else if got != first {
			t.Errorf("the bytes with %d threads differ from those with one", threads)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := analysis.Classic()
	s.Features, s.Language, s.Bits, s.Hash = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 2}, "none", 32, fingerprint.FNV1a
	addWith(t, dir, s, WriterOptions{}, docs("a", "der die das", "b", "der die das dort"))
	ix := mustOpen(t, dir)
	if ix.Settings() != s {
		t.Errorf("settings %+v, want %+v", ix.Settings(), s)
	}
	fp, ok, _ := ix.Fingerprint(0)
	if !ok || fp>>32 != 0 {
		t.Errorf("fingerprint %x, %v: want 32 bits of a text that is no stop word", fp, ok)
	}
	_, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
	if !errors.Is(err, ErrSettings) {
		t.Fatalf("other settings: %v", err)
	}
	for _, part := range []string{"features is word:2, not words", "lang is none, not en", "bits is 32, not 64", "hash is fnv1a, not murmur3"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	bad := analysis.Settings{Mode: 9, Features: preprocess.FeatureSpec{Kind: 77}, Weights: 9, Language: "l", Bits: 7, Hash: 9}
	err = bad.Validate()
	for _, part := range []string{"mode 9", "features of kind 77", "weights 9", "7 bits", "hash 9", "version 0"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("Validate: %v does not name %s", err, part)
		}
	}
	fresh := filepath.Join(t.TempDir(), "x")
	if _, err := OpenWriter(fresh, bad, WriterOptions{}); err == nil || snapshot(t, fresh) != "absent" {
		t.Errorf("an index with bad settings was begun: %v", err)
	}
}

func TestInterruptedWriterLeavesNoTrace(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	old := filepath.Join(parent, "old")
	add(t, old, docs("a", "some text"))
	for _, dir := range []string{old, filepath.Join(parent, "new")} {
		before := snapshot(t, dir)
		for _, stage := range []string{"ingest", "commit", "source"} {
			w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if stage == "ingest" {
				cancel()
			}
			broken := errors.New("source broken")
			err = w.Ingest(ctx, func(yield func(*document.Document, error) bool) {
				for i := range 1000 {
					if !yield(&document.Document{ID: fmt.Append(nil, i), Text: []byte("x")}, nil) {
						return
					}
				}
				if stage == "source" {
					yield(nil, broken)
				}
			})
			switch stage {
			case "ingest":
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled Ingest: %v", err)
				}
			case "source":
				if !errors.Is(err, broken) {
					t.Errorf("broken source: %v", err)
				}
			case "commit":
				cancel()
				if _, err := w.Commit(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled Commit: %v", err)
				}
			}
			cancel()
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if after := snapshot(t, dir); after != before {
				t.Errorf("%s, interrupted in %s: before\n%.300s\nafter\n%.300s", dir, stage, before, after)
			}
		}
	}
}

func TestLeftoversAreRemovedByTheNextWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, dir, docs("a", "some text"))
	w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.dir.Reserve(1); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	clean := snapshot(t, dir)
	for _, name := range []string{".tmp-abc", "000002.seg", "000002.idf"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	foreign := []string{"notes.txt", "7.seg", "mine000002.seg", "000002.seg.bak"}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mustOpen(t, dir) // readers are not affected
	add(t, dir, docs("a", "some text"))
	for _, name := range foreign {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Error("a file that is not the index's was removed: ", err)
		}
	}
	if got := snapshot(t, dir); got != clean {
		t.Errorf("leftovers stay:\n%.300s", got)
	}
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = OpenWriter(dir, analysis.Classic(), WriterOptions{})
	if want := fmt.Sprintf("process %d", os.Getpid()); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Errorf("a second writer: %v, want ErrLocked that names %q", err, want)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	add(t, dir, docs("a", "now it is free"))
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "simsearch-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	err = w.Ingest(context.Background(), func(yield func(*document.Document, error) bool) {
		_ = yield(&document.Document{ID: []byte("fox"), Text: []byte("The quick brown fox jumps over the lazy dog")}, nil) &&
			yield(&document.Document{ID: []byte("hen"), Text: []byte("A speckled hen sits on seven eggs")}, nil)
	})
	if err == nil {
		_, err = w.Commit(context.Background())
	}
	if err != nil {
		panic(err)
	}

	ix, err := Open(dir)
	if err != nil {
		panic(err)
	}
	defer ix.Close()
	var s analysis.Scratch
	fp, _, err := ix.Analysis().Fingerprint(&s, []byte("the QUICK brown fox, jumps over a lazy dog!"))
	if err != nil {
		panic(err)
	}
	matches, err := matches(ix, Fingerprint(fp), Within(3))
	if err != nil {
		panic(err)
	}
	for _, m := range matches {
		fmt.Printf("%s at distance %d\n", m.ID, m.Distance)
	}
	// Output:
	// fox at distance 0
}

// Opening an index makes no new analyser. The stop words of a language exist once, and the analysis
// of a writer serves its commits.
func TestOpeningMakesNoStopWords(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, docs("a", "some text"))
	took := testing.AllocsPerRun(20, func() {
		ix, err := Open(dir)
		if err == nil {
			err = ix.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if took > 500 { // loading the stop words of English alone takes more than a thousand
		t.Errorf("opening an index takes %v allocations", took)
	}
}
