package join

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/setjoin"
)

// GroupSets finds the groups that comparing all documents finds.
func TestGroupSets(t *testing.T) {
	sets := madeSets(500)
	for i := 300; i < 340; i++ { // a crowd whose members differ in features of their own
		sets[i] = nil
		for f := range uint64(38) {
			sets[i] = append(sets[i], f)
		}
		for f := range uint64(i % 7) {
			sets[i] = append(sets[i], uint64(1000*i)+f)
		}
	}
	const threshold = 0.8
	near := func(a, b uint32) (float64, bool, error) { //nolint:unparam // it is what GroupPairs asks
		if len(sets[a]) == 0 || len(sets[b]) == 0 {
			return 0, false, nil
		}
		j := ints.Jaccard(sets[a], sets[b])
		return j, j >= threshold, nil
	}
	for _, chain := range []bool{false, true} {
		want := comparedGroups(len(sets), chain, near)
		for _, threads := range []int{1, 3} {
			got, err := GroupSets(t.Context(), newMemory(sets), threshold, chain, Options{Threads: threads, Disk: disk.OS})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("chain %v, %d threads: %v; other groups than those of comparing all", chain, threads, err)
			}
		}
		how := Options{Threads: 2, Disk: disk.OS}
		pairs := func(yield func(Pair) error) error { return BySets(t.Context(), newMemory(sets), threshold, how, yield) }
		got, err := GroupPairs(t.Context(), ascending(len(sets)), chain, pairs, func(a, b uint32) (bool, error) {
			_, ok, err := near(a, b)
			return ok, err
		})
		if err != nil || fmt.Sprint(Groups(got)) != fmt.Sprint(Groups(want)) {
			t.Errorf("chain %v: %v; the pairs make other groups", chain, err)
		}
	}
}

// A document that is inside others belongs to the smallest of those that are inside no other one.
func TestGroupContained(t *testing.T) {
	sets := [][]uint64{{1, 2}, {1, 2, 3, 4, 5, 6}, nil, {1, 2, 3, 4}, {1, 2, 9, 10, 11}, {1, 2, 3, 4}, {20, 21}, {9, 21}}
	for chain, want := range map[bool][]uint32{false: {4, 1, 2, 1, 4, 1, 6, 7}, true: {1, 1, 2, 1, 1, 1, 6, 7}} {
		got, err := GroupContained(t.Context(), newMemory(sets), 0.9, chain, Options{Threads: 2, Disk: disk.OS})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("chain %v: %v, %v; want %v", chain, got, err, want)
		}
	}
}

