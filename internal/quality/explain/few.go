package explain

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// In a text of few words, each of them may be what the text is for: "enabled" or "disabled", "Monday" or "Friday", "alpha" or "beta". So two
// such texts differ in a fact if one has a word that the other lacks. That word is not
//
//   - one that says little, such as an article, a form of "to be", or "please";
//   - another form of the same word, by its ending, its spelling, or with other spaces in it;
//   - another word for the same, of the list in few.txt, which has few and sure ones. A number in words is that in digits.
//
// Words may stand in another order, unless two of them change places: "from Paris to Rome" and "from Rome to Paris".

// fewWords is the largest number of words of a text of few words.
const fewWords = 40

// A Said is what is known of what a text says: its Facts, and its words if they are few. The zero value is that of a text that nobody has seen.
type Said struct {
	Facts
	few     []atom
	letters string // of a text of few words
}

// Read returns what a text says.
func Read(text []byte) Said {
	s := Said{Facts: FactsOf(text), few: atomsOf(string(text))}
	if s.Few() {
		s.letters = letters(string(text))
	}
	return s
}

// Few reports whether the text has few words.
func (s *Said) Few() bool { return len(s.few) > 0 }

// Differ returns the kinds of facts in which two texts differ, none if one of them has not been seen.
func (s *Said) Differ(other *Said) FactKinds {
	kinds := s.Facts.Differ(other.Facts)
	if s.Few() && other.Few() {
		few := fewDiffer(s.few, other.few)
		if few == 0 {
			kinds &= Symbols | Order
		}
		kinds = kinds&^Names | few
	}
	return kinds
}

// An atom is a word, or a part of one: letters and digits are apart.
type atom struct {
	raw   string    // folded
	key   string    // the same for words that say the same
	kind  FactKinds // which facts differ if texts differ in it; 0 if it says little
	opens bool      // is of the opening
	role  string    // the word before, if it says which part the atom has in the sentence
}

// fewText has in each line "light", and words that say little; "opening", and those that do at the beginning; "duty", and
// those that do before "to"; "same", and words that say the same; "number", digits, and words for them.
//
//go:embed few.txt
var fewText string

var fewLists = sync.OnceValue(func() (of struct {
	light, opening, duty, numbers map[string]string
	same                          map[string][]string // by the stem, the lines that have the word
}) {
	of.light, of.opening, of.duty, of.numbers, of.same = map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string][]string{}
	for line := range strings.Lines(fewText) {
		fields := strings.Fields(line)
		for _, w := range fields[1:] {
			switch fields[0] {
			case "light":
				of.light[w] = w
			case "opening":
				of.opening[w] = w
			case "duty":
				of.duty[stem(w)] = w
			case "number":
				of.numbers[w] = fields[1]
			default:
				of.same[stem(w)] = append(of.same[stem(w)], line)
			}
		}
	}
	return of
})

// roles are words that say which part in the sentence the next one has.
const roles = " in on at to into from by for with of until after before since than over as "

// atomsOf returns the atoms of a text of few words, and nil for others.
func atomsOf(text string) (out []atom) {
	if len(text) > 16*fewWords {
		return nil
	}
	role, glued := "", false // there is no white space before
	add := func(w string, capital bool) {
		a := atomOf(w, capital, role)
		if last := len(out) - 1; w == "to" && last >= 0 && fewLists().duty[out[last].key] != "" {
			out[last].kind = 0
		}
		if out = append(out, a); strings.Contains(roles, " "+w+" ") {
			role = w
		} else if a.kind != 0 {
			role = ""
		}
	}
	sign := ""
	n, opens, lower := 0, true, strings.ContainsFunc(text, unicode.IsLower)
	for token := words.FromString(text); token.Next(); {
		raw := token.Value()
		w := plainLetters(raw)
		if !strings.ContainsFunc(w, isWordRune) {
			switch {
			case opens && strings.Contains(":,–—", w) && strings.TrimSpace(w) != "":
				opens = false
				opening(out, w == ":")
			case w == "%":
				add("percent", false)
			case strings.Contains(signs, w) && strings.TrimSpace(w) != "" && !glued:
				sign = strings.ReplaceAll(w, "−", "-")
			default:
				sign = ""
			}
			glued = false
			continue
		}
		if n++; n > fewWords {
			return nil
		}
		for part := range partsOf(w) {
			if sign != "" && isNumber([]byte(part)) {
				out = append(out, atom{raw: sign, key: sign, kind: Numbers})
			}
			sign = ""
			capital := lower && strings.ContainsFunc(raw, unicode.IsUpper) && (n > 1 || strings.ContainsFunc(raw[1:], unicode.IsUpper))
			for _, one := range expanded(part) {
				if add(one, capital); opens && one == "that" {
					opening(out, false)
				}
			}
		}
		glued = true
	}
	return out
}

