package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"simsearch/internal/ground/ints"
	"simsearch/preprocess"
)

func textOf(s string) *Text {
	return Read([]byte(s))
}

const mill = "The mill at the river\n\nIn 1847 the old mill at the river was sold to a family from the north, who kept three horses, " +
	"a dog and a garden behind the house. The stones were turned again in spring, and the flour went to the bakers of the town."

// Texts that people would call copies are likelier copies than those that they would not.
func TestOrderOfCopies(t *testing.T) {
	original := textOf(mill)
	last := 2.0
	for _, test := range []struct{ what, text string }{
		{"another case", strings.ToUpper(mill)},
		{"one word", strings.Replace(mill, "garden", "orchard", 1)},
		{"a half", mill[:len(mill)/2]},
		{"a year", strings.Replace(mill, "1847", "1851", 1)},
		{"another text", "The bakers of the town\n\nThree of the old bakers were sold flour from the north, and kept a horse."},
	} {
		p := Default.Copy(original, textOf(test.text), 1)
		if p > last || p < 0 {
			t.Errorf("%s: a copy with %.3f, and the one before with %.3f", test.what, p, last)
		}
		last = p
	}
	if p := Default.Copy(original, textOf(strings.ToUpper(mill)), 1); p != 1 {
		t.Errorf("the same words are a copy with %v", p)
	}
	if p := Default.Copy(original, textOf(" … "), 1); p != 0 {
		t.Errorf("a text without words is a copy with %v", p)
	}
	if p, q := Default.Copy(textOf("👍"), textOf("👍\n"), 1), Default.Copy(textOf("👍"), textOf("👎"), 1); p != 1 || q != 0 {
		t.Errorf("texts without words are copies with %v if they are equal, and else with %v", p, q)
	}
	if last > 0.1 {
		t.Errorf("another text is a copy with %v", last)
	}
}

// What two texts have in common never speaks against a copy, and the probability ascends with the logit.
func TestAgreementHelps(t *testing.T) {
	for m := range NumMeasures {
		if Default.Weight(m) < 0 || len(Default.Weights) != int(NumMeasures) {
			t.Errorf("%v weighs %v", m, Default.Weight(m))
		}
	}
	last := -1.0
	for logit := -9.0; logit < 9; logit += 0.01 {
		p := Default.probabilityAt(logit)
		if p < last || p < 0 || p > 1 {
			t.Fatalf("at %v the probability is %v, and was %v", logit, p, last)
		}
		last = p
	}
	if !slices.IsSortedFunc(Default.Calibration, func(a, b [2]float64) int { return int(math.Copysign(1, a[0]-b[0])) }) {
		t.Error("the calibration does not ascend")
	}
}

// The measures are those of maps of strings, whatever the order of the two texts.
func TestMeasuresEqualTheReference(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("mill river 1847 3.5 Straße ΣΊΣΥΦΟΣ ΣΊΣΥΦΟ 東京都庁 मिल B52 B53 the The of and a in स्टोन 12 kettle ketle garden gadren horse hoarse ﬁne fine — ! café cafés")
	text := func() string {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(words[random.IntN(len(words))])
			b.WriteString([]string{" ", "\n", ", ", " "}[random.IntN(4)])
		}
		return b.String()
	}
	for range 2000 {
		a, b := text(), text()
		x, y := textOf(a), textOf(b)
		got, back, want := Measures(x, y), Measures(y, x), referenceMeasures(t, a, b)
		if got != back {
			t.Fatalf("%q, %q: %v one way, %v the other", a, b, got, back)
		}
		for m := range NumMeasures {
			if math.Abs(got[m]-want[m]) > 1e-12 {
				t.Fatalf("%q, %q: %v is %v, want %v", a, b, m, got[m], want[m])
			}
		}
	}
}

// Of long texts a share of the sequences is compared, and what is said of them is hardly another. Two texts of which
// one is long are compared by the same share.
func TestLongTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	text := func(words int, from int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "word%d ", from+random.IntN(3000))
		}
		return b.String()
	}
	for range 6 {
		shared := text(3000+random.IntN(9000), 0)
		a, b := shared+text(random.IntN(9000), 10_000), shared+text(random.IntN(9000), 20_000)
		x, y, want := textOf(a), textOf(b), referenceMeasures(t, a, b)
		got := Measures(x, y)
		if len(x.grams) > fewGrams || len(x.grams) < fewGrams/4 {
			t.Errorf("%d sequences of %d bytes are compared", len(x.grams), len(a))
		}
		for _, m := range []Measure{Titles} {
			if math.Abs(got[m]-want[m]) > 0.06 {
				t.Errorf("%d and %d bytes: %v is %v, want about %v", len(a), len(b), m, got[m], want[m])
			}
		}
		beginning := textOf(shared[:200])
		if sequences, of := both(x, beginning); ints.Shared(sequences, of)*5 < len(of)*4 {
			t.Errorf("%d of the %d sequences of a beginning are inside", ints.Shared(sequences, of), len(of))
		}
	}
}

