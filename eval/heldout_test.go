package eval

import (
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/quality/truth"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// A heldOut is a collection whose halves are measured against each other.
type heldOut struct {
	name, labels, features string
	small                  bool // measured in every run of the tests
}

var heldOutCollections = []heldOut{
	{"bln600-ocr", "pairs.jsonl", "words", true}, {"clough-stevenson", "pairs.jsonl", "word:3", true}, {"debian-copyright", "clusters.jsonl", "word:3", true},
	{"er-cora", "pairs.jsonl", "char:4", true}, {"er-dblp-acm", "pairs.jsonl", "char:4", true}, {"irplag-java", "pairs.jsonl", "word:3", true}, {"sms-spam", "", "words", true}, {"scancode-licenses", "clusters.jsonl", "word:3", false},
	{"spdx-licenses", "clusters.jsonl", "word:3", true}, {"scoop-news", "clusters.jsonl", "word:3", true}, {"asysd-diabetes", "", "word:3", true},
	{"react-native-docs", "clusters.jsonl", "word:3", false}, {"powershell-docs", "clusters.jsonl", "word:3", false}, {"reuters21578", "", "word:3", false}, {"er-cddb", "pairs.jsonl", "char:4", false},
	{"ota-terms", "clusters.jsonl", "word:3", false}, {"bible-chapters", "clusters.jsonl", "word:3", false}, {"tldr-pages", "", "word:3", false}, {"aclimdb", "", "word:3", false}, {"gesetze-de", "", "word:3", false},
}

// What is recommended on one half of a collection, drawn at random, has on the other half a precision and a recall
// within the range that is printed in 85 % of cases, and within 3 points of the figure, where one is printed, in 80
// %. Each setting of a collection is a case: its best search on the first half. SIMSEARCH_HELD_OUT=1 takes all
// collections, and names with commas between take these.
//
// What remains outside is mostly of one kind: the best of many searches is partly so by chance, so that precision
// falls on the other half (bln600-ocr, 20 near pairs in a half). Records of one thing in few large clusters, of which
// each half has others (er-cora), have too few groups for a range.
//
// Measured on the small collections: 97.7 % within, and 90.1 % of 121 figures within 3 points; on react-native-docs,
// powershell-docs, reuters21578, er-cddb, ota-terms and tldr-pages: 97.5 %, and 83.9 % of 217; on scancode-licenses,
// bible-chapters, gesetze-de and aclimdb: 96.4 % of 111, and 82.5 % of 97. So all collections have been measured.
// Figures by labels of powershell-docs and ota-terms are within 3 points in two of three cases alone, and so are
// those by similarity of bible-chapters, 25 of 41: many of its pairs lie at the border of what is near, and a half
// has others. Taken alone, it fails. One of two figures of gesetze-de is within 3 points, and all 34 of aclimdb.
// scancode-licenses has no figure: in all of 86 cases too few groups have most of the pairs.
func TestAdviceHoldsOnOtherTexts(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "real collections")
	var names []string
	for _, h := range heldOutCollections {
		names = append(names, h.name)
	}
	dir := testkit.Dev(t, names...)
	cases, within, figures, near, none := 0, 0, 0, 0, 0
	for _, h := range heldOutCollections {
		if chosen := os.Getenv("SIMSEARCH_HELD_OUT"); chosen == "" && !h.small || chosen != "" && chosen != "1" && !slices.Contains(strings.Split(chosen, ","), h.name) {
			continue
		}
		truths := []string{""}
		if h.labels != "" {
			truths = append(truths, h.labels)
		}
		for _, labels := range truths {
			var n, in, exact, by3, few int
			halves := halves(jsonLines(t, filepath.Join(dir, h.name, "docs.jsonl")), 20)
			var measured [2]*adviser
			for side, half := range halves {
				measured[side] = heldOutHalf(t, half, h, filepath.Join(dir, h.name), labels)
			}
			if measured[0] == nil || measured[1] == nil {
				t.Logf("%s %s: no near pairs in a half", h.name, labels)
				continue
			}
			ways := map[string][]Choice{}
			for _, c := range measured[0].choices {
				ways[c.Flags] = append(ways[c.Flags], c)
			}
			for _, choices := range ways {
				best, ok := Recommend(choices, truth.Demands{})
				if !ok {
					continue
				}
				by := best.Predicate
				p, r, err := Judge(t.Context(), measured[1].c, best.Settings, by)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range [][2]truth.Rate{{best.Precision, p}, {best.Recall, r}} {
					if x[1].Trials == 0 {
						continue
					}
					if x[0].TooFew() {
						few++
						continue
					}
					n++
					if x[0].Low <= x[1].Share && x[1].Share <= x[0].High {
						in++
					} else if testing.Verbose() {
						t.Logf("%s %s, %s %s: %v, and %v on the other half", h.name, labels, best.Flags, best.Search, x[0], x[1])
					}
					if x[0].Vague() {
						continue
					}
					exact++
					if math.Abs(x[0].Share-x[1].Share) <= 0.03 {
						by3++
					}
				}
			}
			t.Logf("%s %s: %d of %d within the range, %d of %d figures within 3 points, %d of too few groups", h.name, labels, in, n, by3, exact, few)
			cases, within, figures, near, none = cases+n, within+in, figures+exact, near+by3, none+few
		}
	}
	t.Logf("all: %d of %d within the range (%.1f %%), %d of %d figures within 3 points (%.1f %%), %d of too few groups", within, cases, 100*float64(within)/float64(cases), near, figures, 100*float64(near)/float64(figures), none)
	if cases == 0 || float64(within)/float64(cases) < 0.85 {
		t.Errorf("%d of %d figures are within the range that was printed", within, cases)
	}
	if figures == 0 || float64(near)/float64(figures) < 0.8 {
		t.Errorf("%d of %d figures that were printed are within 3 points", near, figures)
	}
}

