package truth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The ends of Wilson's interval are, by definition, the shares that are z standard deviations away from the
// observed share. The test checks this definition, not the formula.
func TestWilson(t *testing.T) {
	for _, tt := range [][2]int{{0, 10}, {10, 10}, {5, 10}, {1, 1000}, {950, 1000}, {3, 7}} {
		r := NewRate(tt[0], tt[1])
		for _, end := range []float64{r.Low, r.High} {
			away, deviation := math.Abs(r.Share-end), math.Sqrt(end*(1-end)/float64(tt[1]))
			if end != 0 && end != 1 && math.Abs(away-z*deviation) > 1e-9 || r.Low > r.Share || r.High < r.Share {
				t.Errorf("%d of %d: %+v", tt[0], tt[1], r)
			}
		}
	}
	if r := NewRate(0, 10); r.Low != 0 || math.Abs(r.High-z*z/(10+z*z)) > 1e-12 {
		t.Errorf("none of ten: %+v", r)
	}
	if r := NewRate(0, 0); r.Low != 0 || r.High != 1 {
		t.Errorf("without trials: %+v", r)
	}
}

func TestMoments(t *testing.T) {
	var m Moments
	for _, p := range [][2]float64{{0, 1}, {1, 2}, {2, 3}} {
		m.Add(p[0], p[1])
	}
	if bias, deviation := m.Bias(); bias != 1 || deviation != 0 || m.RootMeanSquare() != 1 || math.Abs(m.Correlation()-1) > 1e-12 {
		t.Errorf("bias %v ± %v, error %v, correlation %v", bias, deviation, m.RootMeanSquare(), m.Correlation())
	}
}

// The variance of a ratio is that of groups drawn anew, and an interval of groups of equal pairs is one of groups.
func TestIntervalsOfGroups(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	var groups []Group
	for range 300 {
		near := 1 + r.IntN(6)
		right := r.IntN(near + 1)
		groups = append(groups, Group{found: right + r.IntN(2), near: near, right: right})
	}
	counts := func(i int) (int, int) { return groups[i].right, groups[i].near }
	var m Moments
	for range 4000 {
		right, near := 0, 0
		for range groups {
			g := groups[r.IntN(len(groups))]
			right, near = right+g.right, near+g.near
		}
		m.Add(0, float64(right)/float64(near))
	}
	_, within := m.Bias()
	deviation := within / z * math.Sqrt(float64(m.N))
	if got := math.Sqrt(ratioVariance(len(groups), counts)); math.Abs(got/deviation-1) > 0.08 {
		t.Errorf("a deviation of %v, that of drawing is %v", got, deviation)
	}
	// Forty groups, each of ten equal pairs, are forty pairs.
	ten := func(i int) (int, int) { return 10 * (i % 2), 10 }
	single := func(i int) (int, int) { return i % 2, 1 }
	a, b := groupedRate(40, ten), groupedRate(40, single)
	if a.Hits != 200 || a.Trials != 400 || math.Abs(a.Low-b.Low) > 1e-12 || math.Abs(a.High-b.High) > 1e-12 {
		t.Errorf("groups of ten: %+v, of one: %+v", a, b)
	}
	all := groupedRate(20, func(int) (int, int) { return 5, 5 })
	if want := 1/(1+2*z*z/20) - 1.0/40; all.High != 1 || math.Abs(all.Low-want) > 1e-12 {
		t.Errorf("twenty groups without an error: %+v, want %v and more", all, want)
	}
	// A group with nearly all pairs is held to the others, and does not seem certain of itself.
	giant := groupedRate(11, func(i int) (int, int) {
		if i == 0 {
			return 500, 1000
		}
		return 2, 2
	})
	if !giant.TooFew() || !giant.Vague() || giant.String() != "520 of 1,020: too few groups" || giant.High < 0.95 {
		t.Errorf("a giant group: %+v, %v", giant, giant)
	}
	// Five groups of one pair each say little, and the figure is left out; of a thousand it is printed.
	if few := groupedRate(5, single); few.TooFew() || !few.Vague() || few.String() != "0–99.3 %" {
		t.Errorf("five groups: %+v, %v", few, few)
	}
	if many := groupedRate(1000, single); many.Vague() || many.String() != "50.0 % (45.6–54.4)" {
		t.Errorf("a thousand groups: %+v, %v", many, many)
	}
	if none := groupedRate(0, single); none.Low != 0 || none.High != 1 || none.Trials != 0 {
		t.Errorf("without groups: %+v", none)
	}
}

// Groups are the documents that near or found pairs join.
func TestGroupsOfPairs(t *testing.T) {
	t.Parallel()
	near := func(yield func(a, b uint32) bool) {
		for _, p := range [][2]uint32{{0, 1}, {0, 2}, {1, 2}, {5, 6}} {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
	found := []Found{{0, 1, 0, true}, {2, 3, 2, false}, {5, 6, 1, true}, {3, 4, 5, false}}
	if got, want := Groups(near, 7, found, 3), []Group{{found: 2, near: 3, right: 1}, {found: 1, near: 1, right: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := Groups(near, 7, found, 1), []Group{{found: 1, near: 3, right: 1}, {near: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
