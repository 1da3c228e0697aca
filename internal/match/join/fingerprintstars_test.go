package join

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/ints"
	"simsearch/internal/tests/testkit"
	"simsearch/tables"
)

// Stars and components are what comparing each fingerprint with each finds, whether pairs are listed or not.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bits, n int
		ks      []int
	}{
		"tiny universe":  {5, 25, []int{0, 1, 2, 3, 7, 63, 64}}, // ties everywhere
		"small universe": {12, testkit.Of(500, 1500), []int{0, 1, 2, 3, 12}},
		"crowd":          {13, testkit.Of(2500, 5000), []int{1, 3}}, // several blocks and levels
		"families":       {64, testkit.Of(1000, 4500), []int{0, 3, 8}},
		"one":            {64, 1, []int{3}},
		"none":           {64, 0, []int{3}},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(c.bits)))
		of := madeFingerprints(rng, c.bits, c.n)
		order := make([]uint32, len(of))
		for i, x := range rng.Perm(len(of)) {
			order[i] = uint32(x)
		}
		f := NewFingerprints(of, 64)
		for _, k := range c.ks {
			chained := comparedComponents(of, order, k)
			for _, threads := range []int{1, 3} {
				o := Options{Threads: threads}
				listed, err := NewGrouper(t.Context(), f, SimilarityAt(k, 64), o)
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range []*Grouper{listed, {relation: f}} {
					got, err := g.Components(t.Context(), SimilarityAt(k, 64), order, o)
					if err != nil || !slices.Equal(got, chained) {
						t.Errorf("%s, k = %d, %d threads, few %v: %v; other components", name, k, threads, g.Few(), err)
					}
					for _, first := range []int{0, c.n / 3} {
						got, err := g.Stars(t.Context(), SimilarityAt(k, 64), order, first, o)
						if err != nil || !slices.Equal(got, comparedStars(of, order, first, k)) {
							t.Errorf("%s, k = %d, the first %d, %d threads, few %v: %v; other stars", name, k, first, threads, g.Few(), err)
						}
					}
				}
			}
		}
	}
}

// Fingerprints of different classes are in different stars, the same whether pairs are listed or not.
func TestClassesOfFingerprints(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(5, 7)), 12, 1000)
	order, class := make([]uint32, len(of)), make([]uint64, len(of))
	for i := range order {
		order[i], class[i] = uint32(i), uint64(i%3)
	}
	f := NewFingerprints(of, 64)
	listed, err := NewGrouper(t.Context(), f, SimilarityAt(2, 64), Options{Threads: 2})
	if err != nil || !listed.Few() {
		t.Fatal(listed.Few(), err)
	}
	looked := &Grouper{relation: f}
	listed.Divide(class)
	looked.Divide(class)
	want, err := listed.Stars(t.Context(), SimilarityAt(2, 64), order, 9, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := looked.Stars(t.Context(), SimilarityAt(2, 64), order, 9, Options{Threads: 2})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v; other stars where pairs are not listed", err)
	}
	for i, center := range got {
		if class[i] != class[center] {
			t.Fatalf("%d of class %d belongs to %d", i, class[i], center)
		}
	}
}

// Pairs within a larger distance answer for all smaller ones.
func TestFewFingerprintsAtSmallerDistances(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(5, 6)), 13, 1000)
	order := make([]uint32, len(of))
	for i := range order {
		order[i] = uint32(i)
	}
	few, err := NewGrouper(t.Context(), NewFingerprints(of, 64), SimilarityAt(5, 64), Options{Threads: 2})
	if err != nil || !few.Few() {
		t.Fatal(few.Few(), err)
	}
	for k := range 6 {
		got, err := few.Stars(t.Context(), SimilarityAt(k, 64), order, 0, Options{})
		if err != nil || !slices.Equal(got, comparedStars(of, order, 0, k)) {
			t.Errorf("other stars within %d; %v", k, err)
		}
	}
}

// A crowd has too many pairs to list, and its stars and components are found all the same.
func TestFingerprintsOfACrowd(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(7, 8)), 15, 1<<15)
	order := make([]uint32, len(of))
	for i := range order {
		order[i] = uint32(i)
	}
	f, err := NewGrouper(t.Context(), NewFingerprints(of, 64), SimilarityAt(3, 64), Options{Threads: 2})
	if err != nil || f.Few() {
		t.Fatalf("%v, %v; want that there are too many pairs", f.Few(), err)
	}
	one, err := f.Components(t.Context(), SimilarityAt(3, 64), order, Options{Threads: 2})
	if err != nil || slices.Max(one) != 0 {
		t.Errorf("%v; all are connected", err)
	}
	got, err := f.Stars(t.Context(), SimilarityAt(3, 64), order, 0, Options{Threads: 2})
	if err != nil || !slices.Equal(got, comparedStars(of, order, 0, 3)) {
		t.Errorf("%v; other stars", err)
	}
}

