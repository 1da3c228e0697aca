package index

import (
	"context"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/tests/testkit"
)

// matches returns the matches of a query.
func matches(ix *Snapshot, q Query, p Predicate) ([]Match, error) {
	a, err := ix.Near(context.Background(), q, Options{Predicate: p})
	return a.Matches, err
}

// limited returns up to limit documents nearest the fingerprint 1 within distance 3.
func limited(ix *Snapshot, limit int) ([]Match, error) {
	a, err := ix.Near(context.Background(), Fingerprint(1), Options{Predicate: Within(3), Limit: limit})
	return a.Matches, err
}

// The work of searches is counted if Stats is given, and equally for one query and for many.
func TestStatsCountTheWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	texts := nearTexts(testkit.Of(150, 400))
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts, 0))
	ix := mustOpen(t, dir)
	for _, p := range []Predicate{Within(3), Within(40), Similar(0.5), searchedBy(0.05, 0.99, Exact)} {
		var single, many Stats
		matched := int64(0)
		for _, text := range texts {
			a, err := ix.Near(t.Context(), Text([]byte(text)), Options{Predicate: p, Stats: &single})
			if err != nil {
				t.Fatal(err)
			}
			matched += int64(len(a.Matches))
		}
		err := ix.NearAll(t.Context(), numbered(texts, 0), Options{Predicate: p, Threads: 2, Batch: 50, Stats: &many}, func(Answer) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if single.Queries != many.Queries || single.Candidates != many.Candidates || single.Verified != many.Verified {
			t.Errorf("%+v: one at a time %+v, together %+v", p, single, many)
		}
		if single.Queries != int64(len(texts)) || single.Compared == 0 || many.Compared == 0 {
			t.Errorf("%+v: %+v, together %+v", p, single, many)
		}
		switch {
		case !p.BySets() && single.LookUps+single.Scans == 0:
			t.Errorf("%+v: %+v", p, single)
		case p.Distance == 40 && single.Scans != single.Queries:
			t.Errorf("%+v: %+v", p, single)
		case p.BySets() && (single.Candidates < single.Verified || single.Verified == 0):
			t.Errorf("%+v: %+v", p, single)
		}
	}
}

// The budget of the tables of heavy runs bounds the memory that searches keep.
func TestMemoryOfSearchesIsLimited(t *testing.T) {
	t.Parallel()
	values := make([]uint64, 60_000)
	for i := range values {
		values[i] = uint64(i) * 0x9e3779b97f4a7c15 >> 40 // with one header in most tables
	}
	dir := t.TempDir()
	add(t, dir, fps("", values...))
	for _, budget := range []int64{0, 1 << 30} {
		ix := mustOpen(t, dir)
		ix.LimitMemory(budget)
		for i := range 3000 {
			if _, err := matches(ix, Fingerprint(values[i]^1), Within(3)); err != nil {
				t.Fatal(err)
			}
		}
		if used := ix.SearchMemory(); used > budget || budget > 0 && used == 0 {
			t.Errorf("budget %d: %d bytes used", budget, used)
		}
	}
}

// Set returns the query for documents near a set of features.
func Set(set []uint64) Query { return Analysed(analysis.Result{Set: set}) }
