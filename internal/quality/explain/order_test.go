package explain

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"simsearch/preprocess"
)

// What is said of the order of words.
const inOrder, permuted, reordered = "", "the words are the same, in another order", "most words are the same, in another order"

func orderOf(a, b string) string {
	d := CompareTexts(a, b, 0)
	for _, is := range []string{permuted, reordered} {
		if d.Facts&Order != 0 && slices.Contains(d.Remarks, is) {
			return is
		}
	}
	return inOrder
}

// jaccard returns the Jaccard similarity of sets, which are not both empty.
func jaccard(x, y Features) float64 {
	shared := 0
	for feature := range x {
		if _, ok := y[feature]; ok {
			shared++
		}
	}
	return float64(shared) / float64(len(x)+len(y)-shared)
}

// plainOrder is orderOf by the words themselves, and by maps.
func plainOrder(t *testing.T, a, b string) string {
	t.Helper()
	features := func(text string, spec preprocess.FeatureSpec) ([]string, Features) {
		analyzer, err := preprocess.New(preprocess.Options{Features: spec, Language: preprocess.NoLanguage})
		if err != nil {
			t.Fatal(err)
		}
		list, set := analyzer.Reference([]byte(text)), Features{}
		for _, f := range list {
			set[f]++
		}
		return list, set
	}
	wordsA, setA := features(a, preprocess.FeatureSpec{})
	wordsB, setB := features(b, preprocess.FeatureSpec{})
	_, runsA := features(a, preprocess.FeatureSpec{Kind: preprocess.WordN, N: orderedRuns})
	_, runsB := features(b, preprocess.FeatureSpec{Kind: preprocess.WordN, N: orderedRuns})
	switch {
	case slices.Equal(wordsA, wordsB):
		return inOrder
	case slices.Equal(slices.Sorted(slices.Values(wordsA)), slices.Sorted(slices.Values(wordsB))):
		return permuted
	case jaccard(setA, setB) >= sameWords && jaccard(runsA, runsB) < otherOrder:
		return reordered
	}
	return inOrder
}

func TestOrder(t *testing.T) {
	bold, regular := "0x7e, 0x81, 0xa5, 0x81, 0xbd, 0x99, 0x00, 0x10, 0x38", "0x10, 0x7e, 0xbd, 0x81, 0x38, 0x99, 0x81, 0x00, 0xa5, 0xa5"
	for _, test := range []struct {
		a, b string
		want string
	}{
		{"I went to work today", "today I went to work", permuted},
		{"I went to work today", "I WENT to work, today!", inOrder},
		{"I went to work today", "I went to work yesterday", inOrder},
		{"one one two", "one two two", reordered}, // the words are those of a set
		{"you and me", "me and you", permuted},
		{bold, regular, reordered},
		{"今天我去上班", "我今天去上班", permuted},
	} {
		for _, swap := range []bool{false, true} {
			a, b := test.a, test.b
			if swap {
				a, b = b, a
			}
			if got, plain := orderOf(a, b), plainOrder(t, a, b); got != test.want || got != plain && a[0] < utf8.RuneSelf {
				t.Errorf("%q and %q: %q, plainly %q, want %q", a, b, got, plain, test.want)
			}
		}
	}
}

// Of texts that are shuffled as a whole or in part, with some other words, the order is that of the plain comparison,
// and all kinds of it occur.
func TestOrderIsThatOfPlainTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[string]int{}
	for range 600 {
		n := 1 + rng.IntN(60)
		a := make([]string, n)
		for i := range a {
			a[i] = vocabulary[rng.IntN(len(vocabulary))]
		}
		b := slices.Clone(a)
		part := b[rng.IntN(n):]
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		for range rng.IntN(3) {
			b[rng.IntN(n)] = "other"
		}
		x, y := strings.Join(a, " "), strings.Join(b, ", ")
		got := orderOf(x, y)
		if want := plainOrder(t, x, y); got != want {
			t.Fatalf("%q and %q: %q, want %q", x, y, got, want)
		}
		seen[got]++
	}
	if min(seen[inOrder], seen[permuted], seen[reordered]) < 20 {
		t.Errorf("too few of a kind: %v", seen)
	}
}

var vocabulary = func() (words []string) {
	for c := 'a'; c <= 'z'; c++ {
		for d := 'a'; d <= 'd'; d++ {
			words = append(words, string(c)+string(d)+"x")
		}
	}
	return words
}()

// What is too long to be compared by words is not said to have another order.
func TestOrderOfLongTexts(t *testing.T) {
	a := strings.Repeat("lorem ipsum ", wordBytes/20)
	if Reordered(a+"x x y", a+"y x y") {
		t.Error("it is")
	}
}
