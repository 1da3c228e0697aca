package explain

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"

	"simsearch/internal/ground/terminal"
	"simsearch/preprocess"
)

// Two near texts may say different things: one changed number, or one "not", hardly changes how near they are. So
// texts are compared by facts, of the kinds that are listed below:
//
//   - A number is a word with a digit, as in 12.5, ½, v1.2 and B52, with the sign before it (+, <, $ …) and the unit or sign behind it
//     (%, mg …); a Roman number of two capital letters or more; or a word of a list. The digits of all scripts are equal, 1,000 is 1000, and
//     1,5 is 1.5. A hyphen behind a word is no sign. Words are what they are in digits: "two hundred and five" is 205,
//     and "first" 1st. A 1 does not count, as words for it do not, which stand for articles and pronouns, too.
//   - A negation is a word of a list.
//   - A symbol is a sign of a currency, one of +=<>±≈≠≤≥ between words, or one of -*/ between numbers, with white space around it. A < or >
//     with white space on one side is a bracket, as in <ann@example.org>. A text
//     reads as code or mathematics if operators and brackets are a fifth of its words and signs, without hyphens and points of lists; in two
//     such texts, all operators count.
//   - A name is a word with a capital letter inside a sentence, or in front of a name, or with one behind a small letter. German nouns are none.
//     Accents do not count.
//
// Texts differ in numbers or negations if one stands more often in one of them, wherever that is, in symbols if these
// are others or stand in another order, and in names if they have as many, and others. They differ in order if they
// have the same words in another one. Words are those of the language of the texts, by a guess. If that is English
// for one text only, the words of English count in both, and if it is another one for each, digits alone.

// A FactKinds is a set of kinds of facts in which texts can differ.
type FactKinds uint8

// The kinds.
const (
	Numbers FactKinds = 1 << iota
	Negations
	Symbols
	Names
	Order
	Words
	// Spared are the kinds that Facts tell. Words are told of two texts of few words.
	Spared = Words - 1
	// Content is all kinds that tell what is said, and not how.
	Content = Numbers | Negations | Symbols | Names | Words
)

// factKinds are the names of the kinds, and what texts have that differ in them.
var factKinds = [...]struct{ name, have string }{{"numbers", "other numbers"}, {"negations", "other negations"},
	{"symbols", "other symbols"}, {"names", "other names"}, {"order", "another order"}, {"words", "other words"}}

// ParseFacts reads names of kinds with commas between them, or all.
func ParseFacts(s string) (kinds FactKinds, err error) {
	if s == "all" {
		return Spared, nil
	}
	for name := range strings.SplitSeq(s, ",") {
		i := slices.Index(Spared.Names(), strings.TrimSpace(name))
		if i < 0 {
			return 0, fmt.Errorf("unknown kind of facts %q: want %s, some of them with commas between, or all", name, strings.Join(Spared.Names(), ", "))
		}
		kinds |= 1 << i
	}
	return kinds, nil
}

// Names returns the names of the kinds, or nil if there are none.
func (k FactKinds) Names() (names []string) {
	for i, kind := range factKinds {
		if k>>i&1 != 0 {
			names = append(names, kind.name)
		}
	}
	return names
}

// String returns what ParseFacts reads.
func (k FactKinds) String() string { return strings.Join(k.Names(), ",") }

// FactCounts count texts that differ from others: in each kind, and in one of them at least.
type FactCounts struct {
	Numbers   int `json:"numbers"`
	Negations int `json:"negations"`
	Symbols   int `json:"symbols"`
	Names     int `json:"names"`
	Order     int `json:"order"`
	Any       int `json:"any"`
}

func (c *FactCounts) of() []*int {
	return []*int{&c.Numbers, &c.Negations, &c.Symbols, &c.Names, &c.Order}
}

// Add counts a text.
func (c *FactCounts) Add(kinds FactKinds) {
	for i, n := range c.of() {
		*n += int(kinds >> i & 1)
	}
	c.Any += min(int(kinds), 1)
}

