package explain

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Numbers are what their words say.
func TestQuantity(t *testing.T) {
	below := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	english := known().lists[known().english-1].number.words
	value := func(word string) float64 {
		v, _ := strconv.ParseFloat(strings.TrimPrefix(english[word], "*"), 64)
		return v
	}
	var words func(n int) string
	words = func(n int) string {
		for _, of := range []struct {
			n    int
			word string
		}{{1e9, " billion"}, {1e6, " million"}, {1000, " thousand"}, {100, " hundred"}} {
			if n >= of.n {
				return words(n/of.n) + of.word + strings.TrimSuffix(" "+words(n%of.n), " zero")
			}
		}
		if n >= 20 {
			return tens[n/10] + strings.TrimSuffix(" "+words(n%10), " zero")
		}
		return below[n]
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		n := i
		if i > 2000 {
			n = random.IntN(1 << (11 + random.IntN(29)))
		}
		sum := 0.0
		for word := range strings.FieldsSeq(words(n)) {
			all, fits := added(sum, value(word), english[word][0] == '*')
			if !fits && sum > 0 {
				t.Fatalf("%q of %q is not part of it", word, words(n))
			}
			sum = all
		}
		if inDigits(sum) != strconv.Itoa(n) {
			t.Fatalf("%q is %v, want %d", words(n), sum, n)
		}
		text := "they had " + words(n) + " of these"
		if a, b := FactsOf([]byte(text)), FactsOf([]byte("they had "+strconv.Itoa(n)+" of these")); a.Differ(b) != 0 {
			t.Fatalf("%q differs from %d in %v", text, n, a.Differ(b))
		}
	}
	for _, text := range []string{"two three", "twenty twelve", "three thirty", "one ten", "zero five", "five zero"} {
		one, other, _ := strings.Cut(text, " ")
		if all, ok := added(value(one), value(other), english[other][0] == '*'); ok {
			t.Errorf("%q is one number, %v", text, all)
		}
	}
}
