package explain

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"

	"simsearch/internal/match/judge"
)

// In a text of few words, each of them may be what the text is for: "enabled" or "disabled", "Monday" or "Friday",
// "alpha" or "beta". So two such texts differ in a fact if one has a word that the other lacks. That word is not
//
//   - one that says little, such as an article, a form of "to be", or "please";
//   - another form of the same word, by its ending, its spelling, or with other spaces in it;
//   - another word for the same, of the list in few.txt, which has few and sure ones. A number in English words is that
//     in digits.
//
// Words may stand in another order, unless two of them change places: "from Paris to Rome" and "from Rome to Paris".

// fewWords is the largest number of words of a text of few words.
const fewWords = 40

// A Said is what is known of what a text says: its Facts, and its words if they are few. The zero value is that of a
// text that nobody has seen.
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

// Fewest reports whether the text has so few words, and a number, that a space in front of the number makes other
// words of half of them.
func (s *Said) Fewest() bool {
	return s.Few() && len(s.few) <= 4 && slices.ContainsFunc(s.few, func(a atom) bool { return a.kind == Numbers })
}

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
	label bool      // is in front of the first colon
	role  string    // the word before, if it says which part the atom has in the sentence
}

// fewText has in each line a kind and words, of which the first stands for all. "light" words say little; "opening"
// ones do at the beginning of a text, and those of "duty" before "to"; a word of "split" is the others of the line; a
// "role" says which part in the sentence the next word has; and words of "same" say the same.
//
//go:embed few.txt
var fewText string

var fewLists = sync.OnceValue(func() (of struct {
	is   map[string]map[string]string // by kind, the words and what they stand for
	same map[string][]string          // by the stem, the lines that have the word
}) {
	of.is, of.same = map[string]map[string]string{}, map[string][]string{}
	for line := range strings.Lines(fewText) {
		fields := strings.Fields(line)
		kind, all := fields[0], fields[1:]
		if of.is[kind] == nil {
			of.is[kind] = map[string]string{}
		}
		for _, w := range all {
			of.is[kind][w] = all[0]
		}
		switch kind {
		case "same":
			for _, w := range all {
				of.same[stem(w)] = append(of.same[stem(w)], line)
			}
		case "split":
			for _, w := range all[1:] {
				delete(of.is[kind], w)
			}
			of.is[kind][all[0]] = strings.Join(all[1:], " ")
		}
	}
	return of
})

// atomsOf returns the atoms of a text of few words, and nil for others.
func atomsOf(text string) (out []atom) {
	if len(text) > 16*fewWords {
		return nil
	}
	is := fewLists().is
	english := known().lists[known().english-1].number.words
	n, role, sign, at, sum := 0, "", "", -3, 0.0                                    // at is where sum stands
	opens, glued, lower := true, false, strings.ContainsFunc(text, unicode.IsLower) // glued: there is no white space before
	for token := words.FromString(text); token.Next(); {
		raw := token.Value()
		w := plainLetters(raw)
		capital := lower && strings.ContainsFunc(raw, unicode.IsUpper) && (n > 0 || strings.ContainsFunc(raw[1:], unicode.IsUpper))
		parts := atomParts.FindAllString(strings.ReplaceAll(w, "%", "percent"), -1)
		if len(parts) == 0 {
			if opens && w != "" && strings.Contains(":,–—", w) {
				opens = false
				openedBy(out, w == ":")
			}
			if sign = ""; w != "" && strings.Contains(signs, w) && !glued {
				sign = strings.ReplaceAll(w, "−", "-")
			}
			glued = false
			continue
		}
		if n++; n > fewWords {
			return nil
		}
		for _, part := range parts {
			part = strings.Trim(part, "'.,")
			if sign != "" && isNumber([]byte(part)) {
				out = append(out, atom{raw: sign, key: sign, kind: Numbers})
			}
			sign = ""
			for one := range strings.FieldsSeq(expanded(part)) {
				if last := len(out) - 1; one == "to" && last >= 0 && is["duty"][out[last].raw] != "" {
					out[last].kind = 0
				}
				x := atomOf(one, capital, role)
				if x.kind == Numbers {
					value, _ := strconv.ParseFloat(x.key, 64)
					word, last := english[one], len(out)-1
					all, ok := added(sum, value, strings.HasPrefix(word, "*"))
					if ok && word != "" && (last == at || last == at+1 && out[last].raw == "and") {
						out[at].key, out, sum = inDigits(all), out[:at+1], all
						continue
					}
					at, sum = len(out), value
				}
				if out = append(out, x); is["role"][one] != "" {
					role = one
				} else if x.kind != 0 {
					role = ""
				}
				if opens && one == "that" {
					openedBy(out, false)
				}
			}
		}
		glued = true
	}
	return out
}

// atomParts matches the parts of a folded token: letters with apostrophes, and numbers.
var atomParts = regexp.MustCompile(`\pN[\pN.,]*|[\pL\pM'’]+`)

