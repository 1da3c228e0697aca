package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/testkit"
)

// A search of an index that is written finds what a search of all its segments finds, while documents are added, replaced,
// deleted and flushed.
func TestRecentOfLive(t *testing.T) {
	t.Parallel()
	l, err := NewMemory(analysis.Classic(), LiveOptions{FlushBytes: 200 << 10})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 9))
	var all []uint64
	rounds := testkit.Of(20, 60)
	used := 0
	for round := range rounds {
		added := func(yield func(*document.Document, error) bool) {
			for range 1 + rng.IntN(2000) {
				fp := rng.Uint64()
				if len(all) > 0 && rng.IntN(3) == 0 {
					fp = all[rng.IntN(len(all))] ^ 1<<rng.IntN(64)
				}
				all = append(all, fp)
				d := document.Document{ID: fmt.Appendf(nil, "id%d", rng.IntN(20000)), Fingerprint: fp, HasFingerprint: true}
				if !yield(&d, nil) {
					return
				}
			}
		}
		if _, err := l.Add(context.Background(), added); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Delete(context.Background(), fmt.Appendf(nil, "id%d", rng.IntN(20000))); err != nil {
			t.Fatal(err)
		}
		ix, err := l.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		recent := ix.recent
		for i := range 200 {
			q := rng.Uint64()
			if i%2 == 0 {
				q = all[rng.IntN(len(all))] ^ 1<<rng.IntN(64)
			}
			o := Options{Predicate: Within(rng.IntN(5))}
			got, err := ix.Near(context.Background(), Fingerprint(q), o)
			if err != nil {
				t.Fatal(err)
			}
			ix.recent = nil
			want, err := ix.Near(context.Background(), Fingerprint(q), o)
			if err != nil {
				t.Fatal(err)
			}
			same := func(a, b Match) bool { return a.Document == b.Document && a.Distance == b.Distance }
			if !slices.EqualFunc(got.Matches, want.Matches, same) {
				t.Fatalf("round %d: %v, want %v", round, got.Matches, want.Matches)
			}
			if ix.recent = recent; recent.None(q, 3) {
				used++
			}
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if used < rounds*50 {
		t.Errorf("%d searches left out the documents in memory", used)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
