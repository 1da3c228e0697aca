package explain

import (
	"errors"
	"math"
	"slices"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/preprocess"
)

func analyser(t *testing.T, change func(*analysis.Settings)) *analysis.Analysis {
	t.Helper()
	s := analysis.Classic()
	if change != nil {
		change(&s)
	}
	a, err := analysis.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestMeasures(t *testing.T) {
	analysis := analyser(t, func(s *analysis.Settings) { s.Language = "none" })
	for _, tt := range []struct {
		name, a, b      string
		cosine, jaccard float64
	}{
		{"equal", "one two", "two one", 1, 1},
		{"disjoint", "one", "two", 0, 0},
		{"three of five", "chair desk rug keyboard mouse", "chair rug keyboard", 3 / math.Sqrt(15), 0.6},
		{"weights count for the cosine alone", "a a a b", "a b b b", 6.0 / 10, 1},
		{"one empty", "a", "", 0, 0},
		{"both empty", "", "", 1, 1},
		{"equal signs", "👍", "👍", 1, 1},
	} {
		a, b := counted(analysis, []byte(tt.a)), counted(analysis, []byte(tt.b))
		if got := Cosine(a, b); math.Abs(got-tt.cosine) > 1e-12 || got != Cosine(b, a) {
			t.Errorf("%s: cosine %v, want %v", tt.name, got, tt.cosine)
		}
		for _, texts := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if c, err := Compare(analysis, Text{Text: []byte(texts[0])}, Text{Text: []byte(texts[1])}, 0); err != nil || c.Jaccard.Exact != tt.jaccard {
				t.Errorf("%s: Jaccard %v (%v), want %v", tt.name, c.Jaccard.Exact, err, tt.jaccard)
			}
		}
	}
}

// counted returns the features of a text, each with how often it occurs.
func counted(a *analysis.Analysis, text []byte) Features {
	var s analysis.Scratch
	a.Features(&s, text)
	return count(&s.Document, text)
}

func TestCompare(t *testing.T) {
	an := analyser(t, nil)
	text := func(id, text string) Text { return Text{ID: id, Text: []byte(text)} }
	c, err := Compare(an, text("A", "red red red green blue sky"), text("B", "red red green green grass"), 2)
	if err != nil {
		t.Fatal(err)
	}
	if c.A != (Side{"A", 6, 4, c.A.Fingerprint}) || c.B.Features != 5 || c.B.Distinct != 3 || c.Shared != 2 {
		t.Errorf("sides %+v %+v, %d shared", c.A, c.B, c.Shared)
	}
	if len(c.Differ) != c.Distance || !slices.IsSorted(c.Differ) {
		t.Errorf("distance %d, differing bits %v", c.Distance, c.Differ)
	}
	fpA, _ := fingerprint.Parse(c.A.Fingerprint, 64)
	fpB, _ := fingerprint.Parse(c.B.Fingerprint, 64)
	for _, bit := range c.Differ {
		fpA ^= 1 << bit
	}
	if fpA != fpB {
		t.Error("flipping the differing bits of one fingerprint does not give the other")
	}
	if want := []Weights{{"red", 3, 2}, {"green", 1, 2}}; !slices.Equal(c.Heaviest, want) {
		t.Errorf("heaviest shared %v, want %v", c.Heaviest, want)
	}
	if want := []Weights{{"blue", 1, 0}, {"grass", 0, 1}}; !slices.Equal(c.Differing, want) {
		t.Errorf("heaviest differing %v, want %v", c.Differing, want)
	}
	if c.AInB.Exact != 0.5 || c.BInA.Exact != 2.0/3 || math.Abs(c.AInB.Estimate-0.5) > 0.2 || c.BInA.Estimate < c.AInB.Estimate {
		t.Errorf("containment %+v and %+v", c.AInB, c.BInA)
	}
	if c.Jaccard.Exact != 0.4 || math.Abs(c.Jaccard.Estimate-0.4) > 4*c.JaccardError {
		t.Errorf("Jaccard %+v ± %v", c.Jaccard, c.JaccardError)
	}
}