// openedBy says of the atoms before a mark or a "that" that they say little, if all are such that do so at the
// beginning; before a colon, that they are a label.
func openedBy(all []atom, colon bool) {
	light := !slices.ContainsFunc(all, func(a atom) bool { return a.kind != 0 && fewLists().is["opening"][a.raw] == "" })
	for i := range all {
		if all[i].label = colon; light {
			all[i].kind = 0
		}
	}
}

// plainLetters folds a text, and leaves out accents.
func plainLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, norm.NFD.String(fold(s)))
}

// expanded returns the words that a folded part consists of: "can't" is "can not".
func expanded(w string) string {
	if parts := fewLists().is["split"][w]; parts != "" {
		return parts
	}
	if base, ok := strings.CutSuffix(w, "n't"); ok {
		return base + " not"
	}
	if at := strings.LastIndexByte(w, '\''); at > 0 && len(w)-at <= 3 {
		return w[:at]
	}
	return w
}

// atomOf returns the atom of a part.
func atomOf(w string, capital bool, role string) atom {
	a, is, english := atom{raw: w, key: w, kind: Words, role: role}, fewLists().is, &known().lists[known().english-1]
	number := english.number.words[w]
	switch {
	case isNumber([]byte(w)):
		a.key, a.kind = string(appendNumber(nil, []byte(w))), Numbers
	case number != "":
		a.key, a.kind = cmp.Or(strings.TrimLeft(strings.TrimRightFunc(number, unicode.IsLetter), "*"), w), Numbers
	case is["light"][w] != "":
		a.kind = 0
	default:
		a.key = stem(w)
		if english.negation.has([]byte(w)) {
			a.kind = Negations
		} else if capital {
			a.kind = Names
		}
	}
	return a
}

// Endings of English words, and what stands for them. Of each list, the first that a word has counts.
var plurals, forms, spellings = [][2]string{{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"ss", "ss"}, {"us", "us"},
	{"is", "is"}, {"s", ""}},
	[][2]string{{"ied", "y"}, {"ing", ""}, {"ed", ""}},
	[][2]string{{"ogue", "og"}, {"ise", "iz"}, {"yse", "yz"}, {"is", "iz"}, {"tre", "ter"}, {"mme", "m"}, {"nce", "ns"}, {"our", "or"}, {"e", ""}}

// stem returns what forms and spellings of an English word have in common.
func stem(w string) string {
	for i, endings := range [][][2]string{plurals, forms, spellings} {
		for _, ending := range endings {
			if rest, ok := strings.CutSuffix(w, ending[0]); ok && len(rest) >= 3 && (i != 1 || strings.ContainsAny(rest, "aeiouy")) {
				w = rest + ending[1]
				break
			}
		}
	}
	if len(w) > 5 {
		w = strings.ReplaceAll(w, "our", "or")
	}
	return string(slices.Compact([]byte(w)))
}

// fewDiffer returns the kinds of facts in which two texts of few words differ.
func fewDiffer(a, b []atom) (kinds FactKinds) {
	a, b = slices.Clone(a), slices.Clone(b)
	isLabel := func(x atom) bool { return x.label }
	if slices.ContainsFunc(a, isLabel) != slices.ContainsFunc(b, isLabel) { // the label of one text alone says little
		for _, all := range [][]atom{a, b} {
			for i := range all {
				if x := &all[i]; x.label && x.kind&(Words|Negations) != 0 {
					x.kind = 0
				}
			}
		}
	}
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
		out[i] = a[i].kind != 0 && n[a[i].key] < 0
	}
	return out
}

// join finds two or three words of a, some of which b lacks, that are one of b, and no longer counts them.
func join(a []atom, onlyA, onlyB []bool, b []atom) {
	for j := range b {
		if !onlyB[j] || b[j].kind == Numbers {
			continue
		}
		for i := range a {
			for n := 2; n <= 3 && i+n <= len(a); n++ {
				if !slices.Contains(onlyA[i:i+n], true) {
					continue
				}
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

// misspelt reports whether two long words differ by slips inside: in the order of letters or, the longest, as a judge
// spells alike.
func misspelt(a, b *atom) bool {
	x, y := a.raw, b.raw
	if a.kind|b.kind != Words || min(len(x), len(y)) < 6 || x[0] != y[0] || x[len(x)-1] != y[len(y)-1] {
		return false
	}
	letters := func(s string) []byte { return slices.Sorted(slices.Values([]byte(s))) }
	return min(len(x), len(y)) >= 8 && judge.SpeltAlike(x, y) || slices.Equal(letters(x), letters(y))
}

// exchanged returns the kinds of words that have changed places between texts that have the same ones.
func exchanged(a, b []atom) FactKinds {
	says := func(all []atom) (out []atom) {
		for _, x := range all {
			if x.kind != 0 {
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