// referenceMeasures is Measures by counting strings.
func referenceMeasures(t *testing.T, a, b string) (of [NumMeasures]float64) {
	type sides struct {
		words, grams, titles, head, numbers map[string]int
		length, many                        int
	}
	side := func(text string) (s sides) {
		s = sides{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0, 0}
		list := wordsIn(t, text)
		s.many = len(list)
		for i, w := range list {
			if i < 24 {
				s.head[w]++
			}
			s.words[w]++
			if strings.ContainsFunc(w, unicode.IsDigit) {
				s.numbers[w]++
			}
		}
		joined := strings.Join(list, " ")
		s.length = len(joined)
		runes := []rune(joined)
		for i := 0; i+5 <= len(runes) || i == 0 && len(runes) > 0; i++ {
			s.grams[string(runes[i:min(len(runes), i+5)])] = 1
		}
		for _, w := range wordsIn(t, Title(text, 120)) {
			s.titles[w] = 1
		}
		return s
	}
	of1 := func(shared, all int) float64 {
		if all == 0 {
			return 1
		}
		return float64(shared) / float64(all)
	}
	shared := func(x, y map[string]int) (both, all int) {
		for w, n := range x {
			both += min(n, y[w])
			all += max(n, y[w])
		}
		for w, n := range y {
			if x[w] == 0 {
				all += n
			}
		}
		return both, all
	}
	x, y := side(a), side(b)
	both, all := shared(x.grams, y.grams)
	alike := of1(both, all)
	same, words := shared(x.words, y.words)
	for w, n := range x.words {
		for v, m := range y.words {
			if !strings.HasPrefix(w, "word") && spelledAlike(w, v) { // those of long texts have digits
				more := min(max(0, n-y.words[w]), max(0, m-x.words[v]))
				same, words = same+more, words-more
			}
		}
	}
	of[Spelling] = of1(same, words)
	begins := func(a, b *sides) float64 {
		in, n := 0, 0
		for w := range a.titles {
			n++
			in += min(1, b.head[w])
		}
		return of1(in, n)
	}
	of[Titles] = ((of1(shared(x.titles, y.titles)) + max(begins(&x, &y), begins(&y, &x))) / 2) * of1(both, min(len(x.grams), len(y.grams)))
	of[Lengths] = of1(min(x.length, y.length), max(x.length, y.length))
	of[Numbers] = of1(shared(x.numbers, y.numbers))
	of[Much] = min(1, math.Log2(float64(max(1, min(x.many, y.many))))/7)
	of[Titles] = max(of[Titles], (alike-.8)/.2*max(0, 3.5*of[Much]-2.5))
	return of
}

// spelledAlike reports whether two words are equal when one letter at most is left out of each.
func spelledAlike(a, b string) bool {
	left := func(word string) (forms []string) {
		runes := []rune(word)
		if len(runes) < leastLetters || len(runes) > mostLetters || strings.ContainsFunc(word, unicode.IsDigit) {
			return nil
		}
		forms = append(forms, word)
		for i := range runes {
			forms = append(forms, string(runes[:i])+string(runes[i+1:]))
		}
		return forms
	}
	of := left(b)
	return a != b && slices.ContainsFunc(left(a), func(form string) bool { return slices.Contains(of, form) })
}

// Misspelt words are alike: with a letter less, more or other, or with two in the other order. Words with digits,
// short ones and others are not.
func TestSpelling(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"garden", "gardn", true}, {"garden", "gardden", true}, {"garden", "gorden", true}, {"garden", "gadren", true},
		{"straße", "strase", true}, {"σίσυφος", "σίσυφο", true}, {"north", "south", false}, {"mill", "hill", true}, {"the", "she", false},
		{"b1234", "b1235", false}, {"garden", "grdn", false}, {strings.Repeat("long", 7), strings.Repeat("long", 7) + "s", false},
	} {
		if is := spelledAlike(test.a, test.b); is != test.want {
			t.Errorf("the reference says %v of %q and %q", is, test.a, test.b)
		}
		if len(test.a) >= leastLetters && !strings.Contains(test.a, "1") && len(test.a) <= mostLetters && SpeltAlike(test.a, test.b) != test.want {
			t.Errorf("%q and %q: not %v", test.a, test.b, test.want)
		}
		want := 0.5
		if test.want {
			want = 1
		}
		x, y := textOf("of "+test.a+" the old old"), textOf("old "+test.b+" the of")
		if got := Measures(x, y)[Spelling]; (got > 0.7) != (want == 1) {
			t.Errorf("%q and %q are spelt alike with %v", test.a, test.b, got)
		}
	}
}