// A document that equals the first of its kind has a pair with that alone. It has the representative of the first,
// which is the nearest one and not the first that is near.
func TestGroupPairsOfEqualDocuments(t *testing.T) {
	pairs := []Pair{
		{0, 1, Measures{Value: 0.8}}, {0, 2, Measures{Value: 0.8}}, {0, 3, Measures{Value: 0.8}}, {0, 7, Measures{Value: 0.8}}, // 0 has the most
		{4, 5, Measures{Value: 0.8}}, {4, 6, Measures{Value: 0.8}}, {4, 7, Measures{Value: 0.9}},
		{7, 8, Measures{Value: 1}}, // 8 equals 7
	}
	for _, c := range []struct {
		near bool
		want uint32
	}{{true, 4}, {false, 8}} {
		got, err := GroupPairs(t.Context(), ascending(9), false, func(yield func(Pair) error) error {
			for _, p := range pairs {
				if err := yield(p); err != nil {
					return err
				}
			}
			return nil
		}, func(a, b uint32) (bool, error) {
			if a != 4 || b != 8 {
				t.Errorf("documents %d and %d are compared", a, b)
			}
			return c.near, nil
		})
		if want := []uint32{0, 0, 0, 0, 4, 4, 4, 4, c.want}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
}

// ascending returns the numbers below n: no document stands for another one.
func ascending(n int) []uint32 {
	of := make([]uint32, n)
	for i := range of {
		of[i] = uint32(i)
	}
	return of
}

// comparedGroups compares all documents, and returns the representative of each.
func comparedGroups(n int, chain bool, near func(a, b uint32) (float64, bool, error)) []uint32 {
	degrees, order := make([]int, n), make([]uint32, n)
	neighbours := make([][]uint32, n)
	for a := range uint32(n) {
		order[a] = a
		for b := range a {
			if _, ok, _ := near(a, b); ok {
				degrees[a]++
				degrees[b]++
				neighbours[a], neighbours[b] = append(neighbours[a], b), append(neighbours[b], a)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(degrees[b], degrees[a]) })
	of := make([]uint32, n)
	for i := range of {
		of[i] = noGroup
	}
	for i, doc := range order {
		if of[doc] != noGroup {
			continue
		}
		if chain { // all that can be reached
			of[doc] = doc
			for next := []uint32{doc}; len(next) > 0; next = next[1:] {
				for _, other := range neighbours[next[0]] {
					if of[other] == noGroup {
						of[other] = doc
						next = append(next, other)
					}
				}
			}
			continue
		}
		best := 0.0
		for _, center := range order[:i] {
			if of[center] != center {
				continue
			}
			if j, ok, _ := near(doc, center); ok && j > best {
				best, of[doc] = j, center
			}
		}
		if best == 0 {
			of[doc] = doc
		}
	}
	return of
}

// Stars are the same whether all pairs are listed or none, and at each threshold from that of the pairs on. So are
// components.
func TestFewPairs(t *testing.T) {
	var sets [][]uint64
	for _, set := range madeSets(400) {
		if len(set) > 0 {
			sets = append(sets, set)
		}
	}
	d, err := newDistinct(t.Context(), newMemory(sets), false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	coded, err := d.code(t.Context(), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	few, err := NewGrouper(t.Context(), &Sets{Sets: coded}, 0.7, Options{Threads: 2})
	if err != nil || !few.Few() {
		t.Fatal(few.Few(), err)
	}
	var all []uint32
	for i := range coded.Len() {
		all = append(all, uint32(i))
	}
	paired := few.Paired()
	for i := range all { // near any other one
		others := slices.Concat(all[:i], all[i+1:])
		how := setjoin.StarOptions{First: len(others)}
		stars, err := setjoin.Stars(t.Context(), coded, 0.7, append(others, all[i]), how, setjoin.Options{Threads: 1})
		if err != nil || (stars[i] != all[i]) != paired[i] {
			t.Fatalf("set %d is in a pair: %v; its center is %v; %v", i, paired[i], stars[i], err)
		}
	}
	rng := rand.New(rand.NewPCG(5, 3))
	for _, threshold := range []float64{0.7, 0.75, 0.8, 0.9, 1} {
		order := make([]uint32, coded.Len())
		for i, set := range rng.Perm(len(order)) {
			order[i] = uint32(set)
		}
		first := rng.IntN(len(order) / 4)
		stars, err := setjoin.Stars(t.Context(), coded, threshold, order, setjoin.StarOptions{First: first}, setjoin.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		of, err := few.Stars(t.Context(), threshold, order, first, Options{})
		if err != nil {
			t.Fatal(err)
		}
		others := 0
		for set, s := range stars {
			if s != of[set] {
				t.Errorf("%v: set %d is with %d, and by pairs with %d", threshold, set, s, of[set])
			}
			if of[set] != uint32(set) {
				others++
			}
		}
		if others < 50 && threshold < 0.8 {
			t.Errorf("%d sets are with others: too few for the test", others)
		}
		connected := ints.NewDisjointSets(len(order))
		err = setjoin.Pairs(t.Context(), coded, threshold, setjoin.Options{}, func(pairs []setjoin.Pair) error {
			for _, p := range pairs {
				connected.Union(p.A, p.B)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		components, err := few.Components(t.Context(), threshold, order, Options{})
		if err != nil || slices.ContainsFunc(order, func(set uint32) bool { return connected.Find(set) != connected.Find(components[set]) }) {
			t.Errorf("%v: other components, %v", threshold, err)
		}
		for at, set := range order { // the first of order stands for others
			if i := slices.Index(order, components[set]); i > at || components[components[set]] != components[set] {
				t.Errorf("%v: set %d is with %d", threshold, set, components[set])
			}
		}
	}
}
