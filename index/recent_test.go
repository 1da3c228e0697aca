package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/hamming"
	"simsearch/internal/testkit"
)

// What a recent calls far is far from all fingerprints that it has, as a comparison with each of them tells.
func TestRecent(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 9))
	for _, c := range []struct{ width, k, n int }{{64, 3, 3000}, {64, 5, 500}, {64, 0, 200}, {64, 3, 10}, {32, 2, 1500}, {32, 1, 1}, {48, 2, 2000}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if !canBeRecent(c.width, c.k) {
				t.Fatal("there is no recent")
			}
			mask := uint64(1)<<(c.width-1)<<1 - 1
			r := newRecent(c.width, c.k, c.n/4) // it has more than it was planned for
			var all []uint64
			same := rng.Uint64() & mask
			for i := range c.n {
				fp := rng.Uint64() & mask
				if i%10 == 0 {
					fp = same ^ fp&0xf00 // these fill a bucket
				}
				r.add(fp)
				all = append(all, fp)
			}
			far := 0
			for i := range 4000 {
				q := rng.Uint64() & mask
				if i%2 == 0 {
					q = all[rng.IntN(len(all))]
					for range rng.IntN(c.k + 3) {
						q ^= 1 << rng.IntN(c.width)
					}
				}
				for k := range c.k + 2 {
					near := len(hamming.Scan(nil, all, q, k)) > 0
					if r.none(q, k) {
						if far++; near {
							t.Fatalf("%x: a fingerprint within %d is missed", q, k)
						}
					}
				}
			}
			if far < 500 {
				t.Errorf("only %d answers say that nothing is near", far)
			}
		})
	}
	if (*recent)(nil).none(1, 1) {
		t.Error("a recent that is missing says that nothing is near")
	}
	if canBeRecent(64, 8) || canBeRecent(64, -1) {
		t.Error("there cannot be a recent for these distances")
	}
}

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
			if ix.recent = recent; recent.none(q, 3) {
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
