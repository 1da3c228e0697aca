package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/files/document"
	"simsearch/preprocess"
)

// ofGrams returns an analysis whose sets have the 5-grams of characters, or the rare ones alone.
func ofGrams(t *testing.T, rare bool) *Analysis {
	t.Helper()
	s := Default()
	s.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.CharN, N: preprocess.RareN, Rare: rare}
	a, err := New(s.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func randomText(r *rand.Rand, letters int) []byte {
	text := make([]byte, letters)
	for i := range text {
		text[i] = "etaoin shrdlu cmfwyp"[r.IntN(20)]
	}
	return text
}

// learnt returns a with the weights that it learns from texts.
func learnt(t *testing.T, a *Analysis, texts ...string) *Analysis {
	t.Helper()
	if !a.Learns() {
		t.Fatal("there is nothing to learn")
	}
	var l fingerprint.IDFLearner
	defer func() { _ = l.Close() }()
	err := a.Learn(t.Context(), func(yield func(*document.Document, error) bool) {
		for _, text := range texts {
			if !yield(&document.Document{Text: []byte(text)}, nil) {
				return
			}
		}
	}, 2, &l)
	if err != nil {
		t.Fatal(err)
	}
	model, err := l.IDF(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a.WithIDF(model)
}

const commonWords = " and the other one of them that is not for all with the same"

func TestRareSetsEqualReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := ofGrams(t, false)
	var s Scratch
	var texts []string
	counts := map[uint64]uint64{} // the documents that have a feature
	for i := range 400 {
		texts = append(texts, string(randomText(r, 200))+commonWords[:i%len(commonWords)])
		for _, h := range all.Set(&s, []byte(texts[i])) {
			counts[h]++
		}
	}
	// The weights are 1 + log2((N + 1) / (n + 1)) in fixed point, of N documents of which n have a feature.
	log2 := func(x uint64) uint64 { return uint64(fingerprint.LogCount(uint32(x))) - fingerprint.WeightOne }
	weight := func(h uint64) uint64 {
		n := counts[h]
		if n <= 400/rareAmong {
			n = 0
		}
		return fingerprint.WeightOne + log2(401) - log2(n+1)
	}
	for _, of := range []struct {
		a      *Analysis
		weight func(uint64) uint64
	}{
		{ofGrams(t, true), func(uint64) uint64 { return 1 << 40 }},
		{learnt(t, ofGrams(t, true), texts...), weight},
	} {
		for letters := range 1500 {
			text := randomText(r, letters)
			if letters%2 == 0 {
				text = append(text, commonWords...)
			}
			n := len(all.Set(&s, text))
			want := referenceRare(slices.Clone(s.hashes), of.weight, fingerprint.WeightOne+log2(rareAmong))
			if got := of.a.Set(&s, text); !slices.Equal(got, want) {
				t.Fatalf("%d letters: %d features, want %d", letters, len(got), len(want))
			}
			if letters > 500 && (len(want) < n/7 || len(want) > n/3) || len(want) < min(n, leastRare) {
				t.Fatalf("%d letters: %d of %d features", letters, len(want), n)
			}
			analysed, err := of.a.Analyse(&document.Document{Text: text})
			if err != nil || !slices.Equal(analysed.Set, want) {
				t.Fatalf("%d letters: the set of the analysis is another one, or %v", letters, err)
			}
			seen := map[uint64]bool{}
			of.a.EachFeature(&s, text, func(hash uint64, feature []byte) {
				if seen[hash] = true; of.a.settings.HashFeature(of.a.settings.SetFeatures, feature) != hash {
					t.Fatalf("%q has another hash", feature)
				}
			})
			if len(seen) != len(want) {
				t.Fatalf("%d letters: %d features have been named, want %d", letters, len(seen), len(want))
			}
		}
	}
}

// What nearly all documents have weighs so little that documents of one form about other things are far from each other.
func TestRareSetsOfForms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	form := string(randomText(r, 1500))
	document := func() string { return form[:700] + string(randomText(r, 400)) + form[700:] }
	var texts []string
	for range 300 {
		texts = append(texts, document())
	}
	a := learnt(t, ofGrams(t, true), texts...)
	var s Scratch
	x, y := []byte(document()), []byte(document())
	before, _ := jaccard(slices.Clone(ofGrams(t, true).Set(&s, x)), slices.Clone(ofGrams(t, true).Set(&s, y)))
	after, _ := jaccard(slices.Clone(a.Set(&s, x)), slices.Clone(a.Set(&s, y)))
	same, _ := jaccard(slices.Clone(a.Set(&s, x)), slices.Clone(a.Set(&s, append(x, " with a few words more"...))))
	if before < .5 || after > .3 || same < .8 {
		t.Errorf("two documents of a form have a similarity of %.2f, and %.2f by rarity; a document and a longer one have %.2f", before, after, same)
	}
}

