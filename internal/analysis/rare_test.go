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

func TestRareSetsEqualReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all, a := ofGrams(t, false), ofGrams(t, true)
	var s Scratch
	for letters := range 1500 {
		text := randomText(r, letters)
		if letters%2 == 0 { // with common grams
			text = append(text, " and the other one of them that is not for all with the same"...)
		}
		a.Set(&s, text)
		want := referenceRare(slices.Clone(s.hashes))
		if got := a.Set(&s, text); !slices.Equal(got, want) {
			t.Fatalf("%d letters: %d features, want %d", letters, len(got), len(want))
		}
		if n := len(all.Set(&s, text)); letters > 500 && (len(want) < n/7 || len(want) > n/3) || len(want) < min(n/2, leastRare) {
			t.Fatalf("%d letters: %d of %d features", letters, len(want), n)
		}
		analysed, err := a.Analyse(&document.Document{Text: text})
		if err != nil || !slices.Equal(analysed.Set, want) {
			t.Fatalf("%d letters: the set of the analysis is another one, or %v", letters, err)
		}
		seen := map[uint64]bool{}
		a.EachFeature(&s, text, func(hash uint64, feature []byte) {
			if seen[hash] = true; a.settings.HashFeature(a.settings.SetFeatures, feature) != hash {
				t.Fatalf("%q has another hash", feature)
			}
		})
		if len(seen) != len(want) {
			t.Fatalf("%d letters: %d features have been named, want %d", letters, len(seen), len(want))
		}
	}
}

// Sets of random texts with a part in common have a Jaccard similarity like those of all their features, within the error that
// rare.go states, as random grams are not common.
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

// The shipped list is of grams with the least priorities, as LeavesOut wants, and has the commonest grams of many languages.
func TestCommonGrams(t *testing.T) {
	keys, dir := common()
	if len(keys) < 10_000 || !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
		t.Fatalf("%d keys, ascending or not", len(keys))
	}
	a := ofGrams(t, false)
	var s Scratch
	could, left := 0, 0
	for _, text := range []string{
		"and of the that is not with for this", "und die das nicht mit der eine", "dans les que pour une est", "que los las para con una",
		"который для этого как или", "della con che per una", "不能使用这个", "これはできません", "που και για την από",
	} {
		for _, gram := range a.Set(&s, []byte(text)) {
			if gram&3 == 0 {
				could++
				if isCommon(keys, &dir, gram) {
					left++
				}
			}
		}
	}
	if left < could/2 {
		t.Errorf("%d of %d grams of the commonest words are left out", left, could)
	}
	for i := range 1 << 12 { // no other gram is found
		gram := uint64(i) * 0x9e3779b97f4a7c15
		_, want := slices.BinarySearch(keys, gram>>(64-CommonBits))
		if isCommon(keys, &dir, gram) != want {
			t.Fatalf("%x is common: %v", gram, !want)
		}
	}
	for _, c := range []struct {
		hash  uint64
		share float64
		want  bool
	}{{4, 1, true}, {4, .001, false}, {1, 1, false}, {1 << 40, 1, false}} {
		if LeavesOut(c.hash, c.share) != c.want {
			t.Errorf("a gram with hash %x in %v of the stretches: %v", c.hash, c.share, !c.want)
		}
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