func TestFingerprintsStop(t *testing.T) {
	t.Parallel()
	of := madeFingerprints(rand.New(rand.NewPCG(7, 8)), 64, 5000)
	order := make([]uint32, len(of))
	for i := range order {
		order[i] = uint32(i)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	f := Grouper{relation: NewFingerprints(of, 64)}
	_, a := NewGrouper(ctx, f.relation, SimilarityAt(3, 64), Options{Threads: 2})
	_, b := f.Stars(ctx, SimilarityAt(3, 64), order, 0, Options{Threads: 2})
	_, c := f.Components(ctx, SimilarityAt(3, 64), order, Options{Threads: 2})
	for _, err := range []error{a, b, c} {
		if !errors.Is(err, stop) {
			t.Errorf("%v, want the cause", err)
		}
	}
}

// GroupFingerprints finds the groups that comparing each fingerprint with each finds. Equal documents are in one group.
func TestGroupFingerprints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bits, n, width int
		ks             []int
		pictures       imagehash.Kind
	}{
		"small universe": {9, testkit.Of(300, 700), 64, []int{-1, 0, 1, 2, 9}, 0}, // equals and ties everywhere
		"crowd":          {12, testkit.Of(1000, 3000), 12, []int{3, 5}, 0},        // at 5, too many pairs to list
		"families":       {64, testkit.Of(500, 2000), 64, []int{0, 3, 8}, 0},
		"pictures":       {16, testkit.Of(500, 2000), 64, []int{0, 2, 12}, imagehash.DCT}, // turned ones everywhere; at 12, a crowd
		"none":           {64, 0, 64, []int{3}, 0},
	} {
		rng := rand.New(rand.NewPCG(3, uint64(c.bits)))
		fps := madeFingerprints(rng, c.bits, min(c.n, 1<<c.bits))
		for len(fps) > 0 && len(fps) < c.n+c.n/5 {
			fps = append(fps, fps[rng.IntN(len(fps))])
		}
		rng.Shuffle(len(fps), func(i, j int) { fps[i], fps[j] = fps[j], fps[i] })
		var docs []uint32
		var values []uint64
		for doc, x := range fps {
			if doc%10 < 9 { // the others have none
				docs, values = append(docs, uint32(doc)), append(values, x)
			}
		}
		words := 1
		if c.pictures != 0 {
			words, values = 2, withBorders(rng, values)
		}
		groups := tables.Group(values, words, docs)
		for _, k := range c.ks {
			for _, chain := range []bool{false, true} {
				want := comparedDocuments(groups, len(fps), k, chain, c.pictures)
				for _, threads := range []int{1, 3} {
					all := Grouped(&groups)
					if threads == 3 && words == 1 {
						all = withoutDocuments(&groups, c.width)
					}
					g, err := GroupFingerprints(t.Context(), len(fps), all, c.width, k, chain, Options{Threads: threads, PairsInMemory: threads - 1, Pictures: c.pictures})
					got := slices.Collect(func(yield func(uint32) bool) {
						for doc := uint32(0); int(doc) < len(fps) && yield(doc); doc++ {
						}
					})
					for place, representative := range g.Of {
						got[g.Document(uint32(place))] = g.Document(representative)
					}
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%s, k = %d, chain %v, %d threads: %v; other groups", name, k, chain, threads, err)
					}
				}
			}
		}
	}
}

// GroupFingerprints ends with its context.
func TestGroupFingerprintsEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	rng := rand.New(rand.NewPCG(3, 3))
	values := madeFingerprints(rng, 64, 5000)
	docs := make([]uint32, len(values))
	for i := range docs {
		docs[i] = uint32(i)
	}
	groups := tables.Group(values, 1, docs)
	if _, err := GroupFingerprints(ctx, len(values), Grouped(&groups), 64, 3, false, Options{Threads: 2}); !errors.Is(err, cause) {
		t.Errorf("%v, want the cause", err)
	}
}

