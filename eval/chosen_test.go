package eval

import (
	"fmt"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
	"simsearch/preprocess"
)

// finds reports whether a search finds a pair, by comparing it.
func (c *Collection) finds(best *chosen, a, b uint32) bool {
	if by := best.Predicate; by.BySets() {
		return len(c.Sets[a]) > 0 && c.jaccard(a, b) >= by.Threshold
	}
	return len(c.Sets[a]) > 0 && len(c.Sets[b]) > 0 && c.distance(a, b) <= best.Predicate.Distance
}

// The figures of a verdict are those of comparing all pairs, and no search of the same settings has a better F1,
// whether sets are searched or, since they are the truth itself, are not.
func TestVerdictEqualsCounting(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	shingles := analysis.Classic()
	shingles.Features, shingles.Language = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, preprocess.NoLanguage
	for _, o := range []LoadOptions{{Truth: "word:3"}, {Truth: "word:3", Settings: shingles}} {
		for _, labels := range [][][]string{nil, clusters} {
			o.Threads, o.Inputs = 2, "articles/"
			c := load(t, texts, labels, o)
			best, err := bestSearch(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			found, right, near := 0, 0, 0
			v := c.verdicts()
			for a := range uint32(c.Len()) {
				for b := a + 1; b < uint32(c.Len()); b++ {
					is, known := v.Judge(a, b)
					if !known {
						continue
					}
					finds := c.finds(best, a, b)
					if finds {
						found++
					}
					if is {
						near++
					}
					if finds && is {
						right++
					}
				}
			}
			p, r := best.Precision, best.Recall
			if p.Hits != right || r.Hits != right || p.Trials != found || r.Trials != near || len(best.found) != found || right == 0 {
				t.Errorf("%+v: %+v and %+v, want %d of %d and of %d", o, p, r, right, found, near)
			}
			itself := o.Settings == shingles && labels == nil
			want, _ := Recommend(allChoices(c, true), truth.Demands{})
			if most := best.Choice; best.other != nil && !itself {
				most = *best.other
				if want.F1 != most.F1 || best.F1 > want.F1 || most.Bytes <= best.Bytes || most.Precision.Low > p.High || most.Recall.Low > r.High {
					t.Errorf("%+v: %+v, beside %+v; want %v by %s", o, best.Choice, most, want.F1, want.Search)
				}
			} else if want.F1 != best.F1 {
				t.Errorf("%+v: F1 %v by %s, want %v by %s", o, best.F1, best.Search, want.F1, want.Search)
			}
			text := verdict(c, best)
			if len(text.Commands) != 2 || !strings.HasSuffix(text.Commands[0], " articles/") || text.Commands[1] != "simsearch pairs --index idx "+best.Search {
				t.Errorf("%+v", text)
			}
			says := fmt.Sprintf("It finds %d of the %d pairs that are near in truth, ", right, near)
			if itself {
				says = fmt.Sprintf("It prints all %d pairs that are near, and no other.", near)
			}
			if !strings.HasPrefix(text.Text[1], says) {
				t.Errorf("%q", text.Text[1])
			}
			if best.itself != itself {
				t.Errorf("%+v: the truth itself %v", o, best.itself)
			}
		}
	}
}

// A verdict on texts that have nothing in common says so, and one on a demand that nothing meets, too.
func TestVerdictsWithoutAChoice(t *testing.T) {
	t.Parallel()
	c := load(t, []string{"a b c d", "e f g h"}, nil, LoadOptions{Truth: "words"})
	if v := verdict(c, &chosen{}); len(v.Text) != 1 || v.Commands != nil || !strings.Contains(v.Text[0], "no recommendation") {
		t.Errorf("%+v", v)
	}
	verdictOf := func(choices []Choice, w truth.Demands) *report.Verdict {
		best, reached := Recommend(choices, w)
		return verdict(c, &chosen{Choice: best, reached: reached, wanted: w})
	}
	choices := []Choice{{Predicate: index.Within(3), Search: "--k 3", Precision: truth.NewRate(9, 10), Recall: truth.NewRate(9, 30), F1: 0.45}}
	if v := verdictOf(choices, truth.Demands{Recall: 0.9}); !strings.Contains(v.Text[0], "none that was tried has a recall of at least 0.90") || !strings.Contains(v.Commands[0], "INPUT") || !strings.Contains(v.Text[1], "Of the 10 pairs that it finds, 1 is not near, 10.0 %") {
		t.Errorf("%+v", v)
	}
	if v := verdictOf(choices, truth.Demands{Precision: 0.8, Recall: 0.2}); !strings.Contains(v.Text[0], "the best F1 among those with a precision of at least 0.80 and a recall of at least 0.20") {
		t.Errorf("%+v", v)
	}
}
