package preprocess

import (
	"bytes"
	"strings"
)

// Units returns the places of the functions of a source that have so many tokens at least: bytes of it, the last one
// exclusive, in ascending order without overlap. A function of which two others or more are the most is these others.
// Braces tell where functions end, or indents, as the language has it; in Haskell, Pascal and SQL, none are found.
// Whatever the bytes are, they are divided.
func (c *Code) Units(source []byte, least int) [][2]int {
	u := units{text: source, code: *c, least: max(1, least), open: make([]scope, 1)}
	if c.marks["ends"] {
		u.code.marks = setOf("layout ends")
	}
	u.tokens = u.code.AppendTokens(nil, source)
	end := 0
	for i, t := range u.tokens {
		gap := source[end:t.From]
		if u.lines = bytes.Count(gap, []byte{'\n'}); u.lines > 0 {
			u.indented = gap[len(gap)-1] != '\n'
		}
		if u.add(i); t.From < t.To { // others are in the line of the next one
			u.last, end = i, t.To
		}
	}
	return u.all
}

// units divides a source.
type units struct {
	text   []byte
	code   Code
	tokens []Token
	least  int
	all    [][2]int
	open   []scope // the first one is the source
	last   int     // the last token that has bytes
	// lines is how many lines end before the last token, and indented says that its line begins with white space.
	lines    int
	indented bool
}

// A scope is what is between brackets, or what is indented.
type scope struct {
	by       string // the bracket, or indent
	unit     bool   // it is a function
	inside   bool   // it is one, or in one
	from     int    // the token at which it begins, with what is before its bracket
	begins   int    // its bracket
	header   int    // the token at which the next scope in it begins
	indented bool   // the line of its bracket is
	// first is how many units there are before those in it, of which there are so many tokens
	first, within int
}

// Words, in any language, of which the first before a scope makes it a function, or something that has functions; and
// those that do not begin a line.
var (
	functions = setOf("func function fn fun def sub proc macro init deinit")
	holders   = setOf("class interface trait impl namespace module mod object extension record protocol mixin")
	goesOn    = setOf("throws where implements extends noexcept")
)

const (
	// smallScope is how many tokens are in a pair of braces that may belong to what is before another one.
	smallScope = 3
	// mostHeader is how many tokens before a scope say what it is.
	mostHeader = 200
)

// word returns a token as it is written, or indent or dedent.
func (u *units) word(i int) string {
	if t := u.tokens[i]; t.From < t.To {
		return string(u.text[t.From:t.To])
	}
	return u.tokens[i].fold
}

// add goes over a token.
func (u *units) add(i int) {
	b, word := &u.open[len(u.open)-1], u.word(i)
	if u.begins(i) {
		b.header = i
	}
	switch word {
	case "(", "[":
		u.open = append(u.open, scope{by: "(", inside: b.inside, from: i, header: i + 1, first: len(u.all)})
	case "{", indent:
		is := scope{by: word, from: min(b.header, i), begins: i, header: i + 1, indented: u.indented, first: len(u.all)}
		is.unit, is.inside = u.isUnit(b, i)
		u.open = append(u.open, is)
	case ")", "]":
		if b.by == "(" {
			u.leave("(", i)
		}
	case "}":
		u.leave("{", i)
	case dedent:
		at := u.last
		if u.code.marks["ends"] && i+1 < len(u.tokens) && u.word(i+1) == "end" {
			at = i + 1
		}
		u.leave(indent, at)
	case ",":
		if b.by != "{" || u.code.marks["arrows"] || b.header == i {
			b.header = i + 1
		}
	case ";":
		b.header = i + 1
	}
}

// begins reports whether a token may be the first of a statement, since it is that of a line.
func (u *units) begins(i int) bool {
	before, word := u.word(max(0, i-1)), u.word(i)
	ended := isNameByte(before[len(before)-1]) || strings.IndexByte(")]}>:\"'`", before[len(before)-1]) >= 0
	starts := isNameByte(word[0]) || strings.IndexByte("@#[~", word[0]) >= 0
	return i > 0 && u.lines > 0 && ended && starts && !goesOn[word] && !goesOn[before]
}

// leave ends the innermost scope of a kind behind a token, with all in it. A brace that begins a line ends all that is
// indented.
func (u *units) leave(by string, at int) {
	for len(u.open) > 1 {
		b := u.open[len(u.open)-1]
		u.open = u.open[:len(u.open)-1]
		around, n, small := &u.open[len(u.open)-1], at-b.from+1, b.by == "{" && at-b.begins <= smallScope
		if b.unit && !small && n >= u.least && (len(u.all)-b.first < 2 || 2*b.within <= n) {
			u.all = append(u.all[:b.first], [2]int{u.tokens[b.from].From, u.tokens[at].To})
			b.within = n
		}
		if around.within += b.within; b.by == "{" && !small || len(u.all) > b.first {
			around.header = at + 1
		}
		if b.by == by && (by != "{" || u.indented || u.lines == 0 || !b.indented) {
			return
		}
	}
}

// isUnit reports whether a scope that begins in another one at a token is a function, and whether it is in one.
func (u *units) isUnit(in *scope, at int) (unit, inside bool) {
	if at > 0 && u.code.marks["arrows"] && u.word(at-1) == "=>" {
		return true, true
	}
	depth, called, value := 0, false, false
	for i := max(in.header, at-mostHeader); i < at; i++ {
		switch word := u.word(i); {
		case strings.Contains(")]}", word):
			depth = max(0, depth-1)
		case strings.Contains("([{", word):
			called = called || depth == 0 && i > in.header
			depth++
		case depth > 0 || u.tokens[i].kind != fixed:
		case functions[word], holders[word]:
			return functions[word], functions[word]
		case word == "=", word == "return", word == "new":
			value = true
		}
	}
	unit = called && !in.inside && !value && u.code.marks["calls"]
	return unit, unit || in.inside && !value
}
