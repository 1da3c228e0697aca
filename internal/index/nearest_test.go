package index

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index/segment"
)

// The nearest are the first of all documents in the order of nearness and id.
func TestNearestAgainstAll(t *testing.T) {
	t.Parallel()
	texts := nearTexts(400)
	settings := minHash(analysis.Both)
	dir := t.TempDir()
	addWith(t, dir, settings, WriterOptions{Threads: 2}, numbered(texts[:250], 0))
	addWith(t, dir, settings, WriterOptions{Threads: 2}, numbered(texts[250:], 250))
	ix := mustOpen(t, dir)
	a := ix.Analysis()
	var s analysis.Scratch
	var sets [][]uint64
	var fps []uint64
	var has []bool
	for _, text := range texts {
		fp, ok := fingerprintOf(a, text)
		fps, has = append(fps, fp), append(has, ok)
		sets = append(sets, slices.Clone(a.Set(&s, []byte(text))))
	}
	queries := append(texts[:60:60], "quite other words that nobody has used", "...", texts[0]+" more")
	for _, p := range []Predicate{Within(3), Similar(0.8)} {
		for _, n := range []int{1, 3, 50, 1000} {
			var want, got [][]Match
			for _, text := range queries {
				fp, ok := fingerprintOf(a, text)
				set := a.Set(&s, []byte(text))
				var all []Match
				for i := range texts {
					m := Match{Document: uint32(i), ID: fmt.Appendf(nil, "%04d", i)}
					if p.BySets() {
						m.Value = ints.Jaccard(set, sets[i])
					} else {
						m.Distance = hamming.Distance(fp, fps[i])
					}
					if p.BySets() && m.Value > 0 || !p.BySets() && ok && has[i] {
						all = append(all, m)
					}
				}
				slices.SortFunc(all, segment.MatchOrder)
				if all = all[:min(n, len(all))]; p.BySets() {
					for i := range all {
						all[i].Distance = NoDistance
						if ok && has[all[i].Document] {
							all[i].Distance = hamming.Distance(fp, fps[all[i].Document])
						}
					}
				}
				want = append(want, all)
				alone, err := ix.Near(t.Context(), Text([]byte(text)), Options{Predicate: p, Nearest: n})
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, alone.Matches)
			}
			together := make([][]Match, 0, len(queries))
			err := ix.NearAll(t.Context(), numbered(queries, 0), Options{Predicate: p, Nearest: n, Threads: 2, Batch: 7}, func(a Answer) error {
				together = append(together, slices.Clone(a.Matches))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			same := func(x, y Match) bool {
				return x.Document == y.Document && string(x.ID) == string(y.ID) && x.Distance == y.Distance && x.Value == y.Value
			}
			for i := range want {
				if !slices.EqualFunc(got[i], want[i], same) || !slices.EqualFunc(together[i], want[i], same) {
					t.Errorf("the %d nearest of query %d by %+v: %v, together %v, want %v", n, i, p, got[i], together[i], want[i])
				}
			}
		}
	}
	if _, err := ix.Near(t.Context(), Text([]byte("a")), Options{Predicate: WithinAndSimilar(3, 0.5), Nearest: 2}); !errors.Is(err, ErrNoSearch) {
		t.Error(err)
	}
	if _, err := ix.Near(t.Context(), Fingerprint(1), Options{Predicate: Similar(0.5), Nearest: 2}); !errors.Is(err, ErrNoSearch) {
		t.Error(err)
	}
	few, err := ix.Near(t.Context(), Fingerprint(1), Options{Predicate: Within(3), Nearest: 5, Limit: 2})
	if err != nil || len(few.Matches) != 2 {
		t.Errorf("%v, %v", few.Matches, err)
	}
}

// The most similar sets are found however many are equally similar.
func TestNearestOfManyEqual(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 3 * segment.GatheredSpare {
		texts = append(texts, fmt.Sprintf("one two three w%d", i%(2*segment.GatheredSpare+100)))
	}
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.MinHash), WriterOptions{Threads: 2}, numbered(texts, 0))
	a, err := mustOpen(t, dir).Near(t.Context(), Text([]byte("one two three four")), Options{Predicate: Similar(0.8), Nearest: 4})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range a.Matches {
		ids = append(ids, string(m.ID))
	}
	if !slices.Equal(ids, []string{"0000", "0001", "0002", "0003"}) || a.Matches[3].Value != 0.5 {
		t.Errorf("%v", a.Matches)
	}
}

// A document of the index has the neighbours that its text has, and itself.
func TestStoredQueries(t *testing.T) {
	t.Parallel()
	texts := nearTexts(150)
	for _, mode := range []analysis.Mode{analysis.SimHash, analysis.MinHash, analysis.Both} {
		dir := t.TempDir()
		addWith(t, dir, minHash(mode), WriterOptions{}, numbered(texts[:70], 0))
		addWith(t, dir, minHash(mode), WriterOptions{}, numbered(texts[70:], 70))
		ix := mustOpen(t, dir)
		for _, p := range []Predicate{Within(6), Similar(0.6), WithinAndSimilar(20, 0.4)} {
			if p.Check(ix.Settings()) != nil {
				continue
			}
			for doc, text := range texts {
				q, err := ix.Stored(uint32(doc))
				if err != nil {
					t.Fatal(err)
				}
				got, err := ix.Near(t.Context(), q, Options{Predicate: p})
				if err != nil {
					t.Fatal(err)
				}
				want, err := ix.Near(t.Context(), Text([]byte(text)), Options{Predicate: p})
				if err != nil {
					t.Fatal(err)
				}
				same := func(x, y Match) bool {
					return x.Document == y.Document && x.Distance == y.Distance && x.Value == y.Value
				}
				if got.Empty != want.Empty || !slices.EqualFunc(got.Matches, want.Matches, same) {
					t.Errorf("mode %v, %+v, document %d: %v, want %v", mode, p, doc, got, want)
				}
			}
		}
		if _, err := ix.Stored(uint32(len(texts))); err == nil {
			t.Error("a document that does not exist")
		}
	}
}
