package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/match/lsh"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// minHash returns settings for an index of sets.
func minHash(mode analysis.Mode) analysis.Settings {
	s := withoutStopWords()
	s.Mode, s.Features = mode, preprocess.FeatureSpec{Kind: preprocess.WordN, N: 2}
	if s.Sets() {
		s.Positions = analysis.DefaultPositions
	}
	return s.Canonical()
}

// nearTexts returns n texts. Many of them are copies of others with some words replaced, some are
// equal, and some have no words.
func nearTexts(n int) []string {
	r := rand.New(rand.NewPCG(11, 4))
	g := testkit.NewWords(9)
	var texts []string
	for i := range n {
		switch {
		case i%50 == 7:
			texts = append(texts, "...")
		case i > 0 && r.IntN(3) > 0:
			words := strings.Fields(texts[r.IntN(i)])
			changes := r.IntN(1 + len(words)/6)
			for range changes {
				words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(1000))
			}
			texts = append(texts, strings.Join(words, " "))
		default:
			texts = append(texts, g.Text(20+r.IntN(120)))
		}
	}
	return texts
}

func numbered(texts []string, from int) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			if !yield(&document.Document{ID: fmt.Appendf(nil, "%04d", from+i), Text: []byte(text)}, nil) {
				return
			}
		}
	}
}

// truth returns the exact similarity of each pair of texts that is at or above threshold.
func truth(t testing.TB, a *analysis.Analysis, texts []string, threshold float64) map[[2]uint32]float64 {
	t.Helper()
	var s analysis.Scratch
	var all [][]uint64
	for _, text := range texts {
		all = append(all, slices.Clone(a.Set(&s, []byte(text))))
	}
	out := map[[2]uint32]float64{}
	for i, x := range all {
		for j := i + 1; j < len(all); j++ {
			both, at := 0, 0
			for _, e := range x { // both ascend
				for at < len(all[j]) && all[j][at] < e {
					at++
				}
				if at < len(all[j]) && all[j][at] == e {
					both++
				}
			}
			if union := len(x) + len(all[j]) - both; union > 0 && float64(both)/float64(union) >= threshold && len(all[j]) > 0 && len(x) > 0 {
				out[[2]uint32{uint32(i), uint32(j)}] = float64(both) / float64(union)
			}
		}
	}
	return out
}

