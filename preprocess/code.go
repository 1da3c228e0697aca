package preprocess

import (
	"bytes"
	_ "embed"
	"path"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Code is a programming language, as far as it is needed to divide a source into tokens: what is a comment, what is
// quoted, and which words are those of the language. A Code may be used by several goroutines at once.
type Code struct {
	Name        string
	line, block []string // what begins comments of a line; what begins and ends other ones, in turn
	quotes      string   // characters that quote within a line; a backslash is before one that does not end
	long        []string // what quotes over lines
	imports     map[string]bool
	// marks are layout (indents make blocks), anyCase (case is nothing), lifetimes (a quote may begin a name), and
	// for units calls (functions have no word of their own), arrows (=> begins one) and ends (indents and a word end
	// it).
	marks map[string]bool
	words map[string]bool // of the language
}

// A kind is what a token of a source is.
type kind uint8

const (
	named   kind = iota // of a variable, a type or a function
	number              // as it is written
	literal             // something quoted
	fixed               // a word or a sign of the language
)

// A Token is a part of a source: From and To are bytes of it, the last one exclusive. Blocks by indents begin and end
// with tokens of no bytes.
type Token struct {
	From, To int
	kind     kind
	fold     string
}

// Quoted reports whether t is something quoted, with its quotes.
func (t Token) Quoted() bool { return t.kind == literal }

// Folded returns what t counts as: all names are one, as all numbers and all literals are. It is a part of source, or
// fixed.
func (t Token) Folded(source []byte) []byte {
	if t.kind == fixed && t.fold == "" {
		return source[t.From:t.To]
	}
	return []byte(t.fold)
}

//go:embed codes.txt
var codes string

// codeOf are the languages by the ends of the names of files.
var codeOf = sync.OnceValue(func() map[string]*Code {
	all := map[string]*Code{}
	for line := range strings.Lines(codes) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		for i := range f {
			if f[i] == "-" {
				f[i] = ""
			}
		}
		c := &Code{Name: f[0], line: strings.Fields(f[2]), block: strings.Fields(f[3]), quotes: f[4], long: strings.Fields(f[5]),
			imports: setOf(f[6]), marks: setOf(f[7]), words: setOf(f[8])}
		for _, end := range strings.Fields(f[1]) {
			all[end] = c
		}
	}
	return all
})

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(list) {
		all[word] = true
	}
	return all
}

// anyCode returns what languages have in common, for sources whose language is not known: a number sign begins a
// comment, too, and the words of several languages are fixed.
var anyCode = sync.OnceValue(func() *Code {
	is := &Code{Name: "code", line: []string{"//", "#"}, block: []string{"/*", "*/"}, quotes: "\"'", long: []string{`"""`, "'''", "`"}, words: map[string]bool{}}
	all, in := map[*Code]bool{}, map[string]int{}
	for _, c := range codeOf() {
		all[c] = true
	}
	for c := range all {
		for word := range c.words {
			if in[word]++; in[word] == several {
				is.words[word] = true
			}
		}
	}
	return is
})

// several is how many languages have a word that is fixed in those that are not known.
const several = 4

// CodeOf returns the language of a file by the end of its name, or nil if it is none that is known.
func CodeOf(file string) *Code { return codeOf()[strings.ToLower(path.Ext(file))] }

// signs are those of several characters that are one token, the longest first.
var signs = strings.Fields(">>>= <<= >>= >>> ... ..= === !== **= //= ??= <=> && || == != <= >= ++ -- += -= *= /= %= &= |= ^= -> => :: := << >> ** ?? ?. .. ~=")

// AppendTokens appends the tokens of source to dst: what is no comment, no white space, and no line that names other
// sources. Whatever the bytes are, they are divided; what is open at the end ends there.
func (c *Code) AppendTokens(dst []Token, source []byte) []Token {
	s := codeScanner{Code: c, text: source, tokens: dst, fresh: true}
	for s.at < len(s.text) {
		s.next()
	}
	for len(s.indents) > 0 {
		s.outdent()
	}
	return s.tokens
}

// A codeScanner divides one source.
type codeScanner struct {
	*Code
	text    []byte
	at      int
	tokens  []Token
	fresh   bool  // nothing but white space is before on this line
	open    int   // brackets
	indents []int // of the blocks that are open
}

// The folded forms.
var folded = [...]string{named: "\x00name", number: "\x00number", literal: "\x00literal"}

const indent, dedent = "\x00indent", "\x00dedent"

func (s *codeScanner) add(of kind, to int) {
	t := Token{From: s.at, To: to, kind: of}
	if of != fixed {
		t.fold = folded[of]
	}
	s.tokens = append(s.tokens, t)
	s.at = to
}

func (s *codeScanner) outdent() {
	s.indents = s.indents[:len(s.indents)-1]
	s.tokens = append(s.tokens, Token{s.at, s.at, fixed, dedent})
}

// next passes over white space, a comment or a line, or adds a token.
func (s *codeScanner) next() {
	switch b := s.text[s.at]; {
	case b == '\n':
		s.at, s.fresh = s.at+1, true
	case b <= ' ':
		s.at++
	case s.comment():
	default:
		if s.fresh && s.begin() {
			return
		}
		s.fresh = false
		s.token(b)
	}
}

