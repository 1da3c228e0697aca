package judge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/match/sequences"
)

// made returns a text of n words and other characters of several scripts.
func made(rng *rand.Rand, n int) string {
	parts := []string{
		"word", "naïve", "Straße", "日本語", "слово", "한국", "it's", "x", "3.5", "—", "…", "\n", "a-b", "ﬁn", "e\u0301",
		strings.Repeat("long", 50), "\xff",
	}
	var b strings.Builder
	for range n {
		b.WriteString(parts[rng.IntN(len(parts))])
		if rng.IntN(10) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// The openings of a text are the threes of its first words, wherever these end, and Read finds the same.
func TestOpenings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 64))
	for range 3000 {
		text := []byte(made(rng, rng.IntN(200)))
		words := new(sequences.Words).AppendTo(nil, text)
		words = words[:min(len(words), openingWords)]
		threes := map[[3]uint64]bool{}
		for i := range words {
			if i == 0 || i+3 <= len(words) {
				var three [3]uint64
				copy(three[:], words[i:min(i+3, len(words))])
				threes[three] = true
			}
		}
		got := AppendOpenings(nil, text)
		if len(got) != len(threes) || !slices.IsSorted(got) || !slices.Equal(got, Read(text).openings) {
			t.Fatalf("%q has %d openings, %v, want %d; Read finds %v", text, len(got), got, len(threes), Read(text).openings)
		}
	}
}

// Texts are compared that share most words, or many and three in a row among their first ones.
func TestCompared(t *testing.T) {
	first := strings.Fields(strings.Repeat("one two three four five six seven eight ", 8))
	words := func(n int) string { return strings.Join(first[:n], " ") }
	read := func(text string) *Text { return Read([]byte(text)) }
	for _, test := range []struct {
		a, b  string
		words float64
		want  bool
	}{
		{"a b c d", "x a b c y", Floor, true},
		{"a b c d", "x a b c y", Floor - 1e-9, false},
		{"a b c d", "a b x c d", Floor, false},
		{"a b c d", "a b x c d", Alike, true},
		{"a b c d", "a b x c d", Alike - 1e-9, false},
		{"a b", "a b", Floor, true},
		{"a b", "a b c", Floor, false},
		{words(61) + " a b c", words(60) + " a b c", Floor, true},
		{words(61) + " a b c", "a b c", Floor, true},
		{words(62) + " a b c", "a b c", Floor, false},
		{words(62), "", Floor, false},
	} {
		if got := Compared(read(test.a), read(test.b), test.words); got != test.want {
			t.Errorf("%q and %q, with %v of their words: %v", test.a, test.b, test.words, got)
		}
		is := Default.Copy(read(test.a), read(test.b), test.words)
		if same := test.a == test.b; !same && (is > 0) != (test.want && test.b != "") {
			t.Errorf("%q and %q, with %v of their words: %v", test.a, test.b, test.words, is)
		}
	}
}