func similarPairs(t testing.TB, ix *Snapshot, c Predicate, o PairOptions) []Pair {
	t.Helper()
	var out []Pair
	if err := ix.Pairs(t.Context(), c, o, func(p Pair) error { out = append(out, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// Pairs and Near must report the exact similarity of each pair that they find, and find nearly all
// pairs. They must agree on the pairs that both find, in one segment or several.
func TestSimilarAgainstTruth(t *testing.T) {
	t.Parallel()
	texts := nearTexts(testkit.Of(150, 900))
	third := len(texts) / 3
	a, err := analysis.New(minHash(analysis.MinHash))
	if err != nil {
		t.Fatal(err)
	}
	all := truth(t, a, texts, 0.3)
	for _, mode := range []analysis.Mode{analysis.MinHash, analysis.Both} {
		one, three := t.TempDir(), t.TempDir()
		addWith(t, one, minHash(mode), WriterOptions{Threads: 2}, numbered(texts, 0))
		for at := 0; at < len(texts); at += third {
			addWith(t, three, minHash(mode), WriterOptions{Threads: 1}, numbered(texts[at:at+third], at))
		}
		for name, dir := range map[string]string{"one segment": one, "three segments": three} {
			ix := mustOpen(t, dir)
			if err := ix.VerifyChecksums(); err != nil {
				t.Fatal(err)
			}
			for _, threshold := range []float64{0.3, 0.5, 0.8, 0.95, 1} {
				want := maps.Clone(all)
				maps.DeleteFunc(want, func(_ [2]uint32, j float64) bool { return j < threshold })
				c := Similar(threshold)
				got := similarPairs(t, ix, c, PairOptions{Threads: 2})
				checkPairs(t, fmt.Sprint(mode, ", ", name, ", ", threshold), got, want)
				for _, o := range []PairOptions{{Threads: 1}, {Threads: 3, PairsInMemory: 50}} {
					if other := similarPairs(t, ix, c, o); !slices.Equal(got, other) {
						t.Errorf("%s, %v, %+v: other pairs", name, threshold, o)
					}
				}
				checkPairs(t, fmt.Sprint("near, ", mode, ", ", name, ", ", threshold), nearPairs(t, ix, texts, c), want)
			}
		}
	}
}

// nearPairs asks each text as a query. It returns the matches with later texts as pairs.
func nearPairs(t testing.TB, ix *Snapshot, texts []string, c Predicate) []Pair {
	t.Helper()
	var out []Pair
	var s analysis.Scratch
	doc := uint32(0)
	err := ix.NearAll(t.Context(), numbered(texts, 0), Options{Predicate: c, Threads: 2, Batch: 100}, func(a Answer) error {
		single, err := matches(ix, Set(ix.Analysis().Set(&s, []byte(texts[doc]))), c)
		if err != nil {
			return err
		}
		same := func(a, b Match) bool { return a.Document == b.Document && a.Value == b.Value }
		if !slices.EqualFunc(a.Matches, single, same) {
			t.Errorf("query %d: %v in a batch, %v alone", doc, a.Matches, single)
		}
		for i, m := range a.Matches {
			if i > 0 && (a.Matches[i-1].Value < m.Value || a.Matches[i-1].Value == m.Value && string(a.Matches[i-1].ID) >= string(m.ID)) {
				t.Errorf("query %d: matches out of order", doc)
			}
			if m.Document > doc {
				out = append(out, Pair{A: doc, B: m.Document, Measures: Measures{Value: m.Value}})
			}
		}
		if a.Empty || len(single) == 0 || single[0].Value != 1 {
			t.Errorf("query %d: empty %v, %d matches", doc, a.Empty, len(single))
		}
		doc++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkPairs(t testing.TB, what string, got []Pair, want map[[2]uint32]float64) {
	t.Helper()
	for _, p := range got {
		if j, ok := want[[2]uint32{p.A, p.B}]; !ok || j != p.Value {
			t.Fatalf("%s: pair %+v, want similarity %v", what, p, j)
		}
	}
	if len(want) == 0 {
		t.Fatalf("%s: there is nothing to find", what)
	}
	if float64(len(got)) < 0.95*float64(len(want)) {
		t.Errorf("%s: %d pairs of %d", what, len(got), len(want))
	}
}

func TestVerification(t *testing.T) {
	t.Parallel()
	texts := nearTexts(400)
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.MinHash), WriterOptions{}, numbered(texts, 0))
	ix := mustOpen(t, dir)
	want := truth(t, ix.Analysis(), texts, 0.7)
	counts := map[Verification]int{}
	for _, v := range []Verification{Exact, BySignature, Unverified} {
		c := Similar(0.7)
		c.Verify = v
		got := similarPairs(t, ix, c, PairOptions{Threads: 2})
		counts[v] = len(got)
		right := 0
		for _, p := range got {
			if _, ok := want[[2]uint32{p.A, p.B}]; ok {
				right++
			}
			if v == BySignature && p.Value < 0.7 {
				t.Errorf("%v: %+v", v, p)
			}
		}
		if right < len(want)*85/100 {
			t.Errorf("%v: %d of %d pairs", v, right, len(want))
		}
	}
	if counts[Unverified] <= counts[BySignature] {
		t.Errorf("%d candidates, %d of them pass", counts[Unverified], counts[BySignature])
	}
}

func TestGroupsOfSets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.MinHash), WriterOptions{}, docs("a", "one two three four", "b", "five six", "c", "one two three four"))
	addWith(t, dir, minHash(analysis.MinHash), WriterOptions{}, docs("d", "one two three four", "e", "...", "f", "one two three four five"))
	ix := mustOpen(t, dir)
	got := similarPairs(t, ix, Similar(0.7), PairOptions{Threads: 1, Groups: true})
	want := []Pair{{A: 0, B: 2, Measures: Measures{Value: 1}}, {A: 0, B: 3, Measures: Measures{Value: 1}}, {A: 0, B: 5, Measures: Measures{Value: 0.75}}}
	if !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if got := similarPairs(t, ix, Similar(0.7), PairOptions{Threads: 1}); len(got) != 6 {
		t.Errorf("%d pairs without groups, want 6", len(got))
	}
}

// Each of these documents differs in one word, so that nearly all have the same signature. With
// Groups they must not be compared each with each.
func TestManyEqualSignatures(t *testing.T) {
	t.Parallel()
	n := testkit.Of(3_000, 30_000) // half a billion comparisons would take an hour
	s := minHash(analysis.MinHash)
	s.Features, s.SetFeatures, s.Positions = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, 16
	text := testkit.NewWords(3).Text(500)
	dir := t.TempDir()
	addWith(t, dir, s, WriterOptions{Threads: 2}, func(yield func(*document.Document, error) bool) {
		for i := range n {
			if !yield(&document.Document{ID: fmt.Append(nil, i), Text: fmt.Append(nil, text, " unique", i)}, nil) {
				return
			}
		}
	})
	ix := mustOpen(t, dir)
	start := time.Now()
	got := similarPairs(t, ix, Similar(0.9), PairOptions{Threads: 2, Groups: true})
	t.Logf("%d pairs in %v", len(got), time.Since(start))
	paired := map[uint32]bool{}
	for _, p := range got {
		paired[p.A], paired[p.B] = true, true
		if p.Value < 0.9 || p.Value == 1 {
			t.Fatalf("%+v", p)
		}
	}
	if len(paired) < n*999/1000 {
		t.Errorf("%d of %d documents are in a pair", len(paired), n)
	}
}

// A document is unchanged if its set is. Another document with its id is refused. That includes the
// same words in another order, which have the same fingerprint.
func TestSetsTellDocumentsApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.MinHash), WriterOptions{}, docs("a", "one two three", "b", "four"))
	r := addWith(t, dir, minHash(analysis.MinHash), WriterOptions{OnConflict: Refuse}, docs("a", "One, two three!", "b", "four five", "c", "...", "c", "...", "d", "four"))
	if r != (Result{Added: 2, Unchanged: 2, Refused: 1}) {
		t.Errorf("%+v", r)
	}
	ix := mustOpen(t, dir)
	if got := similarPairs(t, ix, Similar(1), PairOptions{Threads: 1}); len(got) != 1 || got[0].B != 3 {
		t.Errorf("pairs %v", got)
	}
}

