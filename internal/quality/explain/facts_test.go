package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// plainFacts are the numbers in digits, the other numbers and the negations of a text by the lists of a language, sorted: what
// FactsOf makes digests of.
func plainFacts(text string, language uint8) (digits, numbers, negations []string) {
	lists := Facts{language: language}.lists()
	before, last := "", "" // the token before, and the number before, with its sign
	for token := words.FromString(text); token.Next(); {
		raw, w := token.Value(), fold(token.Value())
		if strings.TrimSpace(raw) == "" {
			before = ""
			continue
		}
		sign, of := before, last
		before, last = "", ""
		isSign := utf8.RuneCountInString(raw) == 1 && strings.Contains(signs+behind, raw)
		if of != "" && (unitWords[w] || isSign && strings.Contains(behind, raw)) {
			digits = append(digits, of+w)
		}
		switch {
		case isSign:
			before = raw
			continue
		case strings.ContainsFunc(w, unicode.IsNumber):
			last = sign + string(appendNumber(nil, []byte(w)))
			digits = append(digits, last)
			continue
		case romans[raw]:
			digits = append(digits, raw)
			continue
		case len(w) > longestWord:
			continue
		}
		if lists.number.has([]byte(w)) {
			numbers = append(numbers, w)
		}
		if lists.negation.has([]byte(w)) {
			negations = append(negations, w)
		}
	}
	for _, list := range [][]string{digits, numbers, negations} {
		slices.Sort(list)
	}
	return digits, numbers, negations
}

// romans are the Roman numbers of two letters or more below 4000.
var romans = func() map[string]bool {
	all := map[string]bool{}
	for n := range 4000 {
		s := ""
		for _, d := range []struct {
			n int
			s string
		}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
			for n >= d.n {
				s, n = s+d.s, n-d.n
			}
		}
		all[s] = len(s) > 1
	}
	return all
}()

// plainDiffer is Facts.Differ by lists.
func plainDiffer(a, b string) (kinds FactKinds) {
	language, ofB, words := guess([]byte(a)), guess([]byte(b)), true
	if language != ofB {
		words = language == known().english || ofB == known().english
		language = known().english
	}
	digitsA, numbersA, negationsA := plainFacts(a, language)
	digitsB, numbersB, negationsB := plainFacts(b, language)
	if !slices.Equal(digitsA, digitsB) || words && !slices.Equal(numbersA, numbersB) {
		kinds |= Numbers
	}
	if words && !slices.Equal(negationsA, negationsB) {
		kinds |= Negations
	}
	return kinds
}

func checkFacts(t *testing.T, a, b string) {
	t.Helper()
	a, b = strings.ToValidUTF8(a, "\ufffd"), strings.ToValidUTF8(b, "\ufffd")
	x, y := FactsOf([]byte(a)), FactsOf([]byte(b))
	got, want := x.Differ(y), plainDiffer(a, b)
	if got != want {
		t.Fatalf("%q and %q differ in %q, want %q", a, b, got, want)
	}
	for _, kinds := range []FactKinds{Numbers, Negations, Numbers | Negations} {
		if same := x.Key(kinds) == y.Key(kinds); same && got&kinds != 0 || !same && x.language == y.language && got&kinds == 0 {
			t.Fatalf("%q and %q differ in %q, but their keys of %q do not say so", a, b, got, kinds)
		}
	}
}

func TestFacts(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want FactKinds
	}{
		{"", "", 0},
		{drugA, drugB, Numbers | Negations},
		{"pay 1,000 dollars", "pay 1,500 dollars", Numbers},
		{"first 12 then a pause", "then a pause first 12", 0},
		{"12 and 12", "12", Numbers},
		{"open from nine", "open from ten", Numbers},
		{"It isn't clear", "it ISN’T clear", 0},
		{"it isn't clear", "it is clear", Negations},
		{"(Not) at all", "at all", Negations},
		{"der Wert ist nicht zweihundert und die Zahl auch", "der Wert ist nicht dreihundert und die Zahl auch", Numbers},
		{"这种药对儿童不安全", "这种药对儿童很安全", Negations},
		{"fell", "rose", 0},
		{"add ½ cup", "add ¼ cup", Numbers},
		{"take 5 mg of it", "take 5 g of it", Numbers},
		{"take 5mg of it", "take 5g of it", Numbers},
		{"take 5 of it", "take 5 % of it", Numbers},
		{"a fine of $5", "a fine of €5", Numbers},
		{"a value <5", "a value >5", Numbers},
		{"room B52 is free", "room B53 is free", Numbers},
		{"version v1.2 is out", "version v2.1 is out", Numbers},
		{"part II of it", "part III of it", Numbers},
		{"half of it", "double of it", Numbers},
		{"1,000 people", "1000 people", 0},
		{"1,5 litres", "1.5 litres", 0},
		{"٥ times", "5 times", 0},
		{"5 mg of it", "5 MG of it", 0},
		{"I MIX it", "I mix it", Numbers}, // 1009
	} {
		if got := FactsOf([]byte(test.a)).Differ(FactsOf([]byte(test.b))); got != test.want {
			t.Errorf("%q and %q differ in %q, want %q", test.a, test.b, got, test.want)
		}
		checkFacts(t, test.a, test.b)
	}
	known := FactsOf([]byte("not 12, nor twelve"))
	if a, b := (Facts{}).Differ(known), known.Differ(Facts{}); a != 0 || b != 0 {
		t.Errorf("facts that are not known differ in %q, %q", a, b)
	}
	if a, b := FactsOf([]byte("0\x91\xf00 A0000000000000")), FactsOf([]byte("0\ufffd0 A0000000000000")); a != b {
		t.Errorf("%+v of bytes that are not UTF-8, want %+v", a, b)
	}
}

func TestParseFacts(t *testing.T) {
	for _, kinds := range []FactKinds{Numbers, Negations, Numbers | Negations} {
		if got, err := ParseFacts(kinds.String()); err != nil || got != kinds {
			t.Errorf("%q is read as %q, %v", kinds, got, err)
		}
	}
	for _, s := range []string{"", "names", "numbers,"} {
		if got, err := ParseFacts(s); err == nil {
			t.Errorf("%q is read as %q", s, got)
		}
	}
}

// What is found field by field is what the words of the whole text say.
func TestFactsAreThoseOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	pieces := strings.Fields("the not Not nicht zweihundert sechs 12 1,000 12.5 5mg x86 isn't isn’t n'est don't. \"no\" (never) e.g. a_b 2024-03-01 " +
		"不 三 二十 здесь не три １２ sin once fire \u200d \u0301 12\u0301 ½ ² ⅷ 3rd-4th and/or one:two 1:2 www.a.b 'tis no,never no.never \x01 \x7fno")
	spaces := []string{" ", " ", "\n", "\t", "\r\n", "  ", "\v", "\f", "\u00a0", ""}
	for range 20_000 {
		var texts [2]strings.Builder
		for i := range texts {
			for range r.IntN(8) {
				fmt.Fprint(&texts[i], pieces[r.IntN(len(pieces))], spaces[r.IntN(len(spaces))])
			}
		}
		checkFacts(t, texts[0].String(), texts[1].String())
	}
}

func FuzzFacts(f *testing.F) {
	f.Add(drugA, drugB)
	f.Add("no\u0301 12\u200d x", "12.\n5")
	f.Fuzz(checkFacts)
}

func BenchmarkFacts(b *testing.B) {
	text := []byte(strings.Repeat(drugA+"\n", 20))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		FactsOf(text)
	}
}
