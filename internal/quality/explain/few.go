package explain

import (
	"cmp"
	_ "embed"
	"fmt"
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
	few  []atom
	text string // if its words are few
}

// Read returns what a text says.
func Read(text []byte) Said {
	s := Said{Facts: FactsOf(text), few: atomsOf(string(text))}
	if s.Few() {
		s.text = string(text)
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
		if few == 0 && kinds&Symbols != 0 { // "$" may be "dollars"
			plain := func(s *Said) Facts { return FactsOf([]byte(fewLists().signs.Replace(s.text))) }
			kinds &= plain(s).Differ(plain(other)) | Order
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
	mark  string    // the sign before, if nothing is between them
}

// fewText has in each line a kind and words, of which the first stands for all. "light" words say little; "opening"
// ones do at the beginning of a text, and those of "duty" before "to"; a word of "split" is the others of the line; a
// "role" says which part in the sentence the next word has; and words of "same" say the same. A "sign" is read as what
// stands behind it, wherever it is; "value" is a fraction; "month" is followed by its other names and its numbers, and
// "money" by words that stand before or behind an amount. Behind digits without white space, "scale" is read as the
// others of the line, and "rich", too, if money stands before. A _ is white space.
//
//go:embed few.txt
var fewText string

var fewLists = sync.OnceValue(func() (of struct {
	is    map[string]map[string]string // by kind, the words and what they stand for
	same  map[string][]string          // by the stem, the lines that have the word
	signs *strings.Replacer
}) {
	of.is, of.same = map[string]map[string]string{}, map[string][]string{}
	var signs []string
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
		case "sign":
			signs = append(signs, strings.ReplaceAll(all[0], "_", " "), strings.ReplaceAll(all[1], "_", " "))
		case "split", "value", "scale", "rich":
			for _, w := range all[1:] {
				delete(of.is[kind], w)
			}
			of.is[kind][all[0]] = strings.ReplaceAll(strings.Join(all[1:], " "), "_", " ")
		}
	}
	of.signs = strings.NewReplacer(signs...)
	return of
})

// atomsOf returns the atoms of a text of few words, and nil for others.
func atomsOf(text string) []atom {
	if len(text) > 16*fewWords {
		return nil
	}
	text = fewLists().signs.Replace(text)
	lower := strings.ContainsFunc(text, unicode.IsLower)
	r, split, n := atomReader{at: -3, opens: true}, fewLists().is["split"], 0
	for token := words.FromString(text); token.Next(); {
		raw := token.Value()
		w, hasCapital := plainLetters(raw), strings.ContainsFunc(raw, unicode.IsUpper)
		parts := atomParts.FindAllString(cmp.Or(split[raw], split[w], w), -1) // "US" is none of "us"
		if len(parts) == 0 {
			if r.opens && strings.ContainsAny(w, ":,–—") && strings.IndexAny(text[token.End():], "0123456789") != 0 {
				r.opens = false
				openedBy(r.out, w == ":")
			}
			r.mark, r.glued, r.inside = w, false, r.glued
			continue
		}
		r.capital = lower && hasCapital && (n > 0 || strings.ContainsFunc(raw[1:], unicode.IsUpper))
		if n++; n > fewWords {
			return nil
		}
		for i, part := range parts {
			r.take(i, strings.Trim(part, "'.,"))
		}
		r.glued = true
	}
	return settled(r.out)
}

// An atomReader gathers the atoms of a text.
type atomReader struct {
	out            []atom
	role           string  // for the next atom
	mark           string  // the sign before it, if nothing is between them
	glued, inside  bool    // there is no white space before, and none before the mark
	at             int     // where sum stands in out
	sum            float64 // of the last number
	opens, capital bool    // nothing but the opening has come, and the word has a capital letter that says something
}