// opening takes atoms for the opening of a text, which says little, if all of its words are such. Before a colon, these are any words.
func opening(all []atom, any bool) {
	lists := fewLists()
	for _, a := range all {
		if a.kind&(Numbers|Names) != 0 || a.kind != 0 && !any && lists.opening[a.raw] == "" {
			return
		}
	}
	for i := range all {
		all[i].opens = true
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// plainLetters folds a text, accents, too.
func plainLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(fold(s)))
}

// partsOf yields the parts of a folded token: letters with apostrophes, and numbers.
func partsOf(w string) func(yield func(string) bool) {
	class := func(r rune) int {
		switch {
		case unicode.IsNumber(r):
			return 2
		case unicode.IsLetter(r), unicode.IsMark(r), r == '\'':
			return 1
		case r == '.' || r == ',':
			return 3 // inside a number
		}
		return 0
	}
	return func(yield func(string) bool) {
		start, is := 0, 0
		for i, r := range w {
			c := class(r)
			if c == 3 {
				if c = 0; is == 2 {
					c = 2
				}
			}
			if c != is {
				if is != 0 && !yield(strings.Trim(w[start:i], "'.,")) {
					return
				}
				start, is = i, c
			}
		}
		if is != 0 {
			yield(strings.Trim(w[start:], "'.,"))
		}
	}
}

// expanded returns the words that a folded part consists of: "can't" is "can" and "not".
func expanded(w string) []string {
	for _, ending := range []string{"n't", "nt"} {
		base, ok := strings.CutSuffix(w, ending)
		if known := slices.Contains(strings.Fields("do does did is was wo are were has have had would should could ca"), base); ok && (known || ending == "n't") {
			if base == "ca" {
				base = "can"
			}
			return []string{base, "not"}
		}
	}
	switch w {
	case "cannot":
		return []string{"can", "not"}
	case "unable":
		return []string{"not", "able"}
	}
	if at := strings.LastIndexByte(w, '\''); at > 0 && len(w)-at <= 3 {
		return []string{w[:at]}
	}
	return []string{w}
}

// atomOf returns the atom of a part.
func atomOf(w string, capital bool, role string) atom {
	lists := fewLists()
	a := atom{raw: w, key: w, kind: Words, role: role}
	number, isWord := lists.numbers[w]
	switch {
	case isNumber([]byte(w)):
		a.key, a.kind = string(appendNumber(nil, []byte(w))), Numbers
	case isWord:
		a.key, a.kind = number, Numbers
	case lists.light[w] != "" || slices.Contains(strings.Fields("st nd rd th"), w):
		a.kind = 0
	default:
		a.key = stem(w)
		if known().lists[known().english-1].negation.has([]byte(w)) {
			a.kind = Negations
		} else if capital {
			a.kind = Names
		}
	}
	return a
}

// stem returns what forms and spellings of an English word have in common.
func stem(w string) string {
	vowel := func(s string) bool { return strings.ContainsAny(s, "aeiouy") }
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ing", "ied", "ed"} {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) >= 3 && vowel(rest) {
			if w = rest; ending == "ied" {
				w += "y"
			}
			break
		}
	}
	for _, spelling := range [][2]string{{"our", "or"}, {"ogue", "og"}, {"ise", "ize"}, {"yse", "yze"}, {"is", "iz"}, {"tre", "ter"}, {"mme", "m"}, {"nce", "nse"}} {
		if rest, ok := strings.CutSuffix(w, spelling[0]); ok && len(rest) >= 3 {
			w = rest + spelling[1]
		}
	}
	if len(w) > 5 {
		w = strings.ReplaceAll(w, "our", "or")
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	var last rune
	return strings.Map(func(r rune) rune {
		if r == last {
			return -1
		}
		last = r
		return r
	}, w)
}