// String returns such as "16 have other numbers and 2 another order".
func (c FactCounts) String() string {
	var all []string
	for i, n := range c.of() {
		if *n == 0 {
			continue
		}
		have := map[bool]string{true: " has ", false: " have "}[*n == 1]
		if all != nil {
			have = " "
		}
		all = append(all, terminal.Thousands(*n)+have+factKinds[i].have)
	}
	return strings.Join(all, " and ")
}

// Facts are digests of what a text says. Those of different facts are equal with a probability of 2⁻³². The zero
// value is that of a text that nobody has seen.
type Facts [FactWords]uint32

const (
	digits           = iota
	ownNumbers       // numbers in words, and behind them negations: those of the language of the text
	ownNegations     //
	englishNumbers   // and those of English
	englishNegations //
	symbols          // as prose has them
	operators        // as code has them
	names
	bag      // the words, each as often as it stands there
	sequence // the words in their order
	about    // the language, a place among those that are known, from 1; 256 for code; and 65,536 for each name

	// FactWords is the number of words that Facts are stored in.
	FactWords
)

// Valid reports whether f are facts of a text.
func (f Facts) Valid() bool { return f.Known() && int(f.language()) <= len(known().codes) }

// Known reports whether the text has been seen.
func (f Facts) Known() bool { return f.language() > 0 }

func (f Facts) language() uint8 { return uint8(f[about]) }

// signs returns the place of the symbols that count if the other text is code or not.
func (f Facts) signs(inCode uint32) int {
	if f[about]&inCode&isCode != 0 {
		return operators
	}
	return symbols
}

const (
	isCode, oneName = 1 << 8, 1 << 16
	isCodeShare     = 5 // a fifth of the words and signs of code at least are operators and brackets
)

// Differ returns the kinds of facts in which two texts differ, none if one of them has not been seen.
func (f Facts) Differ(other Facts) (kinds FactKinds) {
	if !f.Known() || !other.Known() {
		return 0
	}
	at := digits // nothing else
	switch english := known().english; {
	case f.language() == other.language():
		at = ownNumbers
	case f.language() == english || other.language() == english:
		at = englishNumbers
	}
	if f[digits]-other[digits]+f[at]-other[at] != 0 { // of digits alone, twice their difference
		kinds |= Numbers
	}
	if at != digits && f[at+1] != other[at+1] {
		kinds |= Negations
	}
	if at := f.signs(other[about]); f[at] != other[at] {
		kinds |= Symbols
	}
	if n := f[about] / oneName; n > 0 && n == other[about]/oneName && f[names] != other[names] {
		kinds |= Names
	}
	if f[bag] == other[bag] && f[sequence] != other[sequence] {
		kinds |= Order
	}
	return kinds
}

// Key returns a number for some kinds of facts. Texts with the same number do not differ in these. Texts of one
// language that do not differ have the same number, but for names and order, and if only one of them is code.
func (f Facts) Key(kinds FactKinds) uint64 {
	key := uint64(f.language())
	f[symbols], f[ownNumbers] = f[f.signs(isCode)]^f[about]&isCode, f[digits]+f[ownNumbers]
	for at, of := range [...]FactKinds{ownNumbers: Numbers, ownNegations: Negations, symbols: Symbols, names: Names, sequence: Order} {
		if of&kinds != 0 {
			key = (key ^ uint64(f[at])) * 0x9e3779b97f4a7c15
			key ^= key >> 29
		}
	}
	return key
}

