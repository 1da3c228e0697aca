package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/tests/testkit"
)

func pairsWith(t testing.TB, ix *Snapshot, k int, o PairOptions) []Pair {
	t.Helper()
	var out []Pair
	if err := ix.Pairs(t.Context(), Within(k), o, func(p Pair) error { out = append(out, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// With Groups, the pairs are those of the first documents of each fingerprint, and one pair for
// each further document.
func TestPairsOfGroups(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 2))
	all := randomFingerprints(rng, 1500)
	for i := range all {
		if i%3 == 0 && i > 0 {
			all[i] = all[rng.IntN(i)]
		}
	}
	first := map[uint64]int{}
	for i, x := range all {
		if _, ok := first[x]; !ok {
			first[x] = i
		}
	}
	dir := t.TempDir()
	add(t, dir, fps("a-", all[:700]...))
	add(t, dir, fps("b-", all[700:]...))
	ix := mustOpen(t, dir)
	for _, k := range []int{0, 3, 40} {
		var want []Pair
		for a, x := range all {
			for b := a + 1; b < len(all); b++ {
				d := hamming.Distance(x, all[b])
				if d > k || first[x] != a || d > 0 && first[all[b]] != b {
					continue
				}
				want = append(want, Pair{A: uint32(a), B: uint32(b), Measures: Measures{Distance: d}})
			}
		}
		if got := pairsWith(t, ix, k, PairOptions{Threads: 2, Groups: true}); !slices.Equal(got, want) {
			t.Errorf("k = %d: %d pairs, want %d", k, len(got), len(want))
		}
	}
}

// Pairs by way of files equal those by way of memory, and the files are removed.
func TestPairsThatDoNotFitMemory(t *testing.T) {
	all := randomFingerprints(rand.New(rand.NewPCG(4, 2)), 30_000)
	dir := t.TempDir()
	add(t, dir, fps("", all...))
	ix := mustOpen(t, dir)
	temp := t.TempDir()
	nothing := snapshot(t, temp)
	t.Setenv("TMPDIR", temp)
	want := pairsWith(t, ix, 2, PairOptions{Threads: 2})
	if len(want) < 1000 {
		t.Fatalf("%d pairs: too few to spill", len(want))
	}
	var got []Pair
	err := ix.Pairs(t.Context(), Within(2), PairOptions{Threads: 2, PairsInMemory: 500}, func(p Pair) error {
		if got = append(got, p); len(got) == 50 && runtime.GOOS != "windows" && snapshot(t, temp) != nothing {
			t.Errorf("a kill would leave %s", snapshot(t, temp))
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d pairs, want %d; %v", len(got), len(want), err)
	}
	if left := snapshot(t, temp); left != nothing {
		t.Errorf("files left: %s", left)
	}
}

// As groups, a million documents with one fingerprint take time in proportion to their number.
func TestAMillionEqualDocuments(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "a million documents take a few seconds")
	const n = 1_000_000
	dir := t.TempDir()
	add(t, dir, fps("", make([]uint64, n)...))
	got := pairsWith(t, mustOpen(t, dir), 3, PairOptions{Threads: 2, Groups: true})
	if len(got) != n-1 || got[0] != (Pair{A: 0, B: 1}) || got[n-2] != (Pair{A: 0, B: n - 1}) {
		t.Errorf("%d pairs, want one a document but the first", len(got))
	}
}

// Pairs end soon after their context, however many documents are near one another.
func TestPairsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	const n = 3000
	texts := slices.Repeat([]string{"the same words of all"}, n)
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts, 0))
	ix := mustOpen(t, dir)
	for _, c := range []Predicate{Within(3), Similar(0.8)} {
		for _, groups := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			err := ix.Pairs(ctx, c, PairOptions{Threads: 2, Groups: groups}, func(Pair) error {
				if seen++; seen == 10 {
					cancel()
				}
				return nil
			})
			if !errors.Is(err, context.Canceled) || seen > 10+256 {
				t.Errorf("%+v, groups %v: %d pairs, then %v", c, groups, seen, err)
			}
		}
	}
}

// With a limit, the nearest of all pairs come, nearest first, and the largest groups.
func TestLimit(t *testing.T) {
	t.Parallel()
	texts := nearTexts(300)
	texts = append(texts, texts[:20]...) // some are equal
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts[:200], 0))
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts[200:], 200))
	ix := mustOpen(t, dir)
	for _, p := range []Predicate{Within(6), Similar(0.5), WithinAndSimilar(8, 0.6)} {
		all, groups := similarPairs(t, ix, p, PairOptions{Threads: 2}), allGroups(t, ix, p, PairOptions{Threads: 2})
		if len(all) < 50 || len(groups) < 5 {
			t.Fatalf("%v: %d pairs, %d groups", p, len(all), len(groups))
		}
		slices.SortStableFunc(all, func(a, b Pair) int {
			return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Distance, b.Distance))
		})
		for _, n := range []int{1, 2, 3, 20, 49, len(all), len(all) + 1, 1 << 40} {
			if got := similarPairs(t, ix, p, PairOptions{Threads: 2, Limit: n}); !slices.Equal(got, all[:min(n, len(all))]) {
				t.Errorf("%v: the %d nearest are %v, want %v", p, n, got, all[:min(n, len(all))])
			}
			if got := allGroups(t, ix, p, PairOptions{Threads: 2, Limit: n}); fmt.Sprint(got) != fmt.Sprint(groups[:min(n, len(groups))]) {
				t.Errorf("%v: the %d largest groups are %v", p, n, got)
			}
		}
	}
	enough := errors.New("enough")
	if err := ix.Pairs(t.Context(), Similar(0.5), PairOptions{Threads: 1, Limit: 5}, func(Pair) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("%v, want the error of yield", err)
	}
}
