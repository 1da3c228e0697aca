package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index/segment"
)

func sameMatch(a, b Match) bool {
	return a.Document == b.Document && string(a.ID) == string(b.ID) && a.Distance == b.Distance && a.Value == b.Value
}

// first returns the matches that limit leaves.
func first(ms []Match, limit int) []Match {
	if limit > 0 {
		return ms[:min(limit, len(ms))]
	}
	return ms
}

// crowds makes an index of n texts in three segments. Most of the texts are equal to some other
// text, so that queries have from one to hundreds of matches.
func crowds(t *testing.T, n int) (ix *Snapshot, texts []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	some := nearTexts(60)
	for range n {
		texts = append(texts, some[int(rng.ExpFloat64()*8)%len(some)])
	}
	dir := t.TempDir()
	for at := 0; at < n; at += n / 3 {
		addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts[at:min(n, at+n/3)], 10*n-at))
	}
	return mustOpen(t, dir), texts
}

// Answers do not depend on how many matches are held. A limit only cuts them short: the answers of
// batches are the first matches of a single query without a limit.
func TestAnswersDoNotDependOnWhatIsHeld(t *testing.T) {
	t.Parallel()
	ix, texts := crowds(t, 400)
	var s analysis.Scratch
	for _, c := range []Predicate{Within(0), Within(20), Similar(0.4)} {
		var want [][]Match
		most := 0
		for _, text := range texts {
			var ms []Match
			var err error
			if c.BySets() {
				ms, err = matches(ix, Text([]byte(text)), c)
			} else if fp, ok, _ := ix.Analysis().Fingerprint(&s, []byte(text)); ok {
				ms, err = matches(ix, Fingerprint(fp), Within(c.Distance))
			}
			nearer := segment.MatchOrder
			if c.BySets() {
				nearer = func(a, b Match) int { return cmp.Compare(b.Value, a.Value) }
			}
			if err != nil || !slices.IsSortedFunc(ms, nearer) {
				t.Fatalf("%+v: not in order, or %v", c, err)
			}
			want, most = append(want, ms), max(most, len(ms))
		}
		if most < 40 {
			t.Fatalf("%+v: at most %d matches: the test means more", c, most)
		}
		for _, limit := range []int{0, 1, 10, most, int(^uint(0) >> 1)} {
			for _, hold := range []int{0, 50, 1 << 20} {
				next := 0
				asked, err := ix.ask(Options{Predicate: c, Limit: limit, Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
				err = asked.all(t.Context(), numbered(texts, 0), parallel.NewPace(150, hold, 2), func(a Answer) error {
					if w := first(want[next], limit); !slices.EqualFunc(a.Matches, w, sameMatch) || string(a.ID) != fmt.Sprintf("%04d", next) {
						t.Fatalf("%+v, hold %d, query %d: %d matches, want %d", c, hold, next, len(a.Matches), len(w))
					}
					next++
					return nil
				})
				if err != nil || next != len(texts) {
					t.Fatalf("%+v, hold %d: %d answers, %v", c, hold, next, err)
				}
			}
		}
	}
}

// A batch holds no more matches than it may. It leaves for later only the queries that have no
// room.
func TestBatchesHoldFewMatches(t *testing.T) {
	t.Parallel()
	ix, texts := crowds(t, 900)
	for _, c := range []Predicate{Within(3), Similar(0.5)} {
		for _, hold := range []int{0, 100, 5000} {
			h := segment.NewGatheredMany(300, 0, hold)
			search, err := c.criterion(ix)
			if err != nil {
				t.Fatal(err)
			}
			ask := func(ctx context.Context, b *analysis.Batch) (struct{}, error) {
				return struct{}{}, search.near(ctx, b, h, nil)
			}
			took := func(*analysis.Batch, struct{}) error { return nil }
			if err := analysis.Each(t.Context(), ix.analysis, numbered(texts[:300], 0), 1, func() int { return 300 }, ask, took); err != nil {
				t.Fatal(err)
			}
			sum, late := 0, 0
			for q, g := range h.Queries {
				sum += len(g.Found)
				if h.Late[q] {
					late++
					if len(g.Found) > 0 {
						t.Errorf("query %d is left for later with %d matches", q, len(g.Found))
					}
				}
			}
			if sum > hold || h.Left != hold-sum {
				t.Errorf("%+v: %d matches held, %d allowed, room for %d more", c, sum, hold, h.Left)
			}
			if late == 0 || hold > 0 && sum < hold/2 {
				t.Errorf("%+v, hold %d: %d matches held, %d queries left for later", c, hold, sum, late)
			}
		}
	}
}

// With a limit, a crowd of equally near documents is never held as a whole.
func TestLimitHoldsFewMatches(t *testing.T) {
	t.Parallel()
	const n = 20_000
	dir := t.TempDir()
	add(t, dir, fps("", make([]uint64, n)...))
	add(t, dir, fps("x", slices.Repeat([]uint64{7}, n)...))
	ix := mustOpen(t, dir)
	got, err := limited(ix, 3)
	if err != nil || len(got) != 3 || string(got[2].ID) != "10" || got[0].Distance != 1 {
		t.Errorf("got %v, %v", got, err)
	}
	if most := 2 * (2*3 + 2*segment.GatheredSpare); cap(got) > most { // twice as much, because append grows slices
		t.Errorf("%d matches held for a limit of 3, want at most %d", cap(got), most)
	}
	// Groups that cannot be among the nearest are not looked at. Here their documents are out of
	// range.
	forge(t, dir, "000002.seg", func(sec string, contents []byte) []byte {
		if sec == secMembers {
			for i := range n {
				put32(i, n+1)(contents)
			}
		}
		return contents
	})
	ix = mustOpen(t, dir)
	if got, err := limited(ix, n); err != nil || len(got) != n {
		t.Errorf("%d matches, %v", len(got), err)
	}
	if _, err := limited(ix, n+1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("looked at: %v", err)
	}
}

func TestLimitsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, dir, fps("", 1, 2, 3))
	ix := mustOpen(t, dir)
	if _, err := limited(ix, -1); !errors.Is(err, ErrNoSearch) {
		t.Errorf("a negative limit: %v", err)
	}
	if _, err := matches(ix, Fingerprint(1), Similar(0.5)); !errors.Is(err, ErrNoSearch) {
		t.Errorf("a fingerprint by sets: %v", err)
	}
	if err := ix.NearAll(t.Context(), fps("", 1), Options{Predicate: Within(1), Batch: -1}, nil); !errors.Is(err, ErrNoSearch) {
		t.Errorf("a negative batch: %v", err)
	}
}

// Queries that are searched alone end with their context, too.
func TestLateQueriesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	ix, texts := crowds(t, 300)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	asked, err := ix.ask(Options{Predicate: Within(3), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = asked.all(ctx, numbered(texts, 0), parallel.NewPace(1000, 0, 2), func(Answer) error {
		if n++; n == 5 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n > 100 || strings.Contains(err.Error(), "corrupt") {
		t.Errorf("%d answers, then %v", n, err)
	}
}
