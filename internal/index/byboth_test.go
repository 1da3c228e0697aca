package index

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/internal/tests/testkit"
)

// fingerprintOf returns the fingerprint of a text.
func fingerprintOf(a *analysis.Analysis, text string) (uint64, bool) {
	fp, ok, err := a.Fingerprint(new(analysis.Scratch), []byte(text))
	if err != nil {
		panic(err)
	}
	return fp, ok
}

// nearBoth returns the pairs of texts within k bits and at least as similar as threshold, by comparing all.
func nearBoth(t *testing.T, s analysis.Settings, texts []string, k int, threshold float64) []Pair {
	t.Helper()
	a, err := analysis.New(s)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []Pair
	var fps []uint64
	var has []bool
	for _, text := range texts {
		fp, ok := fingerprintOf(a, text)
		fps, has = append(fps, fp), append(has, ok)
	}
	for pair, jaccard := range truth(t, a, texts, threshold) {
		d := hamming.Distance(fps[pair[0]], fps[pair[1]])
		if has[pair[0]] && has[pair[1]] && d <= k {
			pairs = append(pairs, Pair{A: pair[0], B: pair[1], Measures: Measures{Distance: d, Value: jaccard}})
		}
	}
	slices.SortFunc(pairs, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return pairs
}

// Searches and pairs by distance and similarity find what a comparison of all texts finds.
func TestBothAgainstTruth(t *testing.T) {
	t.Parallel()
	texts := nearTexts(testkit.Of(200, 500))
	texts = append(texts, texts[3], texts[20], texts[20]) // equal ones
	settings := minHash(analysis.Both)
	dir := t.TempDir()
	for at := 0; at < len(texts); at += 300 {
		addWith(t, dir, settings, WriterOptions{Threads: 1}, numbered(texts[at:min(at+300, len(texts))], at))
	}
	ix := mustOpen(t, dir)
	for _, p := range []Predicate{WithinAndSimilar(3, 0.5), WithinAndSimilar(12, 0.8), WithinAndSimilar(20, 0.35), WithinAndSimilar(64, 0.6), WithinAndSimilar(0, 1)} {
		want := nearBoth(t, settings, texts, p.Distance, p.Threshold)
		if len(want) < 5 {
			t.Fatalf("%+v: only %d pairs to find", p, len(want))
		}
		if got := similarPairs(t, ix, p, PairOptions{Threads: 2}); !slices.Equal(got, want) {
			t.Errorf("%+v: %d pairs, want %d", p, len(got), len(want))
		}
		found := map[string][]Match{}
		err := ix.NearAll(t.Context(), numbered(texts, 0), Options{Predicate: p, Threads: 2, Batch: 40}, func(a Answer) error {
			found[string(a.ID)] = slices.Clone(a.Matches)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			single, err := ix.Near(t.Context(), Text([]byte(text)), Options{Predicate: p})
			if err != nil {
				t.Fatal(err)
			}
			if got := found[fmt.Sprintf("%04d", i)]; !slices.EqualFunc(got, single.Matches, func(x, y Match) bool { return segment.MatchOrder(x, y) == 0 && x.Distance == y.Distance }) {
				t.Errorf("%+v: text %d: together %v, alone %v", p, i, got, single.Matches)
			}
			near := map[uint32]Pair{}
			for _, pair := range want {
				if pair.A == uint32(i) || pair.B == uint32(i) {
					near[pair.A+pair.B-uint32(i)] = Pair{Measures: Measures{Distance: pair.Distance, Value: pair.Value}}
				}
			}
			got := map[uint32]Pair{}
			for at, m := range single.Matches {
				if at > 0 && m.Value > single.Matches[at-1].Value {
					t.Errorf("%+v: text %d: not the nearest first", p, i)
				}
				if m.Document != uint32(i) {
					got[m.Document] = Pair{Measures: Measures{Distance: m.Distance, Value: m.Value}}
				}
			}
			if !maps.Equal(got, near) {
				t.Errorf("%+v: text %d: found %v, want %v", p, i, got, near)
			}
		}
	}
}

// Of equal documents only the first has other pairs, and everything else follows from these.
func TestBothCollapsed(t *testing.T) {
	t.Parallel()
	texts := nearTexts(200)
	for i := range 90 {
		texts = append(texts, texts[i*2%40])
	}
	settings := minHash(analysis.Both)
	dir := t.TempDir()
	addWith(t, dir, settings, WriterOptions{Threads: 1}, numbered(texts[:100], 0))
	addWith(t, dir, settings, WriterOptions{Threads: 1}, numbered(texts[100:], 100))
	ix := mustOpen(t, dir)
	p := WithinAndSimilar(16, 0.6)
	want := nearBoth(t, settings, texts, p.Distance, p.Threshold)
	first := map[string]uint32{}
	of := make([]uint32, len(texts))
	for i, text := range texts {
		fp, _ := fingerprintOf(ix.Analysis(), text)
		key := fmt.Sprint(fp, ix.Analysis().Set(new(analysis.Scratch), []byte(text)))
		if _, ok := first[key]; !ok {
			first[key] = uint32(i)
		}
		of[i] = first[key]
	}
	want = slices.DeleteFunc(want, func(p Pair) bool {
		return of[p.A] != p.A || of[p.B] != p.B && of[p.B] != p.A
	})
	got := similarPairs(t, ix, p, PairOptions{Threads: 2, Groups: true})
	if !slices.Equal(got, want) {
		t.Errorf("%d pairs, want %d:\n%v\n%v", len(got), len(want), got, want)
	}
	all := nearBoth(t, settings, texts, p.Distance, p.Threshold)
	near := map[[2]uint32]bool{}
	for _, pair := range all {
		near[[2]uint32{pair.A, pair.B}] = true
	}
	groups := 0
	err := ix.Groups(t.Context(), p, PairOptions{Threads: 2}, func(g Group) error {
		groups++
		least, most := 1.0, 0
		for i, a := range g.Documents {
			if r := g.Representative; a != r && !near[[2]uint32{min(a, r), max(a, r)}] {
				t.Errorf("%d is not near its representative %d", a, r)
			}
			for _, b := range g.Documents[:i] {
				pair := join.Pair{A: a, B: b}
				if _, err := Both.open(ix, p).(*byBoth).pair(&pair); err != nil {
					return err
				}
				j := pair.Value
				x, _, _ := ix.Fingerprint(a)
				y, _, _ := ix.Fingerprint(b)
				least, most = min(least, j), max(most, hamming.Distance(x, y))
			}
		}
		if g.Value != least || g.Distance != most || g.Apart != (least < p.Threshold || most > p.Distance) {
			t.Errorf("group %v: %v and %d, apart %v; want %v and %d", g.Documents, g.Value, g.Distance, g.Apart, least, most)
		}
		return nil
	})
	if err != nil || groups < 5 {
		t.Errorf("%d groups, %v", groups, err)
	}
}

// An index of one kind has no search by both, and a fingerprint no sets.
func TestBothWantsBoth(t *testing.T) {
	t.Parallel()
	for _, mode := range []analysis.Mode{analysis.SimHash, analysis.MinHash} {
		dir := t.TempDir()
		addWith(t, dir, minHash(mode), WriterOptions{}, numbered([]string{"a few words here"}, 0))
		if _, err := matches(mustOpen(t, dir), Text([]byte("a few words")), WithinAndSimilar(3, 0.5)); !errors.Is(err, ErrNoSearch) {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.Both), WriterOptions{}, numbered([]string{"a few words here"}, 0))
	if _, err := matches(mustOpen(t, dir), Fingerprint(7), WithinAndSimilar(3, 0.5)); !errors.Is(err, ErrNoSearch) {
		t.Error(err)
	}
	if _, err := matches(mustOpen(t, dir), Text([]byte("a few words here")), WithinAndSimilar(3, 1.5)); !errors.Is(err, ErrNoSearch) {
		t.Error(err)
	}
}