// A text that says little beside a form has few rare n-grams. Those of the form do not take their places.
func TestRareSetsOfFormsWithFewWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	form := string(randomText(r, 1500))
	document := func() string { return form[:700] + string(randomText(r, 80)) + form[700:] }
	var texts []string
	for range 300 {
		texts = append(texts, document())
	}
	a := learnt(t, ofGrams(t, true), texts...)
	var s Scratch
	most := 0.
	for i := range texts[1:] {
		x, y := slices.Clone(a.Set(&s, []byte(texts[i]))), slices.Clone(a.Set(&s, []byte(texts[i+1])))
		if j, _ := jaccard(x, y); len(x) < leastRare || len(x) > 2*leastRare {
			t.Fatalf("a set of %d features", len(x))
		} else {
			most = max(most, j)
		}
	}
	if most > .5 {
		t.Errorf("documents of a form have similarities of up to %.2f", most)
	}
}

func TestSomeOf(t *testing.T) {
	n := 0
	for _, err := range someOf(func(yield func(*document.Document, error) bool) {
		for range 1_000_000 {
			if !yield(&document.Document{}, nil) {
				return
			}
		}
	}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n < 6000 || n > 10_000 {
		t.Errorf("%d of a million documents are enough to learn from, and not about 8,000", n)
	}
}

// Sets of random texts with a part in common have a Jaccard similarity like those of all their features, within the error that
// rare.go states, as nothing has been learnt.
func TestRareSimilarity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all, some := ofGrams(t, false), ofGrams(t, true)
	var s Scratch
	sum, squares, n := 0.0, 0.0, 0
	for range 400 {
		length := 200 + r.IntN(4000)
		common := string(randomText(r, length))
		x := []byte(common + string(randomText(r, r.IntN(length))))
		y := []byte(common + string(randomText(r, r.IntN(length))))
		want, _ := jaccard(slices.Clone(all.Set(&s, x)), slices.Clone(all.Set(&s, y)))
		got, left := jaccard(slices.Clone(some.Set(&s, x)), slices.Clone(some.Set(&s, y)))
		z := (got - want) / math.Sqrt(want*(1-want)/float64(left))
		sum, squares, n = sum+z, squares+z*z, n+1
	}
	mean, deviation := sum/float64(n), math.Sqrt(squares/float64(n))
	if math.Abs(mean) > .2 || deviation < .7 || deviation > 1.2 {
		t.Errorf("the errors have a mean of %.2f and a deviation of %.2f standard errors: want 0 and 1", mean, deviation)
	}
}

// jaccard returns the similarity of two sets, and the size of their union.
func jaccard(a, b []uint64) (float64, int) {
	union := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(a), b...))))
	return float64(len(a)+len(b)-len(union)) / float64(len(union)), len(union)
}

func BenchmarkRareSets(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog, and 17 others look at it. ", 100))
	for i := range text {
		text[i] ^= byte(i/71) & 1
	}
	for _, features := range []string{"words", "char:5", "char:5:rare"} {
		b.Run(features, func(b *testing.B) {
			s := Default()
			if err := s.SetFeatures.UnmarshalText([]byte(features)); err != nil {
				b.Fatal(err)
			}
			a, err := New(s.Canonical())
			if err != nil {
				b.Fatal(err)
			}
			var scratch Scratch
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				a.Set(&scratch, text)
			}
		})
	}
}
