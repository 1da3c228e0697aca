package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/analysis"
	"simsearch/internal/index"
	"simsearch/preprocess"
)

// inMemory returns texts as a collection without an index, with labels if there are clusters.
func inMemory(t *testing.T, texts []string, clusters [][]string, o LoadOptions) *Collection {
	t.Helper()
	if o.Settings.Bits == 0 {
		o.Settings = analysis.Classic()
	}
	c, err := Load(t.Context(), documents(texts), o)
	if err != nil {
		t.Fatal(err)
	}
	if clusters != nil {
		var lines bytes.Buffer
		for _, cluster := range clusters {
			if err := json.NewEncoder(&lines).Encode(map[string]any{"cluster": cluster}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Judge(&lines); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func triedSettings() (out []analysis.Settings) {
	for _, weights := range []fingerprint.Weighting{fingerprint.TF, fingerprint.LogTF, fingerprint.TFIDF, fingerprint.Set} {
		s := analysis.Classic()
		s.Weights = weights
		out = append(out, s)
	}
	for _, n := range []int{2, 5} {
		s := analysis.Classic()
		s.Weights, s.Features = fingerprint.Set, preprocess.FeatureSpec{Kind: preprocess.CharN, N: n}
		out = append(out, s)
	}
	return out
}

// What is measured is what comparing all pairs by an index measures, and the best of each way is the same.
func TestAdviceIsThatOfAllPairs(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	texts = append(texts, texts[3], texts[3], "the of and", "the of and") // equal texts, and stop words alone
	for i, labels := range [][][]string{nil, clusters, nil, clusters} {
		sample := i / 2 * len(texts) / 3
		byIndex := map[analysis.Settings][]Choice{}
		near := 0
		for _, s := range triedSettings() {
			c := load(t, texts, labels, LoadOptions{Settings: s, Truth: "word:3", Threads: 2, Sample: sample})
			near = c.Truth.Near
			byIndex[s] = allChoices(c, true)
		}
		for _, wanted := range []Demands{{}, {Precision: 0.9}, {Recall: 0.99}, {Precision: 0.999, Recall: 0.999}} {
			c := inMemory(t, texts, labels, LoadOptions{Truth: "word:3", Threads: 2, Sample: sample})
			a := newAdviser(c, AdviceOptions{Tries: triedSettings(), Wanted: wanted})
			if err := a.try(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, s := range triedSettings() {
				want := byIndex[s]
				if c.Truth.Near != near {
					t.Fatalf("%d pairs are near, want %d", c.Truth.Near, near)
				}
				for _, flags := range []string{fingerprintFlags(s), setFlags(s)} {
					of := func(all []Choice) []Choice {
						return slices.DeleteFunc(slices.Clone(all), func(x Choice) bool { return x.Flags != flags })
					}
					got := of(a.choices)
					for _, choice := range got {
						at := slices.IndexFunc(of(want), func(x Choice) bool { return x.Search == choice.Search })
						if at < 0 || of(want)[at].Precision.Hits != choice.Precision.Hits || of(want)[at].Precision.Trials != choice.Precision.Trials || of(want)[at].Recall.Trials != choice.Recall.Trials {
							t.Errorf("%s %s: %+v, want %+v", flags, choice.Search, choice, of(want))
						}
					}
					best, ok := Recommend(got, wanted)
					wantBest, wantOK := Recommend(of(want), wanted)
					if ok != wantOK || ok && best.F1 != wantBest.F1 {
						t.Errorf("%s, %+v: the best is %s with %v, want %s with %v", flags, wanted, best.Search, best.F1, wantBest.Search, wantBest.F1)
					}
				}
			}
		}
	}
}

// A report names a choice, the stop words of the texts and none, and says what it is of.
func TestAdvise(t *testing.T) {
	t.Parallel()
	texts, _ := generated()
	own := index.Similar(0.7)
	var pages []string
	for _, threads := range []int{1, 3} {
		c := inMemory(t, texts, nil, LoadOptions{Truth: "word:3", Threads: threads})
		s := analysis.Classic()
		s.Features = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
		r, err := Advise(t.Context(), c, AdviceOptions{Tries: append(triedSettings(), s), AnyLanguage: true, Own: &own, OwnWith: s, OwnFlags: "--jaccard 0.7"})
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := r.WriteText(&page); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page.String())
	}
	if pages[0] != pages[1] {
		t.Error("the advice depends on the number of threads")
	}
	for _, want := range []string{"What was tried", "The best of each way", "count groups of documents", "--lang none", "finds the truth itself", "Your own choice, --jaccard 0.7, has a precision of ", "Length of shingles"} {
		if !strings.Contains(pages[0], want) {
			t.Errorf("%q is not in\n%s", want, pages[0])
		}
	}
}

// The language is that of most texts, and there is none if the texts are of no language.
func TestLanguagesOfTexts(t *testing.T) {
	t.Parallel()
	en := "the cat and the dog are in the house of my father, and they were not there when we came"
	de := "der Hund und die Katze sind in dem Haus meines Vaters, und sie waren nicht da, als wir kamen"
	for _, tt := range []struct {
		texts []string
		want  string
	}{{[]string{en, en, en}, "en none"}, {[]string{de, de}, "de none"}, {[]string{en, de}, "auto none"}, {[]string{"xq zzt", "qqw 77"}, "none"}} {
		c := inMemory(t, tt.texts, nil, LoadOptions{Truth: "word:3"})
		if got := strings.Join(languagesOf(c), " "); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.texts[0], got, tt.want)
		}
	}
}

// The variance of a ratio is that of groups drawn anew, and an interval of groups of equal pairs is one of groups.
func TestIntervalsOfGroups(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	var groups []grouped
	for range 300 {
		near := 1 + r.IntN(6)
		right := r.IntN(near + 1)
		groups = append(groups, grouped{found: right + r.IntN(2), near: near, right: right})
	}
	counts := func(i int) (int, int) { return groups[i].right, groups[i].near }
	var m moments
	for range 4000 {
		right, near := 0, 0
		for range groups {
			g := groups[r.IntN(len(groups))]
			right, near = right+g.right, near+g.near
		}
		m.add(0, float64(right)/float64(near))
	}
	deviation := m.deviation()
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
	c := inMemory(t, []string{"a", "b", "c", "d", "e", "f", "g"}, [][]string{{"d0", "d1", "d2"}, {"d5", "d6"}}, LoadOptions{Truth: "words"})
	v := c.verdicts()
	found := []foundPair{{0, 1, 0, true}, {2, 3, 2, false}, {5, 6, 1, true}, {3, 4, 5, false}}
	if got, want := v.groups(7, found, 3), []grouped{{found: 2, near: 3, right: 1}, {found: 1, near: 1, right: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := v.groups(7, found, 1), []grouped{{found: 1, near: 3, right: 1}, {near: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
