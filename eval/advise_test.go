package eval

import (
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

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
	testkit.Long(t, "each choice is compared with the whole")
	texts, clusters := generated()
	texts = append(texts, texts[3], texts[3], "the of and", "the of and") // equal texts, and stop words alone
	for _, labels := range [][][]string{nil, clusters} {
		byIndex := map[analysis.Settings][]Choice{}
		near := 0
		for _, s := range triedSettings() {
			c := load(t, texts, labels, LoadOptions{Settings: s, Truth: "word:3", Threads: 2})
			near = c.Truth.Near
			byIndex[s] = allChoices(c, true)
		}
		for _, wanted := range []truth.Demands{{}, {Precision: 0.9}, {Recall: 0.99}, {Precision: 0.999, Recall: 0.999}} {
			c := load(t, texts, labels, LoadOptions{Truth: "word:3", Threads: 2})
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
		c := load(t, texts, nil, LoadOptions{Truth: "word:3", Threads: threads})
		s := analysis.Classic()
		s.Features = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
		r, err := Advise(t.Context(), c, AdviceOptions{Tries: append(triedSettings(), s), AnyLanguage: true, Own: &own, OwnWith: s, OwnFlags: "--jaccard 0.7"})
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, written(t, r))
	}
	if pages[0] != pages[1] {
		t.Error("the advice depends on the number of threads")
	}
	for _, want := range []string{"What was tried", "The best of each way", "count groups of documents", "--lang none", "it is what near means here", "Your own choice, --jaccard 0.7, has a precision of ", "Length of shingles"} {
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
		c := load(t, tt.texts, nil, LoadOptions{Truth: "word:3"})
		if got := strings.Join(languagesOf(c), " "); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.texts[0], got, tt.want)
		}
	}
}