func TestPredicateOfAnotherMode(t *testing.T) {
	t.Parallel()
	bySim, byMin := t.TempDir(), t.TempDir()
	addWith(t, bySim, withoutStopWords(), WriterOptions{}, docs("a", "text"))
	addWith(t, byMin, minHash(analysis.MinHash), WriterOptions{}, docs("a", "text"))
	for dir, c := range map[string]Predicate{bySim: Similar(0.8), byMin: Within(3)} {
		ix := mustOpen(t, dir)
		if err := ix.Pairs(t.Context(), c, PairOptions{Threads: 1}, nil); !errors.Is(err, ErrNoSearch) {
			t.Errorf("pairs: %v", err)
		}
		if err := ix.NearAll(t.Context(), docs("q", "text"), Options{Predicate: c, Threads: 1, Batch: 1}, nil); !errors.Is(err, ErrNoSearch) {
			t.Errorf("documents: %v", err)
		}
		if _, _, err := ix.Explain(c); !errors.Is(err, ErrNoSearch) {
			t.Errorf("explain: %v", err)
		}
	}
	if _, err := matches(mustOpen(t, byMin), Fingerprint(1), Within(3)); !errors.Is(err, ErrNoSearch) {
		t.Errorf("near: %v", err)
	}
	if _, err := matches(mustOpen(t, bySim), Set([]uint64{1}), Similar(0.5)); !errors.Is(err, ErrNoSearch) {
		t.Errorf("similar: %v", err)
	}
	if err := mustOpen(t, byMin).Pairs(t.Context(), Similar(1.5), PairOptions{Threads: 1}, nil); !errors.Is(err, ErrNoSearch) {
		t.Errorf("a similarity of 1.5: %v", err)
	}
	if _, err := OpenWriter(t.TempDir(), minHash(analysis.MinHash), WriterOptions{Search: analysis.Search{Planned: 0.1, Recall: 0.9999999}}); !errors.Is(err, lsh.ErrRecall) {
		t.Errorf("too much recall: %v", err)
	}
	w, err := OpenWriter(byMin, minHash(analysis.MinHash), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Ingest(t.Context(), fps("x", 1)), w.Close()); err == nil || !strings.Contains(err.Error(), "fingerprint") {
		t.Errorf("a fingerprint among sets: %v", err)
	}
}

// More features than a spool holds must be read back from its file unchanged.
func TestSpool(t *testing.T) {
	testkit.Long(t, "sets are larger than the memory")
	t.Parallel()
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = testkit.NewWords(uint64(i)).Text(30_000) // more than 200 kB of features each
	}
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.MinHash), WriterOptions{Threads: 2}, numbered(append(texts, texts[3]), 0))
	ix := mustOpen(t, dir)
	var s analysis.Scratch
	total := 0
	for i, text := range texts {
		got := ix.segments[0].Sets().AppendSet(nil, uint32(i))
		if !slices.Equal(got, ix.Analysis().Set(&s, []byte(text))) {
			t.Fatalf("the features of document %d are not those of its text", i)
		}
		total += 8 * len(got)
	}
	if total <= 4<<20 {
		t.Fatalf("%d bytes of features fit the memory of a writer: the test tests nothing", total)
	}
	if n := ix.segments[0].Sets().Len(); n != 40 {
		t.Errorf("%d sets, want 40", n)
	}
}

// A commit that fails leaves everything in place. More can then be added, and all of it committed.
func TestCommitAgainAfterAFailure(t *testing.T) {
	testkit.Long(t, "a set is larger than the memory")
	t.Parallel()
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = testkit.NewWords(uint64(i)).Text(15_000)
	}
	dir := t.TempDir()
	w, err := OpenWriter(dir, minHash(analysis.MinHash), WriterOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ingest(t.Context(), numbered(texts[:40], 0)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a commit that is cancelled: %v", err)
	}
	if err := w.Ingest(t.Context(), numbered(texts[40:], 40)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ix := mustOpen(t, dir)
	var s analysis.Scratch
	for i, text := range texts {
		got := ix.segments[0].Sets().AppendSet(nil, uint32(i))
		if !slices.Equal(got, ix.Analysis().Set(&s, []byte(text))) {
			t.Fatalf("the features of document %d are not those of its text", i)
		}
	}
}