// What is less than asked for is not measured to its end, and is less.
func TestCopyOf(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	list := strings.Fields(mill)
	for range 1000 {
		other := slices.Clone(list)
		for range random.IntN(20) {
			other[random.IntN(len(other))] = list[random.IntN(len(list))]
		}
		x, y, least := textOf(mill), textOf(strings.Join(other[:1+random.IntN(len(other))], " ")), random.Float64()
		want := Default.Copy(x, y, 1)
		if got, is := Default.CopyOf(x, y, 1, least); is != (want >= least) || is && got != want {
			t.Fatalf("%v is a copy with %v, of at least %v: %v", y, got, least, is)
		}
		if Default.Copy(y, x, 1) != want {
			t.Fatal("a copy is one only one way")
		}
	}
}

// No two texts share more sequences than their bits say, and mostly not far fewer.
func TestAtMost(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var texts []*Text
	for i := range 60 {
		var b strings.Builder
		for range 1 + random.IntN(20*(1+i%10)) {
			fmt.Fprintf(&b, "%x ", random.IntN(300))
		}
		texts = append(texts, textOf(b.String()))
	}
	narrow := 0
	for i, a := range texts {
		for _, b := range texts[:i] {
			if a.halved != b.halved {
				continue
			}
			x, y := both(a, b)
			shared, most := ints.Shared(x, y), atMost(a, b, x, y)
			if shared > most {
				t.Fatalf("%d sequences are shared, at most %d", shared, most)
			}
			if most-shared < len(a.grams)/8 {
				narrow++
			}
		}
	}
	if narrow < len(texts) {
		t.Errorf("%d bounds are narrow", narrow)
	}
}

// Caches do not mix their texts, tell errors each time, and keep no more than they may.
func TestCaches(t *testing.T) {
	made := map[string]int{}
	of := func(name string) *Cache {
		return NewCache(func(number uint32) ([]byte, error) {
			if number == 7 {
				return nil, fmt.Errorf("no text")
			}
			made[name]++
			return fmt.Appendf(nil, "%s %d", name, number), nil
		})
	}
	one, other := of("one"), of("other")
	for range 3 {
		for number := range uint32(9) {
			x, errX := one.Of(number)
			y, errY := other.Of(number)
			if number == 7 {
				if errX == nil || errY == nil {
					t.Fatal("no error")
				}
			} else if x.digest != textOf(fmt.Sprint("one ", number)).digest ||
				y.digest != textOf(fmt.Sprint("other ", number)).digest {
				t.Fatalf("text %d is another one", number)
			}
		}
	}
	if made["one"] != 8 || made["other"] != 8 {
		t.Errorf("read are %v", made)
	}
	defer func(most func() int64) { mostCached = most }(mostCached)
	mostCached = func() int64 { return 1 << 18 }
	long := NewCache(func(number uint32) ([]byte, error) {
		return fmt.Appendf(nil, strings.Repeat("%[1]d ", 2000), number), nil
	})
	most := 0
	for number := range uint32(900) {
		if _, err := long.Of(number); err != nil {
			t.Fatal(err)
		}
		most = max(most, len(known))
	}
	if x, _ := long.Of(0); most > 1<<8 || most < 1<<5 || x.count != 2000 {
		t.Errorf("%d texts are kept", most)
	}
}

// wordsIn returns the words of a text as package preprocess makes them.
func wordsIn(t *testing.T, text string) (words []string) {
	a, err := preprocess.New(preprocess.Options{Language: preprocess.NoLanguage})
	if err != nil {
		t.Fatal(err)
	}
	var d preprocess.Document
	a.Analyze(&d, []byte(text))
	for i := range d.Len() {
		words = append(words, string(d.Feature(i)))
	}
	return words
}

func BenchmarkRead(b *testing.B) {
	var r reader
	text := []byte(strings.Repeat(mill, 5))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.read(text)
	}
}

func BenchmarkCopy(b *testing.B) {
	x, y := textOf(mill), textOf(strings.Replace(mill, "garden", "orchard", 1))
	for b.Loop() {
		Default.Copy(x, y, 1)
	}
}

// A name, a number or a sentence above a text makes no other text.
func TestHeadings(t *testing.T) {
	body := strings.Repeat("\n", 2) + mill + " " + strings.ToLower(mill[200:]) + " Nobody remembers who had planted the pear trees, nor why " +
		"the millers never sold their fruit; the children took it, and were told each autumn that it belonged to the river."
	for _, test := range [][2]string{{"4711", "4712"}, {"anna-07", "ben-12"}, {"Anna Berg, class 9", "Benjamin Cole"}, {"What I think of mills", "On the history of rivers"}} {
		p := Default.Copy(textOf(test[0]+body), textOf(test[1]+strings.Replace(body, "pear", "plum", 1)), .9)
		if p < .6 {
			t.Errorf("%q in place of %q: a copy with %.3f", test[1], test[0], p)
		}
	}
}
