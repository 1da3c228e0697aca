package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/document"
	"simsearch/preprocess"
)

// thinned returns an analysis whose sets have one 5-gram of characters in oneIn, or all for 0.
func thinned(t *testing.T, oneIn int) *Analysis {
	t.Helper()
	s := Default()
	s.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5, OneIn: oneIn}
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

func TestThinnedSetsEqualReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := thinned(t, 0)
	var s Scratch
	for _, oneIn := range []int{2, 4, 8, 64} {
		a := thinned(t, oneIn)
		for letters := range 400 {
			text := randomText(r, letters)
			want := referenceThinned(slices.Clone(all.Set(&s, text)), oneIn)
			got := a.Set(&s, text)
			if !slices.Equal(got, want) {
				t.Fatalf("one in %d of %d letters: %d features, want %d", oneIn, letters, len(got), len(want))
			}
			analysed, err := a.Analyse(&document.Document{Text: text})
			if err != nil || !slices.Equal(analysed.Set, want) {
				t.Fatalf("one in %d of %d letters: the set of the analysis is another one, or %v", oneIn, letters, err)
			}
			seen := map[uint64]bool{}
			a.EachFeature(&s, text, func(hash uint64, _ []byte) { seen[hash] = true })
			if len(seen) != len(want) {
				t.Fatalf("one in %d of %d letters: %d features have been named, want %d", oneIn, letters, len(seen), len(want))
			}
		}
	}
}

// Sets of random texts with a part in common have a Jaccard similarity that all their features bear out, within the error
// that thin.go states.
func TestThinnedSimilarity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all, some := thinned(t, 0), thinned(t, 4)
	var s Scratch
	sum, squares, n := 0.0, 0.0, 0
	for range 400 {
		length := 100 + r.IntN(4000)
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

func BenchmarkThinnedSets(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog, and 17 others look at it. ", 100))
	for i := range text {
		text[i] ^= byte(i/71) & 1
	}
	for _, features := range []string{"words", "char:5", "char:5/4"} {
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