// comment passes over a comment, if one begins here.
func (s *codeScanner) comment() bool {
	rest := s.text[s.at:]
	for i := 0; i+1 < len(s.block); i += 2 {
		if bytes.HasPrefix(rest, []byte(s.block[i])) {
			s.at += len(s.block[i])
			s.pass([]byte(s.block[i+1]))
			return true
		}
	}
	for _, from := range s.line {
		if bytes.HasPrefix(rest, []byte(from)) {
			s.at += len(s.restOfLine())
			return true
		}
	}
	return false
}

// pass passes over everything up to an end, and over that.
func (s *codeScanner) pass(end []byte) {
	if n := bytes.Index(s.text[s.at:], end); n >= 0 {
		s.at += n + len(end)
	} else {
		s.at = len(s.text)
	}
}

// restOfLine returns what is left of a line, without its end.
func (s *codeScanner) restOfLine() []byte {
	line, _, _ := bytes.Cut(s.text[s.at:], []byte{'\n'})
	return line
}

// begin does what is done at the first token of a line. It reports whether the line was passed over.
func (s *codeScanner) begin() bool {
	word := s.text[s.at:wordEnd(s.text, s.at+1)]
	if s.imports[string(word)] && s.open == 0 {
		line := s.restOfLine()
		if end := bytes.IndexByte(line, ';'); end >= 0 {
			line = line[:end+1]
		}
		s.at += len(line)
		if open := bytes.LastIndexByte(line, '('); open >= 0 && bytes.IndexByte(line[open:], ')') < 0 {
			s.pass([]byte{')'})
		}
		return true
	}
	if s.marks["layout"] && s.open == 0 {
		column := 0
		for i := s.at - 1; i >= 0 && s.text[i] != '\n'; i-- {
			if column++; s.text[i] == '\t' {
				column += 7
			}
		}
		for len(s.indents) > 0 && column < s.indents[len(s.indents)-1] {
			s.outdent()
		}
		if last := len(s.indents) - 1; column > 0 && (last < 0 || column > s.indents[last]) {
			s.indents = append(s.indents, column)
			s.tokens = append(s.tokens, Token{s.at, s.at, fixed, indent})
		}
	}
	return false
}

func isNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b >= 0x80
}

// wordEnd returns where the word ends that goes on at a place.
func wordEnd(text []byte, at int) int {
	for at < len(text) && isNameByte(text[at]) {
		at++
	}
	return at
}

// token adds the token that begins with b.
func (s *codeScanner) token(b byte) {
	end := wordEnd(s.text, s.at)
	switch {
	case s.quoted(b):
	case isDigit(b) || b == '.' && s.at+1 < len(s.text) && isDigit(s.text[s.at+1]):
		s.add(number, s.numberEnd())
	case end > s.at:
		word := s.text[s.at:end]
		if s.marks["anyCase"] {
			word = bytes.ToLower(word)
		}
		if s.words[string(word)] {
			s.add(fixed, end)
			if s.marks["anyCase"] {
				s.tokens[len(s.tokens)-1].fold = string(word)
			}
		} else {
			s.add(named, end)
		}
	default:
		s.sign(b)
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// numberEnd returns where the number ends that begins here, with its exponent and its unit.
func (s *codeScanner) numberEnd() int {
	end, hex := s.at, bytes.HasPrefix(bytes.ToLower(s.text[s.at:min(s.at+2, len(s.text))]), []byte("0x"))
	for end++; end < len(s.text); end++ {
		last := s.text[end-1] | 0x20
		signed := (s.text[end] == '+' || s.text[end] == '-') && (last == 'e' && !hex || last == 'p' && hex)
		if !signed && !isNameByte(s.text[end]) && s.text[end] != '.' {
			break
		}
		if bytes.HasPrefix(s.text[end:], []byte("..")) { // a range, such as 0..9
			break
		}
	}
	return end
}

// quoted adds a literal, if one begins here.
func (s *codeScanner) quoted(b byte) bool {
	for _, mark := range s.long {
		if bytes.HasPrefix(s.text[s.at:], []byte(mark)) {
			from := s.at
			s.at += len(mark)
			s.pass([]byte(mark))
			end := s.at
			s.at = from
			s.add(literal, end)
			return true
		}
	}
	if strings.IndexByte(s.quotes, b) < 0 {
		return false
	}
	if b == '\'' && s.marks["lifetimes"] && s.at+1 < len(s.text) && s.text[s.at+1] != '\\' {
		_, n := utf8.DecodeRune(s.text[s.at+1:])
		if at := s.at + 1 + n; at >= len(s.text) || s.text[at] != b {
			return false
		}
	}
	for end := s.at + 1; end < len(s.text) && s.text[end] != '\n'; end++ {
		switch s.text[end] {
		case '\\':
			end++
		case b:
			s.add(literal, end+1)
			return true
		}
	}
	return false
}

// sign adds a sign of the language.
func (s *codeScanner) sign(b byte) {
	switch b {
	case '(', '[', '{':
		s.open++
	case ')', ']', '}':
		s.open = max(0, s.open-1)
	}
	for _, sign := range signs {
		if bytes.HasPrefix(s.text[s.at:], []byte(sign)) {
			s.add(fixed, s.at+len(sign))
			return
		}
	}
	s.add(fixed, s.at+1)
}
