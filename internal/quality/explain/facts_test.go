package explain

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// plainFacts are the facts of a text as lists of words, by the lists of a language: what FactsOf makes digests of.
type plainFacts struct {
	digits, numbers, each, negations, symbols, operators, names, words []string // numbers are digits, too; each is words alone
	code                                                               bool
}

func plainFactsOf(text string, language uint8) (f plainFacts) {
	lists := &known().lists[language-1]
	nouns := known().codes[guess([]byte(text))-1] == "de"
	var tokens []string
	for token := words.FromString(text); token.Next(); {
		tokens = append(tokens, token.Value())
	}
	isWord := func(i int) bool {
		return i >= 0 && i < len(tokens) && strings.ContainsFunc(tokens[i], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	}
	isNumber := func(i int) bool { return isWord(i) && strings.ContainsFunc(fold(tokens[i]), unicode.IsNumber) }
	isSpace := func(i int) bool { return i >= 0 && i < len(tokens) && strings.TrimSpace(tokens[i]) == "" }
	among := func(token, of string) bool { return utf8.RuneCountInString(token) == 1 && strings.Contains(of, token) }
	isMath := func(token string) bool {
		c, n := utf8.DecodeRuneInString(token)
		return n > 1 && n == len(token) && unicode.Is(unicode.Sm, c)
	}
	same := strings.NewReplacer("−", "-", "–", "-", "×", "*", "÷", "/")
	sign, last, pending, inside, marks, all := "", "", "", false, 0, 0
	lines := 0                   // that have ended since the token before
	numeric, begins := false, "" // pending; the first word of a sentence
	angle, apart := false, false // pending
	sum := 0.0
	sumAt := -9 // a place among words and signs
	end := func() {
		if number := inDigits(sum); sum > 0 && number != "1" {
			f.numbers = append(f.numbers, number)
		}
		sum = 0
	}
	link := func(i int) bool {
		for ; isSpace(i); i-- {
		}
		return i >= 0 && (tokens[i] == "-" || isWord(i) && lists.link == hashOf([]byte(fold(tokens[i]))))
	}
	for i, raw := range tokens {
		w, of, before := fold(raw), last, i-1 // before what is skipped, on the same line
		for ; before >= 0 && (isSpace(before) || among(tokens[before], brackets)); before-- {
			if strings.ContainsAny(tokens[before], "\r\n") {
				before = 0
			}
		}
		if isSpace(i) {
			if !among(sign, "$€£¥₹") {
				sign = ""
			}
			if lines += strings.Count(raw, "\n"); raw[0] >= utf8.RuneSelf {
				lines = 0
			}
			if lines > 1 {
				inside, begins = false, ""
			}
			continue
		}
		all, lines = all+1, 0
		if last = ""; of != "" && (isWord(i) && unitWords[w] || among(raw, behind)) {
			f.digits = append(f.digits, of+map[bool]string{true: w, false: raw}[isWord(i)])
		}
		if isWord(i) && unitWords[w] && sum > 0 && sumAt == all-1 {
			f.numbers = append(f.numbers, inDigits(sum)+w)
		}
		if !isWord(i) {
			begins = ""
			if sign = ""; among(raw, signs+behind) && (raw != "-" || !isWord(i-1)) {
				sign = raw
			}
			c, currency := same.Replace(raw), among(raw, "$€£¥₹")
			if currency || among(c, ofCode) || isMath(c) {
				f.operators = append(f.operators, c)
				if (c != "-" || isSpace(i-1) || !isWord(before)) && (before >= 0 || !among(c, "*-+>")) {
					marks++
				}
			} else if among(c, brackets) {
				marks++
			}
			switch {
			case currency:
				f.symbols = append(f.symbols, c)
			case among(c, betweenWords) && (isWord(before) || pending != ""):
				if angle = among(c, "<>") && pending == ""; angle {
					apart = i == 0 || isSpace(i-1)
				}
				pending, numeric = pending+c, false
			case among(c, betweenNumbers) && isNumber(before) && isSpace(i-1) && pending == "":
				pending, numeric, angle = c, true, false
			case c == "," || among(c, enders):
				pending, inside = "", inside && c == ","
			}
			continue
		}
		if pending != "" && (!angle || apart == isSpace(i-1)) && (!numeric || isNumber(i) && isSpace(i-1)) {
			f.symbols = append(f.symbols, pending)
		}
		f.words = append(f.words, w)
		capitals, letters := 0, 0
		for _, r := range raw {
			if unicode.IsUpper(r) {
				capitals++
			}
			if unicode.IsLetter(r) {
				letters++
			}
		}
		first, _ := utf8.DecodeRuneInString(raw)
		inner := capitals < letters && capitals > map[bool]int{true: 1}[unicode.IsUpper(first)]
		isI := raw == "I" || strings.HasPrefix(raw, "I") && classes[raw[1]] != letter
		if !isNumber(i) && !romans[raw] && !isI && (inner || unicode.IsUpper(first) && inside && !nouns) {
			f.names = append(f.names, plainLetters(w))
			if begins != "" {
				f.names = append(f.names, begins)
			}
			begins = ""
		} else if begins = ""; !isNumber(i) && !romans[raw] && !isI && unicode.IsUpper(first) && !nouns {
			begins = plainLetters(w)
		}
		number := sign
		sign, pending, inside = "", "", true
		switch {
		case isNumber(i):
			last = number + string(appendNumber(nil, []byte(w)))
			f.digits = append(f.digits, last)
			if n := strings.IndexFunc(last, unicode.IsLetter); n > 0 && unitWords[last[n:]] {
				f.digits = append(f.digits, last[:n])
			}
		case romans[raw]:
			f.digits = append(f.digits, raw)
		case len(w) <= longestWord:
			if lists.number.has([]byte(w)) {
				f.each = append(f.each, cmp.Or(strings.TrimPrefix(lists.number.words[w], "*"), w))
			}
			if v, err := strconv.ParseFloat(strings.TrimPrefix(lists.number.words[w], "*"), 64); err == nil && v > 0 {
				next, ok := added(sum, v, strings.HasPrefix(lists.number.words[w], "*"))
				if joined := sumAt == all-1 || sumAt == all-2 && link(i-1); !joined || !ok {
					end()
					next = v
				}
				sum, sumAt = next, all
			} else if lists.number.has([]byte(w)) {
				end()
				f.numbers = append(f.numbers, cmp.Or(lists.number.words[w], w))
			}
			if lists.negation.has([]byte(w)) {
				f.negations = append(f.negations, w)
			}
		}
	}
	end()
	isOne := func(s string) bool { return s == "1" }
	f.digits, f.each = slices.DeleteFunc(f.digits, isOne), slices.DeleteFunc(f.each, isOne)
	f.numbers = append(f.numbers, f.digits...)
	for _, list := range [][]string{f.digits, f.numbers, f.negations, f.names} {
		slices.Sort(list)
	}
	f.code = marks > 0 && isCodeShare*marks >= all
	return f
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
	x, y := plainFactsOf(a, language), plainFactsOf(b, language)
	if guess([]byte(a)) != ofB { // only numbers of the own language are several words
		x.numbers, y.numbers = slices.Sorted(slices.Values(append(x.each, x.digits...))), slices.Sorted(slices.Values(append(y.each, y.digits...)))
	}
	signsX, signsY := x.symbols, y.symbols
	if x.code && y.code {
		signsX, signsY = x.operators, y.operators
	}
	bagX, bagY := slices.Sorted(slices.Values(x.words)), slices.Sorted(slices.Values(y.words))
	for kind, differ := range map[FactKinds]bool{
		Numbers:   !words && !slices.Equal(x.digits, y.digits) || words && !slices.Equal(x.numbers, y.numbers),
		Negations: words && !slices.Equal(x.negations, y.negations),
		Symbols:   !slices.Equal(signsX, signsY),
		Names:     len(x.names) == len(y.names) && !slices.Equal(x.names, y.names),
		Order:     slices.Equal(bagX, bagY) && !slices.Equal(x.words, y.words),
	} {
		if differ {
			kinds |= kind
		}
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
	for kinds := range Order * 2 {
		same, transitive := x.Key(kinds) == y.Key(kinds), kinds&(Numbers|Negations)
		if same && got&kinds != 0 || x.language() == y.language() && x.Key(transitive) != y.Key(transitive) && got&transitive == 0 {
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
		{"first 12 then a pause", "then a pause first 12", Order},
		{"12 and 12", "12", Numbers},
		{"open from nine", "open from ten", Numbers},
		{"It isn't clear", "it ISN’T clear", 0},
		{"it isn't clear", "it is clear", Negations},
		{"(Not) at all", "at all", Negations},
		{"der Wert ist nicht zweihundert und die Zahl auch", "der Wert ist nicht dreihundert und die Zahl auch", Numbers},
		{"这种药对儿童不安全", "这种药对儿童很安全", Negations},
		{"fell", "rose", 0},
		{"add ½ cup", "add ¼ cup", Numbers},
		{"the plan did pass", "the plan failed to pass", Negations},
		{"What is 12 + 7 ? Give the number.", "What is 12 − 7 ? Give the number.", Symbols},
		{"What is 12 - 7 ? Give the number.", "What is 12 * 7 ? Give the number.", Symbols},
		{"What is 12 − 7 ?", "What is 12 - 7 ?", 0},
		{"What is 12 / 7 ?", "What is 12 ÷ 7 ?", 0},
		{"a fine of $ 500", "a fine of € 500", Numbers | Symbols},
		{"a fine of $ 500", "a fine of $500", 0},
		{"a < b is what we want", "a > b is what we want", Symbols},
		{"some words - and more\n> here, and then a few\n===", "some words – and more\nhere, and then a few", 0},
		{"if (x < lo) return lo; if (x > hi) return hi;", "if (x > lo) return lo; if (x < hi) return hi;", Symbols},
		{"f(x) = -x", "f(x) = x", Symbols},
		{"call Anna Schmidt at noon", "call Eva Schmidt at noon", Names},
		{"Anna Schmidt calls at noon", "Eva Schmidt calls at noon", Names},
		{"the mill\n\nFor years the mill stood", "the mill\n\nMany years the mill stood", 0},
		{"Well, Schmidt calls at noon", "So, Schmidt calls at noon", 0},
		{"use parseInt here", "use parseFloat here", Names},
		{"She said so. Then it rained.", "She said so. Later it rained.", 0},
		{"the user prefers Python", "the user prefers python", 0},
		{"THE USER PREFERS PYTHON", "the user prefers Python", 0},
		{"Das ist ein großes Haus und der Garten", "Das ist ein großes Gebäude und der Garten", 0},
		{"I think so, and I'm here", "we think so, and we are here", 0},
		{"today I went to work", "I went to work today", Order},
		{"COVID-19 came", "COVID 19 came", 0},
		{"take 5 mg of it", "take 5 g of it", Numbers},
		{"take 5mg of it", "take 5g of it", Numbers},
		{"take 5 of it", "take 5 % of it", Numbers},
		{"a fine of $5", "a fine of €5", Numbers | Symbols},
		{"a value <5", "a value >5", Numbers | Symbols},
		{"ST. JOE GOLD <SJG> TO DEVELOP A MINE", "ST. JOE GOLD TO DEVELOP A MINE", 0},
		{"write to Ann Hall <ann@example.org> about it", "write to Ann Hall about it, ann@example.org", Order},
		{"room B52 is free", "room B53 is free", Numbers},
		{"version v1.2 is out", "version v2.1 is out", Numbers},
		{"part II of it", "part III of it", Numbers},
		{"half of it", "double of it", Numbers},
		{"from nine to five", "from 9 to 5", 0},
		{"there were two hundred and five men", "there were 205 men", 0},
		{"two hundred men", "2,000 men", Numbers},
		{"the first of May", "the 1st of May", 0},
		{"one of them has one", "1 of them has none of it", Negations},
		{"one of them", "2 of them", Numbers},
		{"she had to take five mg in two days", "she had to take 5mg in 2 days", 0},
		{"fünfzig Tiere und der Mann", "50 Tiere und der Mann", 0},
		{"vom Mann und der Frau zweihundert", "vom Mann und der Frau 300", Numbers},
		{"他有三百二十五本书", "他有325本书", 0},
		{"他有三十本书", "他有三百本书", Numbers},
		{"we met José Núñez there", "we met Jose Nunez there", 0},
		{"we met José Núñez there", "we met Jose Nuñoz there", Names},
		{"use python3.12 here", "use python3.11 here", Numbers},
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
	for kinds := FactKinds(1); kinds < 2*Order; kinds++ {
		if got, err := ParseFacts(kinds.String()); err != nil || got != kinds {
			t.Errorf("%q is read as %q, %v", kinds, got, err)
		}
	}
	if got, err := ParseFacts("all"); got != Spared || err != nil {
		t.Errorf("all is read as %q, %v", got, err)
	}
	for _, s := range []string{"", "name", "numbers,", "numbers,all"} {
		if got, err := ParseFacts(s); err == nil {
			t.Errorf("%q is read as %q", s, got)
		}
	}
}

// What is found field by field is what the words of the whole text say.
func TestFactsAreThoseOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	pieces := strings.Fields("the not Not nicht zweihundert sechs 12 1,000 12.5 5mg x86 isn't isn’t n'est don't. \"no\" (never) e.g. a_b 2024-03-01 " +
		"不 三 二十 здесь не три １２ sin once fire two hundred thousand and twenty-one 200 21 one 1 third half ½ million dollars $2 3.5 mg 5 five mg \u200d \u0301 12\u0301 ½ ² ⅷ 3rd-4th and/or one:two 1:2 www.a.b 'tis no,never no.never \x01 \x7fno " +
		"+ - * / = < > <Anna x> <no> != $ € 5$ ( ) [x] f(x) ≠ − – × | Anna IBM iPhone I I'm I’m MIX Der McX Éva , . \"Anna x=-1 12-7 5-Anna +7 <= a+b")
	spaces := []string{" ", " ", "\n", "\n\n", "\r\n \n", "\t", "\r\n", "  ", "\v", "\f", "\u00a0", ""}
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
