package index

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/match/join"
)

func allGroups(t *testing.T, ix *Snapshot, p Predicate, o PairOptions) (groups []Group) {
	t.Helper()
	err := ix.Groups(t.Context(), p, o, func(g Group) error {
		groups = append(groups, g)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// All documents of a group are near its representative, no document is in two groups, no two near
// documents are left out, and the extremes are true.
func TestGroups(t *testing.T) {
	t.Parallel()
	texts := nearTexts(470)
	texts = append(texts, texts[:30]...) // some are equal
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts[:300], 0))
	addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(texts[300:], 300))
	ix := mustOpen(t, dir)
	for _, p := range []Predicate{Within(6), Similar(0.5), searchedBy(0.5, 0.9, Exact)} {
		near := map[[2]uint32]Pair{}
		if err := ix.Pairs(t.Context(), p, PairOptions{Threads: 2}, func(pair Pair) error {
			near[[2]uint32{pair.A, pair.B}] = pair
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		one := allGroups(t, ix, p, PairOptions{Threads: 1})
		if several := allGroups(t, ix, p, PairOptions{Threads: 3, PairsInMemory: 20}); fmt.Sprint(several) != fmt.Sprint(one) {
			t.Errorf("%+v: groups depend on threads", p)
		}
		of, represents := map[uint32]uint32{}, map[uint32]bool{}
		for _, g := range one {
			represents[g.Representative] = true
			for _, doc := range g.Documents {
				of[doc] = g.Representative
			}
		}
		degrees := map[uint32]int{}
		for pair := range near {
			degrees[pair[0]]++
			degrees[pair[1]]++
		}
		// No representative with more near documents is nearer than the own one, and none is near another one.
		for pair, how := range near {
			for i, r := range pair {
				doc := pair[1-i]
				own := near[[2]uint32{min(of[doc], doc), max(of[doc], doc)}]
				if represents[r] && (represents[doc] || degrees[r] > degrees[doc] && (how.Value > own.Value || !p.BySets() && how.Distance < own.Distance)) {
					t.Errorf("%+v: %d is with %d (%+v), but %d is near, too (%+v)", p, doc, of[doc], own, r, how)
				}
			}
		}
		in := map[uint32]bool{}
		for i, g := range one {
			if i > 0 && len(g.Documents) > len(one[i-1].Documents) {
				t.Errorf("%+v: group %d is larger than the one before", p, i)
			}
			if len(g.Documents) < 2 || !slices.IsSorted(g.Documents) || g.Estimated {
				t.Errorf("%+v: %+v", p, g)
			}
			distance, jaccard := 0, 1.0
			for _, a := range g.Documents {
				if in[a] {
					t.Errorf("%+v: document %d is in two groups", p, a)
				}
				in[a] = true
				_, isNear := near[[2]uint32{min(a, g.Representative), max(a, g.Representative)}]
				if p.Recall > 0 && p.Recall < 1 { // of a document without other pairs, its pair with the representative may be missing
					isNear = jaccardOf(t, ix, texts[a], texts[g.Representative]) >= p.Threshold
				}
				if !isNear && a != g.Representative {
					t.Errorf("%+v: document %d is not near its representative %d", p, a, g.Representative)
				}
				for _, b := range g.Documents {
					x, _, _ := ix.Fingerprint(a)
					y, _, _ := ix.Fingerprint(b)
					distance = max(distance, ones(x^y))
					jaccard = min(jaccard, jaccardOf(t, ix, texts[a], texts[b]))
				}
			}
			if p.BySets() && (math.Abs(g.Value-jaccard) > 1e-12 || g.Apart != (jaccard < p.Threshold)) ||
				!p.BySets() && (g.Distance != distance || g.Apart != (distance > p.Distance)) {
				t.Errorf("%+v: %+v, want %d, %v", p, g, distance, jaccard)
			}
		}
		for pair := range near {
			if !in[pair[0]] && !in[pair[1]] {
				t.Errorf("%+v: near documents %v are in no group", p, pair)
			}
		}
		if len(one) < 10 {
			t.Errorf("%+v: %d groups are too few for the test", p, len(one))
		}
		chains := allGroups(t, ix, p, PairOptions{Threads: 2, Chain: true})
		chainOf := map[uint32]int{}
		for i, g := range chains {
			for _, doc := range g.Documents {
				chainOf[doc] = i + 1
			}
		}
		for pair := range near {
			if chainOf[pair[0]] == 0 || chainOf[pair[0]] != chainOf[pair[1]] {
				t.Errorf("%+v: near documents %v are in chains %d and %d", p, pair, chainOf[pair[0]], chainOf[pair[1]])
			}
		}
	}
}

func ones(x uint64) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

func jaccardOf(t *testing.T, ix *Snapshot, a, b string) float64 {
	t.Helper()
	var s analysis.Scratch
	x := slices.Clone(ix.Analysis().Set(&s, []byte(a)))
	y := ix.Analysis().Set(&s, []byte(b))
	both := 0
	for _, f := range x {
		if _, ok := slices.BinarySearch(y, f); ok {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

// Of very many distinct documents, all are compared with the representative, wherever it stands and
// whatever equals it.
func TestLargeGroupsAreMeasuredFromTheRepresentative(t *testing.T) {
	t.Parallel()
	const hub = uint64(0xff) << 50
	values := []uint64{hub ^ 3, hub}
	for i := range 64 {
		for j := range i {
			values = append(values, hub^1<<i^1<<j, hub) // equals of the representative between the others
		}
	}
	for i := range 64 {
		values = append(values, hub^1<<i)
	}
	dir := t.TempDir()
	add(t, dir, fps("", values...))
	ix := mustOpen(t, dir)
	groups := allGroups(t, ix, Within(2), PairOptions{Threads: 2})
	if len(groups) != 1 || len(groups[0].Documents) != len(values) {
		t.Fatalf("%d groups, want one of all", len(groups))
	}
	g := groups[0]
	if fp, _, err := ix.Fingerprint(g.Representative); err != nil || fp != hub {
		t.Errorf("the representative is %x, %v", fp, err)
	}
	if g.Distance < 3 || g.Distance > 4 || !g.Apart || g.Estimated != (2081 > join.Measured) {
		t.Errorf("%d documents: distance %d, apart %v, estimated %v", len(g.Documents), g.Distance, g.Apart, g.Estimated)
	}
}

// Groups of copies are those of all pairs, though documents with the same text are compared as one: in several
// segments, under conditions, and among texts with the same words in another order.
func TestGroupsOfEqualTexts(t *testing.T) {
	t.Parallel()
	texts := nearTexts(200)
	for i, text := range texts[:120] {
		if i%2 == 0 {
			words := strings.Fields(text)
			slices.Reverse(words)
			text = strings.Join(words, " ")
		}
		texts = append(texts, text)
	}
	texts = append(texts, texts[100:280]...)
	dir := t.TempDir()
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 2, Input: Input{KeepFields: "three,five"}}, withFields(texts[:350], 0))
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 2}, withFields(texts[350:], 350))
	ix, p := mustOpen(t, dir), Copy.Predicate(0.4, 0)
	for _, where := range [][]Where{nil, {{"three", func(v []byte) bool { return string(v) == "1" }}}} {
		pairs := similarPairs(t, ix, p, PairOptions{Threads: 2, Where: where})
		for _, chain := range []bool{false, true} {
			of := make([]uint32, ix.Len())
			for doc := range of {
				of[doc] = uint32(doc)
			}
			all := func(yield func(Pair) error) (err error) {
				for i := 0; i < len(pairs) && err == nil; i++ {
					err = yield(pairs[i])
				}
				return err
			}
			of, err := join.GroupPairs(t.Context(), of, chain, all, nil)
			var got []join.Group
			for _, g := range allGroups(t, ix, p, PairOptions{Threads: 2, Where: where, Chain: chain}) {
				got = append(got, join.Group{Documents: g.Documents, Representative: g.Representative})
			}
			if want := join.Groups(of); err != nil || len(got) < 20 || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("conditions %d, chain %v: %v; %d groups, want %d", len(where), chain, err, len(got), len(want))
			}
		}
	}
}