// fewDiffer returns the kinds of facts in which two texts of few words differ.
func fewDiffer(a, b []atom) (kinds FactKinds) {
	b = slices.Clone(b)
	onlyA, onlyB := lacking(a, b), lacking(b, a)
	same := fewLists().same
	join(a, onlyA, onlyB, b)
	join(b, onlyB, onlyA, a)
	for i, x := range onlyA {
		for j, y := range onlyB {
			both := func(line string) bool { return slices.Contains(same[b[j].key], line) }
			if x && y && (slices.ContainsFunc(same[a[i].key], both) || misspelt(&a[i], &b[j])) {
				onlyA[i], onlyB[j], x = false, false, false
				b[j].key = a[i].key
			}
		}
	}
	for i, x := range onlyA {
		if x {
			kinds |= a[i].kind
		}
	}
	for i, x := range onlyB {
		if x {
			kinds |= b[i].kind
		}
	}
	if kinds == 0 {
		kinds = exchanged(a, b)
	}
	return kinds
}

// lacking reports which atoms of a say something, and are not in b so often.
func lacking(a, b []atom) []bool {
	n := map[string]int{}
	for i := range b {
		n[b[i].key]++
	}
	out := make([]bool, len(a))
	for i := range a {
		n[a[i].key]--
		out[i] = a[i].kind != 0 && !a[i].opens && n[a[i].key] < 0
	}
	return out
}

// join finds two or three words of a, some of which b lacks, that are one of b, and no longer counts them.
func join(a []atom, onlyA, onlyB []bool, b []atom) {
	for j := range b {
		if !onlyB[j] {
			continue
		}
		for i := range a {
			for n := 2; n <= 3 && i+n <= len(a); n++ {
				joined := ""
				for _, x := range a[i : i+n] {
					joined += x.raw
				}
				if joined == b[j].raw || stem(joined) == stem(b[j].raw) {
					onlyB[j] = false
					for k := range n {
						onlyA[i+k] = false
					}
				}
			}
		}
	}
}

// misspelt reports whether two words differ by one slip inside: a long one in one letter, others in the order of two.
func misspelt(a, b *atom) bool {
	x, y := a.raw, b.raw
	if a.kind != Words || b.kind != Words || min(len(x), len(y)) < 6 {
		return false
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	start := 0
	for start < len(x) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	p, q := x[start:len(x)-end], y[start:len(y)-end]
	if start == 0 || end == 0 {
		return false
	}
	if len(p) == 2 && len(q) == 2 && p[0] == q[1] && p[1] == q[0] {
		return true
	}
	return len(x) >= 8 && len(p) <= 1 && len(q) <= 1
}

// exchanged returns the kinds of words that have changed places between texts that have the same ones.
func exchanged(a, b []atom) FactKinds {
	says := func(all []atom) (out []atom) {
		for _, x := range all {
			if x.kind != 0 && !x.opens {
				out = append(out, x)
			}
		}
		return out
	}
	same := func(a, b []atom) bool { return slices.EqualFunc(a, b, func(x, y atom) bool { return x.key == y.key }) }
	by := func(x atom) bool { return x.raw == "by" }
	if slices.ContainsFunc(a, by) != slices.ContainsFunc(b, by) {
		return 0
	}
	a, b = says(a), says(b)
	if len(a) != len(b) {
		return 0
	}
	for len(a) > 0 && a[0].key == b[0].key {
		a, b = a[1:], b[1:]
	}
	n := len(a)
	for n > 0 && a[n-1].key == b[n-1].key {
		n--
	}
	a, b = a[:n], b[:n]
	for i := 1; i < n; i++ {
		for j := 1; i+j <= n; j++ {
			if !same(a[:i], b[n-i:]) || !same(a[n-j:], b[:j]) || !same(a[i:n-j], b[j:n-i]) {
				continue
			}
			one, other := a[0].role, a[n-j].role
			if b[n-i].role != one || one == other && i+j < n {
				return a[0].kind | a[n-j].kind
			}
		}
	}
	return 0
}