// FactsOf returns the facts of a text. It looks at one field after the other: what has no white space, beyond which
// no word reaches. Of a field of ASCII letters with punctuation around them, it only looks at the hash; others are
// divided into words.
func FactsOf(text []byte) Facts {
	if !utf8.Valid(text) { // a word could reach beyond white space
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	r := factReader{english: &known().lists[known().english-1]}
	r.facts[about] = uint32(guess(text))
	r.lists = &known().lists[r.facts.language()-1]
	for at := 0; at < len(text); {
		start := at
		at = skip(text, at, punctuation)
		first, hash, capitals := at, uint32(hashStart), 0
		for at < len(text) && classes[text[at]] == letter {
			hash = (hash ^ uint32(text[at]|0x20)) * hashPrime
			capitals += int(^text[at] >> 5 & 1)
			at++
		}
		word := text[first:at]
		at = skip(text, at, punctuation)
		switch plain := at == len(text) || classes[text[at]] == space; {
		case plain && (r.last == nil || first == start):
			r.marks(text[start:first])
			if len(word) > 0 {
				r.addUnit(word)
				roman := isRoman(word)
				if !roman && capitals > 0 {
					r.addName(word, hash, capitals, len(word), word[0]&0x20 == 0)
				}
				r.addWord(hash, false)
				if roman || r.lists.affixes || r.lists.filter[hash>>20]>>(hash>>15&31)&1 != 0 {
					var folded [longestWord]byte
					r.look(word, appendFolded(folded[:0], word))
				}
				r.marks(text[first+len(word) : at])
			}
		default:
			for at < len(text) && classes[text[at]] != space {
				at++
			}
			for token := words.FromBytes(text[start:at]); token.Next(); {
				r.add(token.Value())
			}
		}
		if start = at; at < len(text) {
			at = skip(text, at, space)
			r.space(text[start:at])
		}
	}
	r.settle()
	if r.signs > 0 && isCodeShare*r.signs >= r.tokens {
		r.facts[about] |= isCode
	}
	return r.facts
}

// A class is what a byte is.
type class uint8

const (
	space class = iota
	letter
	punctuation
	other // a digit, an operator or a bracket, a control character, or part of a character beyond ASCII
)

var classes = func() (of [256]class) {
	for b := range of {
		switch r := rune(b); {
		case b < utf8.RuneSelf && unicode.IsSpace(r):
			of[b] = space
		case b < utf8.RuneSelf && unicode.IsLetter(r):
			of[b] = letter
		case strings.ContainsRune(".,;:?'\"`", r):
			of[b] = punctuation
		default:
			of[b] = other
		}
	}
	return of
}()

// skip returns where bytes of a class end that begin at a place.
func skip(text []byte, at int, is class) int {
	for at < len(text) && classes[text[at]] == is {
		at++
	}
	return at
}

const (
	hashStart, hashPrime = 2166136261, 16777619 // of FNV-1a
	// longestWord is more than the number of bytes of the longest word of a list, or of one with one of its endings
	// that is told.
	longestWord = 48
)

// signs may stand before a number, and those of behind, too, or units.
const signs, behind = "+-−<>≤≥±~≈$€£¥₹", "%‰°$€£¥₹"

// Operators are symbols between words, or between numbers only; those of code count there wherever they are, as do
// those of mathematics beyond ASCII. Enders end a sentence.
const betweenWords, betweenNumbers, ofCode, brackets, enders = "+=<>±≈≠≤≥", "-*/", "+-*/%=<>!&|^~", "()[]{}", ".!?:;…。！？\"“”„«»"

// points begin the items of a list, or lines that are quoted.
const points = "*-+>"

// sameSign are signs that are written in several ways.
var sameSign = map[rune]rune{'−': '-', '–': '-', '×': '*', '÷': '/'}

// unitWords are folded words that tell what a number is of, if they stand behind it.
var unitWords = map[string]bool{}

func init() {
	for _, unit := range strings.Fields("mg g kg µg mcg t ml cl dl l mm cm m km nm µm ms s sec min h hr hrs kb mb gb tb kib mib gib tib b kbit mbit gbit " +
		"w kw mw gw v mv kv ma kwh hz khz mhz ghz k c f kcal cal j kj pa hpa kpa bar psi lb lbs oz ft yd mi mph kph rpm dpi px pt " +
		"percent days day weeks week months month years year hours hour minutes minute seconds second times am pm") {
		unitWords[fold(unit)] = true
	}
}

// A factReader gathers the facts of a text, and remembers what its words and signs may belong to.
type factReader struct {
	facts          Facts
	lists, english *factList

	sign []byte // the signs before, if a number may follow to which they belong
	last []byte // the number before, with its sign, if nothing but white space has come since

	number  float64 // in words, of which token counted is the last, or 0
	counted int     //
	link    int     // the last token that may stand between the words of one number

	inside  bool   // a sentence has begun
	first   uint32 // a hash of the word before, which begins a sentence, and is a name if this one is; or 0
	begun   uint32 // that for the next word
	before  before // what stands before, on the same line
	adjoins bool   // there is no white space since
	pending uint32 // a hash of operators that are symbols if a word follows, or 0
	numeric bool   // that must be a number
	angle   bool   // these are < or > alone
	apart   bool   // there is white space before it: it is a bracket if there is some on one side only

	buffer        []byte
	tokens, signs int // words and signs, and how many of these are operators and brackets, but for hyphens and points of lists
}

type before uint8

const (
	nothing before = iota
	aWord
	aNumber
	aSign
)

// space takes white space.
func (r *factReader) space(w []byte) {
	if c, _ := utf8.DecodeRune(r.sign); !unicode.Is(unicode.Sc, c) {
		r.sign = nil
	}
	r.adjoins = false
	if bytes.ContainsAny(w, "\r\n") {
		r.before = nothing
	}
	if bytes.Count(w, []byte("\n")) > 1 { // a blank line ends a sentence
		r.inside, r.first = false, 0
	}
}

// marks takes signs of ASCII.
func (r *factReader) marks(w []byte) {
	for i := range w {
		r.mark(w[i : i+1])
	}
}

// mark takes a sign.
func (r *factReader) mark(w []byte) {
	c, size := utf8.DecodeRune(w)
	if size < len(w) {
		c = utf8.RuneError
	}
	if r.last != nil && strings.ContainsRune(behind, c) {
		r.facts[digits] += digestOf(append(r.last, w...))
	}
	r.last, r.sign, r.first = nil, nil, 0
	if strings.ContainsRune(signs+behind, c) && (c != '-' || !r.adjoins || r.before != aWord && r.before != aNumber) {
		if r.sign = w; c == '−' {
			r.sign = []byte("-")
		}
	}
	r.tokens++
	if c == '-' {
		r.link = r.tokens
	}
	c = cmp.Or(sameSign[c], c)
	isCurrency, isBracket := unicode.Is(unicode.Sc, c), strings.ContainsRune(brackets, c)
	isOperator := isCurrency || strings.ContainsRune(ofCode, c) || c >= utf8.RuneSelf && unicode.Is(unicode.Sm, c)
	if isOperator {
		r.facts[operators] = (r.facts[operators] ^ uint32(c)) * hashPrime
	}
	isPoint := r.before == nothing && strings.ContainsRune(points, c)
	if isBracket || isOperator && !isPoint && (c != '-' || !r.adjoins || r.before != aWord && r.before != aNumber) {
		r.signs++
	}
	switch {
	case isCurrency:
		r.facts[symbols] = (r.facts[symbols] ^ uint32(c)) * hashPrime
	case strings.ContainsRune(betweenWords, c) && (r.before == aWord || r.before == aNumber || r.pending != 0):
		r.angle, r.apart = r.pending == 0 && (c == '<' || c == '>'), !r.adjoins
		r.pending, r.numeric = (r.pending^uint32(c))*hashPrime, false
	case strings.ContainsRune(betweenNumbers, c) && r.before == aNumber && !r.adjoins && r.pending == 0:
		r.pending, r.numeric, r.angle = uint32(c)*hashPrime, true, false
	case c == ',' || strings.ContainsRune(enders, c):
		r.pending, r.inside = 0, r.inside && c == ','
	}
	if !isBracket {
		r.before = aSign
	}
	r.adjoins = true
}

// addUnit adds a word behind a number if it is a unit.
func (r *factReader) addUnit(word []byte) {
	if r.counted == r.tokens && r.number > 0 && unitWords[fold(string(word))] {
		r.facts[ownNumbers] += digestOf([]byte(inDigits(r.number) + fold(string(word))))
	}
	if r.last == nil {
		return
	}
	last := len(r.last)
	if r.last = appendFolded(r.last, word); unitWords[string(r.last[last:])] {
		r.facts[digits] += digestOf(r.last)
	}
	r.last = nil
}

// addWord adds a word as one of the text.
func (r *factReader) addWord(hash uint32, isNumber bool) {
	f := &r.facts
	f[bag] += mixed(hash)
	f[sequence] = f[sequence]*hashPrime + mixed(hash)
	r.tokens++
	if hash == r.lists.link {
		r.link = r.tokens
	}
	isBracket := r.angle && r.apart == r.adjoins
	if r.pending != 0 && !isBracket && (!r.numeric || isNumber && !r.adjoins) {
		f[symbols] = (f[symbols] ^ r.pending) * hashPrime
	}
	r.first, r.begun = r.begun, 0
	r.pending, r.sign, r.inside, r.adjoins, r.before = 0, nil, true, true, aWord
	if isNumber {
		r.before = aNumber
	}
}

// addName adds a word with capital letters if it is a name.
func (r *factReader) addName(word []byte, hash uint32, capitals, letters int, begins bool) {
	inner := capitals < letters && (capitals > 1 || !begins)
	if word[0] == 'I' && (len(word) == 1 || classes[word[1]] != letter) { // I'm
		return
	}
	switch of := mixed(hash); {
	case inner || begins && r.inside && !r.lists.nouns:
		if r.facts[names] += of + r.first; r.first != 0 {
			r.facts[about] += oneName
		}
		r.facts[about] += oneName
	case begins && !r.lists.nouns:
		r.begun = of
	}
}

// mixed spreads a hash, so that sums of several tell them.
func mixed(hash uint32) uint32 {
	hash ^= hash >> 15
	hash *= 0x2c1b3c6d
	hash ^= hash >> 12
	return hash * 0x297a2d39
}

// add adds a word, a sign or white space.
func (r *factReader) add(word []byte) {
	isSpace, capitals, letters, wordlike := true, 0, 0, false
	for _, c := range string(word) {
		isSpace = isSpace && unicode.IsSpace(c)
		wordlike = wordlike || unicode.IsLetter(c) || unicode.IsNumber(c)
		if unicode.IsLetter(c) {
			letters++
		}
		if unicode.IsUpper(c) {
			capitals++
		}
	}
	switch {
	case isSpace:
		r.space(word)
		return
	case !wordlike:
		r.mark(word)
		return
	}
	r.addUnit(word)
	var folded [longestWord]byte
	w, sign := appendFolded(folded[:0], word), r.sign
	hash := hashOf(w)
	number := isNumber(w)
	if first, _ := utf8.DecodeRune(word); capitals > 0 && !number && !isRoman(word) {
		r.addName(word, hashOf([]byte(plainLetters(string(word)))), capitals, letters, unicode.IsUpper(first))
	}
	r.addWord(hash, number)
	if number {
		r.buffer = appendNumber(append(r.buffer[:0], sign...), w)
		r.last = r.buffer
		r.facts[digits] += digestOf(r.last)
		// Of 5mg, 5 counts, too, as if there were a space.
		if n := bytes.IndexFunc(r.last, unicode.IsLetter); n > 0 && unitWords[string(r.last[n:])] {
			r.facts[digits] += digestOf(r.last[:n])
		}
		return
	}
	r.look(word, w)
}

// look adds a word that may be a Roman number, or one of the lists of the language of the text and of English. w is
// the word, folded.
func (r *factReader) look(word, w []byte) {
	if isRoman(word) {
		r.facts[digits] += digestOf(word)
		return
	}
	if len(w) > longestWord {
		return
	}
	for at, list := range [...]*wordList{ownNumbers: &r.lists.number, ownNegations: &r.lists.negation, englishNumbers: &r.english.number,
		englishNegations: &r.english.negation} {
		switch {
		case list == nil || !list.has(w):
		case at == ownNumbers:
			r.count(cmp.Or(list.words[string(w)], string(w)))
		default:
			r.facts[at] += digestOf([]byte(strings.TrimLeft(cmp.Or(list.words[string(w)], string(w)), "*")))
		}
	}
}

// hashOf returns a hash of a folded word.
func hashOf(w []byte) uint32 {
	hash := uint32(hashStart)
	for _, b := range w {
		hash = (hash ^ uint32(b)) * hashPrime
	}
	return hash
}

// digestOf returns a number for a word; the sum of those of several words is the digest of all. That of a 1 is 0:
// another text may have a word for it, which may be an article.
func digestOf(w []byte) uint32 {
	if string(w) == "1" {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, b := range w {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}

// guessedBy is how many bytes at the beginning of a text tell its language.
const guessedBy = 512

// guess returns the place of the language of a text, from 1, or that of English if it is not known.
func guess(text []byte) uint8 {
	text = text[:min(len(text), guessedBy)]
	language, err := preprocess.DetectLanguage(text)
	if at := slices.Index(known().codes, language); err == nil && at >= 0 {
		return uint8(at + 1)
	}
	return known().english
}

// appendFolded appends a word without regard to case and to other forms of the same letters.
func appendFolded(dst, word []byte) []byte {
	if norm.NFKC.QuickSpan(word) < len(word) {
		word = norm.NFKC.Bytes(word)
	}
	for len(word) > 0 {
		r, n := utf8.DecodeRune(word)
		if r == '’' {
			r = '\''
		}
		if word = word[n:]; !preprocess.IsDropped(r) {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

func fold(s string) string { return string(appendFolded(nil, []byte(s))) }

// isNumber reports whether a folded word has a digit, or another sign of a number.
func isNumber(w []byte) bool {
	for i := range w {
		if '0' <= w[i] && w[i] <= '9' {
			return true
		} else if w[i] >= utf8.RuneSelf {
			return bytes.IndexFunc(w[i:], unicode.IsNumber) >= 0
		}
	}
	return false
}

// appendNumber appends a folded word with digits as it is compared: with digits of ASCII, a point before its
// fraction, and no signs between thousands.
func appendNumber(out, w []byte) []byte {
	if bytes.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(",'_", r) }) < 0 {
		return append(out, w...)
	}
	zero := func(r rune) rune { // of the digits that r is one of: they come in tens
		for r > 0 && unicode.IsDigit(r-1) && (r-1)%16 != 15 {
			r--
		}
		return r
	}
	text := []rune(string(w))
	for i, r := range text {
		if unicode.IsDigit(r) && r > '9' {
			text[i] = '0' + (r-zero(r))%10
		}
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	for i, r := range text {
		if !strings.ContainsRune(",'_", r) || !isDigit(i-1) {
			out = utf8.AppendRune(out, r)
			continue
		}
		n := 0
		for isDigit(i + 1 + n) {
			n++
		}
		if r == ',' && n != 3 {
			out = append(out, '.')
		} else if n != 3 {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// isRoman reports whether a word is a Roman number of two capital letters or more, in its usual form.
func isRoman(word []byte) bool {
	return len(word) > 1 && word[1] < 'a' && strings.IndexByte("MDCLXVI", word[0]) >= 0 && roman.Match(word)
}

var roman = regexp.MustCompile(`^M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$`)
