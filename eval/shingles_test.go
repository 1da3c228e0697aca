package eval

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"simsearch/preprocess"
)

// The probabilities are those of counting: a document of a shingle has one of 27^k, and one of many has
// nearly as many of them as it has shingles.
func TestProbabilityOfAShingle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		characters float64
		k, n       int
		want       float64
	}{
		{27, 1, 1, 1. / 27}, {2, 2, 2, 1 - 9./16}, {20, 3, 0, 0}, {27, 5, 1000, 1000 / math.Pow(27, 5)}, {27, 9, 10_000, 1e4 / math.Pow(27, 9)}, {20, 2, 1 << 20, 1},
	} {
		if got := inDocument(tt.characters, tt.k, tt.n); math.Abs(got-tt.want) > 1e-4*tt.want {
			t.Errorf("%v characters, shingles of %d, %d of them: %v, want %v", tt.characters, tt.k, tt.n, got, tt.want)
		}
	}
}

// In texts of equally likely letters, what is measured is what the formula says.
func TestShinglesOfRandomLetters(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijklmnopqrst" // twenty
	r := rand.New(rand.NewPCG(6, 2))
	var texts []string
	for range 60 {
		var b strings.Builder
		for range 400 {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		texts = append(texts, b.String())
	}
	c := load(t, texts, nil, LoadOptions{Truth: "char:5"})
	docs, bodies := drawTexts(c)
	if len(docs) != len(texts) {
		t.Fatalf("%d documents", len(docs))
	}
	for _, k := range []int{2, 3, 4} {
		l := shingleLength{features: preprocess.FeatureSpec{Kind: preprocess.CharN, N: k}}
		if err := measureShingles(t.Context(), c, &l, docs, bodies); err != nil {
			t.Fatal(err)
		}
		// About 60·399 shingles are looked for.
		deviation := math.Sqrt(l.by20 * (1 - l.by20) / (60 * 399))
		if l.pairs != 60 || math.Abs(l.measured-l.by20) > 6*deviation+0.05*l.by20 {
			t.Errorf("shingles of %d: measured %.5f of %d pairs, by the formula %.5f", k, l.measured, l.pairs, l.by20)
		}
	}
}

// The advice is the first length whose measured probability is small.
func TestAdviceOnShingles(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Threads: 2})
	s, err := shingles(t.Context(), c)
	if err != nil || len(s.Tables) != 1 || len(s.Text) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	last := map[byte]float64{}
	for _, l := range shingleLengths() {
		docs, bodies := drawTexts(c)
		if err := measureShingles(t.Context(), c, &l, docs, bodies); err != nil {
			t.Fatal(err)
		}
		name := l.features.String()
		before, ok := last[name[0]]
		if named := strings.Contains(s.Text[0], " "+name+" (") && !strings.Contains(s.Text[0], "up to "+name+" ("); named != (l.measured <= likelyShingle && (!ok || before > likelyShingle)) {
			t.Errorf("%s, measured %v after %v: named %v in %s", name, l.measured, before, named, s.Text[0])
		}
		if ok && l.measured > before {
			t.Errorf("%s: %v, more than shorter ones with %v", name, l.measured, before)
		}
		last[name[0]] = l.measured
	}
	if got := adviseLength([]shingleLength{{features: preprocess.FeatureSpec{Kind: preprocess.CharN, N: 2}, by27: 1, measured: 1}, {features: preprocess.FeatureSpec{Kind: preprocess.WordN, N: 1}, measured: 0.25}}, 3); !strings.Contains(got, "none up to char:2 (1)") || !strings.Contains(got, "none up to word:1 (0.25)") || strings.Contains(got, "would do") {
		t.Error(got)
	}
	one := load(t, texts[:1], nil, LoadOptions{})
	if s, err := shingles(t.Context(), one); err != nil || len(s.Tables) != 0 || len(s.Text) != 1 {
		t.Errorf("one document: %+v, %v", s, err)
	}
}