// heldOutHalf measures all settings on texts, or returns nil if none of them are near.
func heldOutHalf(t *testing.T, texts iter.Seq2[*document.Document, error], h heldOut, dir, labels string) *adviser {
	t.Helper()
	c, err := Load(t.Context(), texts, LoadOptions{Settings: analysis.Classic(), Truth: h.features, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if labels != "" {
		file, err := os.Open(filepath.Join(dir, labels))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := c.Judge(file); err != nil {
			if strings.Contains(err.Error(), truth.ErrLabels.Error()) {
				return nil
			}
			t.Fatal(err)
		}
	}
	var tries []analysis.Settings
	for _, weights := range []fingerprint.Weighting{fingerprint.TF, fingerprint.LogTF, fingerprint.TFIDF, fingerprint.Set} {
		s := analysis.Classic()
		s.Weights = weights
		tries = append(tries, s)
	}
	for _, f := range []preprocess.FeatureSpec{{Kind: preprocess.WordN, N: 2}, {Kind: preprocess.WordN, N: 3}, {Kind: preprocess.CharN, N: 5}} {
		s := analysis.Classic()
		s.Weights, s.Features = fingerprint.Set, f
		tries = append(tries, s)
	}
	a := newAdviser(c, AdviceOptions{Tries: tries, AnyLanguage: true})
	if a.verdicts.Near == 0 {
		return nil
	}
	if err := a.try(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// halves divides documents by chance into two.
func halves(documents iter.Seq2[*document.Document, error], seed uint64) (out [2]iter.Seq2[*document.Document, error]) {
	for i := range out {
		out[i] = func(yield func(*document.Document, error) bool) {
			r := rand.New(rand.NewPCG(seed, 1))
			for d, err := range documents {
				if r.IntN(2) == i && !yield(d, err) {
					return
				}
			}
		}
	}
	return out
}