// take takes part i of a token.
func (r *atomReader) take(i int, part string) {
	is, last := fewLists().is, len(r.out)-1
	if i == 1 && last >= 0 && isNumber([]byte(r.out[last].raw)) {
		if part = cmp.Or(is["scale"][part], is["split"][part], part); last > 0 && is["money"][r.out[last-1].raw] != "" {
			part = cmp.Or(is["rich"][part], part)
		}
	}
	if r.mark != "" && !r.inside && strings.Contains(signs, r.mark) && isNumber([]byte(part)) {
		r.out = append(r.out, numberOf(strings.ReplaceAll(r.mark, "−", "-")))
	}
	owner := strings.HasSuffix(part, "'s")
	for one := range strings.FieldsSeq(expanded(part)) {
		last := len(r.out) - 1
		if one == "to" && last >= 0 && is["duty"][r.out[last].raw] != "" {
			r.out[last].kind = 0
		}
		x := atomOf(one, r.capital, r.role)
		x.mark, r.mark = r.mark, ""
		if x.kind == Numbers {
			value, _ := strconv.ParseFloat(x.key, 64)
			word := known().lists[known().english-1].number.words[one]
			times := strings.HasPrefix(word, "*")
			all, ok := added(r.sum, value, times)
			ok = ok && word != "" && (last == r.at || last == r.at+1 && r.out[last].raw == "and" && r.sum >= 100)
			if ok && (times || !isNumber([]byte(r.out[r.at].raw))) { // "2 million", but not "20 and one"
				r.out[r.at].key, r.out, r.sum = inDigits(all), r.out[:r.at+1], all
				continue
			}
			r.at, r.sum = last+1, value
		}
		switch {
		case owner && x.kind != 0: // "Anna's mother" is "the mother of Anna"
			x.role = "of"
		case is["role"][one] != "":
			r.role = one
		case x.kind != 0:
			r.role = ""
		}
		r.out = append(r.out, x)
		if r.opens && one == "that" {
			openedBy(r.out, false)
		}
	}
}

// settled returns atoms with dates, times of day, fractions and amounts of money in one form.
func settled(all []atom) (out []atom) {
	const end = 4 // a form looks at so many atoms
	for all = append(all, make([]atom, end)...); len(all) > end; {
		some, n := all[:1], 0
		for i := 0; n == 0; i++ {
			some, n = readings[i](all)
		}
		some[0].role = all[0].role
		out, all = append(out, some...), all[n:]
	}
	return out
}

// readings return what the first atoms are in one form, and how many these are; 0 if they are of no such form.
var readings = [...]func([]atom) ([]atom, int){dateInDigits, date, timeOfDay, fraction, amount}

// numberOf returns a number.
func numberOf(key string) atom { return atom{raw: key, key: key, kind: Numbers} }

// whole returns the value of a whole number, or 0.
func (a *atom) whole() (n int) {
	n, _ = strconv.Atoi(a.key)
	return n
}

// isDay reports whether it can be the day of a month.
func (a *atom) isDay() bool { return a.whole() > 0 && a.whole() <= 31 }

// dateInDigits takes 2024-05-03, and 25/12/2024 if one number alone can be the month.
func dateInDigits(all []atom) ([]atom, int) {
	year, month, day, sign, names := all[0], all[1], all[2], all[1].mark, fewLists().is["month"]
	unsure := len(day.raw) == 4 && names[year.raw] != "" && names[month.raw] != "" && year.raw != month.raw
	if len(day.raw) == 4 {
		year, day = day, year
	}
	if names[month.raw] == "" {
		month, day = day, month
	}
	if unsure || names[month.raw] == "" || sign == "" || sign != all[2].mark || year.whole() < 1000 || !day.isDay() {
		return nil, 0
	}
	return []atom{numberOf(fmt.Sprint(stem(names[month.raw]), day.whole())), year}, 3
}

// date takes a day before or behind the name of its month.
func date(all []atom) ([]atom, int) {
	day, month, n := all[0], all[1], 2
	if month.raw == "of" {
		month, n = all[2], 3
	} else if month.isDay() {
		day, month = month, day
	}
	if !day.isDay() || month.kind == Numbers || fewLists().is["month"][month.raw] == "" {
		return nil, 0
	}
	return []atom{numberOf(fmt.Sprint(month.key, day.whole()))}, n
}

