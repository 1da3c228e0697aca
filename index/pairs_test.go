package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/internal/disk"
	"simsearch/preprocess"
)

func pairsWith(t testing.TB, ix *Index, k int, o PairOptions) []Pair {
	t.Helper()
	var out []Pair
	if err := ix.Pairs(t.Context(), Within(k), o, func(p Pair) error { out = append(out, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// With Groups, the pairs are those of the first documents of each fingerprint, and one
// for each further document.
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
				want = append(want, Pair{A: uint32(a), B: uint32(b), Distance: d})
			}
		}
		if got := pairsWith(t, ix, k, PairOptions{Threads: 2, Groups: true}); !slices.Equal(got, want) {
			t.Errorf("k = %d: %d pairs, want %d", k, len(got), len(want))
		}
	}
}

// Pairs by way of files are those by way of memory, and the files are removed.
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
	err := ix.Pairs(t.Context(), Within(2), PairOptions{Threads: 2, HoldPairs: 500}, func(p Pair) error {
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

// Neighbours that exceed what is held lie in a file, which has no name where the system allows
// it, and is gone when they are closed.
func TestNeighboursInAFile(t *testing.T) {
	temp := t.TempDir()
	nothing := snapshot(t, temp)
	t.Setenv("TMPDIR", temp)
	for _, hold := range []int{0, 1, 7, 1000} {
		ns := neighbours{fs: disk.OS, hold: hold}
		for a := range uint32(40) {
			for b := range a % 5 {
				if err := ns.add(a, a+b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := ns.finish(45); err != nil {
			t.Fatal(err)
		}
		if (ns.file != nil) != (hold == 1 || hold == 7) {
			t.Errorf("hold %d: a file: %v", hold, ns.file != nil)
		}
		if left := snapshot(t, temp); left != nothing && runtime.GOOS != "windows" {
			t.Errorf("hold %d: a kill would leave %s", hold, left)
		}
		for a := range uint32(45) {
			var want []uint32
			for b := range a % 5 {
				if a < 40 {
					want = append(want, a+b)
				}
			}
			if got := ns.of(a); !slices.Equal(got, want) {
				t.Errorf("hold %d: neighbours of %d: %v, want %v", hold, a, got, want)
			}
		}
		if err := ns.close(); err != nil {
			t.Error(err)
		}
		if left := snapshot(t, temp); left != nothing {
			t.Errorf("hold %d: left: %s", hold, left)
		}
	}
}

// A million documents under one fingerprint take time in proportion, as groups.
func TestAMillionEqualDocuments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a million documents take a few seconds")
	}
	const n = 1_000_000
	dir := t.TempDir()
	add(t, dir, fps("", make([]uint64, n)...))
	got := pairsWith(t, mustOpen(t, dir), 3, PairOptions{Threads: 2, Groups: true})
	if len(got) != n-1 || got[0] != (Pair{A: 0, B: 1}) || got[n-2] != (Pair{A: 0, B: n - 1}) {
		t.Errorf("%d pairs, want one a document but the first", len(got))
	}
}

// However many documents are near one another, pairs end soon after their context.
func TestPairsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	const n = 3000
	texts := slices.Repeat([]string{"the same words of all"}, n)
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts, 0))
	ix := mustOpen(t, dir)
	for _, c := range []Criterion{Within(3), Similar(0.8)} {
		for _, groups := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			err := ix.Pairs(ctx, c, PairOptions{Threads: 2, Groups: groups}, func(Pair) error {
				if seen++; seen == 10 {
					cancel()
				}
				return nil
			})
			if !errors.Is(err, context.Canceled) || seen > 10+lookEvery {
				t.Errorf("%+v, groups %v: %d pairs, then %v", c, groups, seen, err)
			}
		}
	}
}

// The sets of one group are not compared with those of hundreds of others when nobody waits for it.
func TestRowsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	const n = 500
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint("most of these many words are the same in all but for ", i)
	}
	dir := t.TempDir()
	s := minHash(analysis.MinHash)
	s.Features, s.Positions = preprocess.FeatureSpec{}, 16
	addWith(t, dir, s, WriterOptions{Threads: 2}, numbered(texts, 0))
	ix := mustOpen(t, dir)
	c := Similar(0.8)
	for _, groups := range []bool{false, true} {
		j, err := ix.joinSets(t.Context(), c, PairOptions{Threads: 2, Groups: groups})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var g uint32
		for a := range j.groups.Ends[1:] {
			if groups && len(j.groups.Members(uint32(a))) > len(j.groups.Members(g)) ||
				!groups && len(j.neighbours.of(uint32(a))) > len(j.neighbours.of(g)) {
				g = uint32(a)
			}
		}
		if groups && len(j.groups.Members(g)) < 2 || !groups && len(j.neighbours.of(g)) < 100 {
			t.Fatalf("groups %v: too few are alike for the test", groups)
		}
		if groups {
			_, err = j.groupRow(ctx, nil, []neighbour{{group: g}}, g)
		} else {
			_, err = j.near(ctx, nil, g)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("groups %v: %v", groups, err)
		}
		if err := j.neighbours.close(); err != nil {
			t.Error(err)
		}
	}
}