// withoutDocuments returns groups with as many fingerprints more that have no documents.
func withoutDocuments(groups *tables.Groups, width int) FingerprintGroups {
	values := slices.Clone(groups.Values)
	for _, x := range groups.Values {
		values = append(values, x^1, x^1<<(width-1))
	}
	slices.Sort(values)
	values = slices.Compact(values)
	return FingerprintGroups{Values: values, Groups: func(yield func(uint32, []uint32) bool) {
		for g, x := range values {
			var members []uint32
			if at, is := slices.BinarySearch(groups.Values, x); is {
				members = groups.Members(uint32(at))
			}
			if !yield(uint32(g), members) {
				return
			}
		}
	}}
}

// comparedDocuments compares each fingerprint with each, and returns the representative of each document.
func comparedDocuments(groups tables.Groups, documents, k int, chain bool, pictures imagehash.Kind) []uint32 {
	n, of := len(groups.Ends)-1, func(g uint32) []uint64 { return groups.Values[g : g+1] }
	if pictures != 0 {
		of = func(g uint32) []uint64 { return groups.Values[2*g:][:2] }
	}
	first := func(g uint32) uint32 { return groups.Members(g)[0] }
	near := func(a, b uint32) bool { return pictures.Distance(of(a), of(b)) <= k }
	order, degrees := make([]uint32, n), make([]int, n)
	for a := range uint32(n) {
		order[a], degrees[a] = a, len(groups.Members(a))-2 // without itself
		for b := range uint32(n) {
			if near(a, b) {
				degrees[a]++
			}
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(degrees[b], degrees[a]), cmp.Compare(first(a), first(b)))
	})
	representatives := make([]uint32, documents)
	for doc := range representatives {
		representatives[doc] = uint32(doc)
	}
	var centers []uint32
	component := map[uint32]uint32{}
	for _, g := range order {
		center, best := g, k+1
		for _, c := range centers {
			d := pictures.Distance(of(c), of(g))
			if d < best || d == best && d <= k && first(c) < first(center) {
				center, best = c, d
			}
		}
		if center == g {
			centers = append(centers, g)
		}
		if _, ok := component[g]; !ok && chain {
			component[g] = g
			for next := []uint32{g}; len(next) > 0; next = next[1:] {
				for other := range uint32(n) {
					if _, ok := component[other]; !ok && near(next[0], other) {
						component[other] = g
						next = append(next, other)
					}
				}
			}
		}
		if chain {
			center = component[g]
		}
		for _, doc := range groups.Members(g) {
			if k >= 0 {
				representatives[doc] = first(center)
			}
		}
	}
	return representatives
}

func TestSimilarityAtIsExact(t *testing.T) {
	for _, bits := range []int{32, 64, 128, 256} {
		for d := range bits + 1 {
			if got := DistanceAt(SimilarityAt(d, bits), bits); got != d {
				t.Errorf("distance %d of %d bits comes back as %d", d, bits, got)
			}
		}
	}
}

// madeFingerprints returns distinct numbers of up to so many bits, many of which are near others.
func madeFingerprints(rng *rand.Rand, width, n int) (of []uint64) {
	known := map[uint64]bool{}
	for len(of) < n {
		x := rng.Uint64()
		if len(of) > 0 && rng.IntN(2) == 0 {
			x = of[rng.IntN(len(of))]
			for range rng.IntN(6) {
				x ^= 1 << rng.IntN(width)
			}
		}
		if x &= 1<<width - 1; !known[x] {
			known[x] = true
			of = append(of, x)
		}
	}
	return of
}

// comparedStars compares each fingerprint with all centers before it.
func comparedStars(of []uint64, order []uint32, first, k int) []uint32 {
	stars := make([]uint32, len(of))
	var centers []uint32
	for at, number := range order {
		best, center := k+1, number
		for _, c := range centers {
			if d := bits.OnesCount64(of[c] ^ of[number]); at >= first && d < best {
				best, center = d, c
			}
		}
		if stars[number] = center; center == number {
			centers = append(centers, number)
		}
	}
	return stars
}

// comparedComponents compares each fingerprint with each.
func comparedComponents(of []uint64, order []uint32, k int) []uint32 {
	connected := ints.NewDisjointSets(len(of)) // of places
	for a := range order {
		for b := range order[:a] {
			if bits.OnesCount64(of[order[a]]^of[order[b]]) <= k {
				connected.Union(uint32(a), uint32(b))
			}
		}
	}
	components := make([]uint32, len(of))
	for place, number := range order {
		components[number] = order[connected.Find(uint32(place))]
	}
	return components
}