// timeOfDay takes 15:00 and 3 pm.
func timeOfDay(all []atom) ([]atom, int) {
	hour, minute, n := all[0].whole(), ":00", 1
	if all[1].mark == ":" && all[1].kind == Numbers && len(all[1].raw) == 2 {
		minute, n = ":"+all[1].raw, 2
	}
	switch half := all[n].raw; {
	case hour > 0 && hour <= 12 && (half == "am" || half == "pm"):
		hour, n = hour%12+12*strings.Index("ap", half[:1]), n+1
	case n == 1 || hour > 24 || all[0].kind != Numbers:
		return nil, 0
	case hour <= 12 && all[0].raw[0] != '0': // in which half of the day is not known
		minute += "?"
	}
	return []atom{numberOf(fmt.Sprintf("%02d%s", hour, minute))}, n
}

// fraction takes 1/2, 1 1/2, half, and one and a half.
func fraction(all []atom) ([]atom, int) {
	is := fewLists().is["value"]
	if value := is[all[0].raw+all[1].mark+all[1].raw]; value != "" {
		return []atom{numberOf(value)}, 2
	}
	value, n := is[all[1].raw+all[2].mark+all[2].raw], 3
	if all[1].raw == "and" && all[2].raw == "a" {
		value, n = is[all[3].raw], 4
	}
	if value == "" || all[0].whole() == 0 || all[1].kind == Words {
		return nil, 0
	}
	return []atom{numberOf(all[0].key + value[1:])}, n
}

// amount takes an amount with its currency before or behind it, and any other atom as it is.
func amount(all []atom) ([]atom, int) {
	n, currency := all[0], all[1]
	if n.kind != Numbers {
		n, currency = currency, n
	}
	if fewLists().is["money"][currency.raw] == "" || n.kind != Numbers {
		return all[:1], 1
	}
	n.key, currency.role = strings.TrimSuffix(n.key, ".00"), ""
	return []atom{n, currency}, 2
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
		a.key, a.kind = cmp.Or(is["value"][w], strings.TrimLeft(strings.TrimRightFunc(number, unicode.IsLetter), "*"), w), Numbers
	case is["light"][w] != "":
		a.kind = 0
	default:
		a.key = stem(cmp.Or(is["month"][w], w))
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
	if len(w) < 3 { // mm is not m
		return w
	}
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
	all := slices.Concat(a, b)
	a, b = all[:len(a)], all[len(a):]
	isLabel := func(x atom) bool { return x.label }
	if slices.ContainsFunc(a, isLabel) != slices.ContainsFunc(b, isLabel) { // the label of one text alone says little
		for i := range all {
			if x := &all[i]; x.label && x.kind&(Words|Negations) != 0 {
				x.kind = 0
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
				for k, key := 0, b[j].key; k < len(all); k++ {
					if all[k].key == key {
						all[k].key = a[i].key
					}
				}
			}
		}
	}
	for i, only := range slices.Concat(onlyA, onlyB) {
		if only {
			kinds |= all[i].kind
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

// join finds two or three words of a, some of which b lacks, that are one of b, and no longer counts them. That one is
// no unit: "5m in" is not "5 min".
func join(a []atom, onlyA, onlyB []bool, b []atom) {
	for j := range b {
		for i := range a {
			if !onlyB[j] || len(b[j].key) < 4 || b[j].kind == Numbers || a[i].raw[0] != b[j].raw[0] {
				continue
			}
			joined := a[i].raw
			for n := i + 1; n < min(i+3, len(a)); n++ {
				if joined += a[n].raw; slices.Contains(onlyA[i:n+1], true) && stem(joined) == stem(b[j].raw) {
					onlyB[j] = false
					clear(onlyA[i : n+1])
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

// exchanged returns the kinds of words that have changed places between texts that have the same ones, in place.
func exchanged(a, b []atom) FactKinds {
	light := func(x atom) bool { return x.kind == 0 }
	same := func(a, b []atom) bool { return slices.EqualFunc(a, b, func(x, y atom) bool { return x.key == y.key }) }
	by := func(x atom) bool { return x.raw == "by" }
	if slices.ContainsFunc(a, by) != slices.ContainsFunc(b, by) {
		return 0
	}
	a, b = slices.DeleteFunc(a, light), slices.DeleteFunc(b, light)
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
			if b[n-i].role != one || one == other && (i+j < n || a[0].whole() > 0 && a[n-j].whole() > 0) {
				return a[0].kind | a[n-j].kind
			}
		}
	}
	return 0
}