// The fingerprint of a comparison must be the one that the analysis makes, and an index stores.
func TestCompareMakesTheSameFingerprint(t *testing.T) {
	text := []byte("some words and some more words, more or less")
	for _, bits := range []int{32, 64} {
		for _, weights := range []fingerprint.Weighting{fingerprint.TF, fingerprint.LogTF, fingerprint.Set} {
			a := analyser(t, func(s *analysis.Settings) { s.Bits, s.Weights, s.Hash = bits, weights, fingerprint.MD5 })
			var s analysis.Scratch
			want, _, err := a.Fingerprint(&s, text)
			if err != nil {
				t.Fatal(err)
			}
			side := Text{ID: "", Text: text}
			if c, err := Compare(a, side, side, 0); err != nil || c.A.Fingerprint != fingerprint.Format(want, bits) || c.Distance != 0 {
				t.Errorf("%d bits, weights %v: %s, want %s; %v", bits, weights, c.A.Fingerprint, fingerprint.Format(want, bits), err)
			}
		}
	}
}

func TestCompareErrors(t *testing.T) {
	a := analyser(t, func(s *analysis.Settings) { s.Weights = fingerprint.TFIDF })
	side := Text{ID: "", Text: []byte("some words")}
	if _, err := Compare(a, side, side, 0); !errors.Is(err, analysis.ErrNotLearnt) {
		t.Errorf("weights that have not been learnt: %v", err)
	}
}

// Texts without words are compared as wholes, and texts of stop words as far as fingerprints go.
func TestCompareTextsWithoutWords(t *testing.T) {
	a := analyser(t, func(s *analysis.Settings) { *s = analysis.Default() })
	for _, tt := range []struct {
		a, b         string
		near, cosine float64
	}{{"👍", "👍\n", 1, 1}, {"", " ", 1, 1}, {"👍", "👎", 0, 0}, {":-)", "words", 0, 0}, {"of the", "The (of)", 1, 1}, {"of the", "of a", 1.0 / 3, 0.5}} {
		c, err := Compare(a, Text{Text: []byte(tt.a)}, Text{Text: []byte(tt.b)}, 3)
		if err != nil || c.Jaccard.Exact != tt.near || math.Abs(c.Jaccard.Estimate-tt.near) > 0.1 || c.Cosine.Exact != tt.cosine || (c.Distance == 0) != (tt.cosine == 1) {
			t.Errorf("%q, %q: %+v, %v", tt.a, tt.b, c, err)
		}
	}
}

// Two texts of the same words in another order are equal as sets of words, and not as sets of shingles.
func TestGoldenWentToWork(t *testing.T) {
	for features, want := range map[string]struct {
		shared, all int
		distance    bool // the fingerprints differ
	}{"words": {5, 5, false}, "word:2": {3, 5, true}, "word:3": {2, 4, true}, "word:5": {0, 2, true}} {
		spec, err := preprocess.ParseFeatureSpec(features)
		if err != nil {
			t.Fatal(err)
		}
		an := analyser(t, func(s *analysis.Settings) { s.Language, s.Features = "none", spec })
		c, err := Compare(an, Text{ID: "a", Text: []byte("I went to work today.")}, Text{ID: "b", Text: []byte("Today I went to work.")}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if c.Shared != want.shared || c.Jaccard.Exact != float64(want.shared)/float64(want.all) || c.Distance > 0 != want.distance {
			t.Errorf("%s: %d shared, Jaccard %v, distance %d, want %d of %d", features, c.Shared, c.Jaccard.Exact, c.Distance, want.shared, want.all)
		}
	}
}

// What the measures are of is said only where it differs.
func TestWordsOfMeasures(t *testing.T) {
	leaves := analyser(t, func(s *analysis.Settings) { *s = analysis.Default(); s.Language = "en" })
	a, b := Text{Text: []byte("the lamp is nine")}, Text{Text: []byte("the lamp is ten")}
	for _, tt := range []struct {
		by   *analysis.Analysis
		a, b Text
		want string
	}{
		{leaves, a, b, "of distance and cosine: words without stop words; of Jaccard, A in B and B in A: words with stop words"},
		{leaves, Text{Text: []byte("lamp")}, Text{Text: []byte("ship")}, ""},
		{analyser(t, nil), a, b, ""},
	} {
		if c, err := Compare(tt.by, tt.a, tt.b, 3); err != nil || c.Words != tt.want {
			t.Errorf("%q, want %q (%v)", c.Words, tt.want, err)
		}
	}
}
