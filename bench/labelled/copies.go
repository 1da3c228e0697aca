package labelled

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
)

// A Base is a collection that synthetic copies are made of: the documents whose ids begin with prefix, or
// Limit of them, drawn by chance.
type Base struct {
	Name           string
	source, prefix string
	Limit          int
	Kind           Kind
	Sentences      bool // each sentence of a page is a document, and a copy has one character changed
}

// Bases are what copies are made of.
var Bases = []Base{
	{Name: "news", source: "reuters21578", Limit: 1500, Kind: Synthetic},
	{Name: "reviews", source: "aclimdb", Limit: 1000, Kind: Synthetic},
	{Name: "messages", source: "sms-spam", Limit: 1500, Kind: Synthetic},
	{Name: "laws, de", source: "gesetze-de", Limit: 300, Kind: Synthetic},
	{Name: "pages, en", source: "tldr-pages", prefix: "pages/", Limit: 1500, Kind: Templates},
	{Name: "pages, es", source: "tldr-pages", prefix: "pages.es/", Limit: 1500, Kind: Templates},
	{Name: "pages, ru", source: "tldr-pages", prefix: "pages.ru/", Limit: 1500, Kind: Templates},
	{Name: "pages, hi", source: "tldr-pages", prefix: "pages.hi/", Limit: 1500, Kind: Templates},
	{Name: "pages, ko", source: "tldr-pages", prefix: "pages.ko/", Limit: 1500, Kind: Templates},
	{Name: "pages, zh", source: "tldr-pages", prefix: "pages.zh/", Limit: 1500, Kind: Templates},
	{Name: "pages, ja", source: "tldr-pages", prefix: "pages.ja/", Limit: 1500, Kind: Templates},
	{Name: "sentences, zh", source: "tldr-pages", prefix: "pages.zh", Limit: 1500, Kind: Synthetic, Sentences: true},
	{Name: "sentences, ja", source: "tldr-pages", prefix: "pages.ja", Limit: 1500, Kind: Synthetic, Sentences: true},
}

// An Edit makes a copy of a text, or nil if the text is too short for it.
type Edit struct {
	Name string
	make func(e *editor, text string) []byte
}

// Edits are those of texts.
var Edits = []Edit{
	{"2 % of words", func(e *editor, text string) []byte { return e.words(text, 0.02) }},
	{"5 % of words", func(e *editor, text string) []byte { return e.words(text, 0.05) }},
	{"10 % of words", func(e *editor, text string) []byte { return e.words(text, 0.10) }},
	{"sentence added", (*editor).addSentence},
	{"sentence dropped", (*editor).dropSentence},
	{"2 % of characters", func(e *editor, text string) []byte { return e.characters(text, 0.02, confusions) }},
}

// SentenceEdits are those of sentences.
var SentenceEdits = []Edit{{"one character", (*editor).oneCharacter}}

// oneCopyOf is the number of documents that have one copy between them.
const oneCopyOf = 2

// Copies returns a collection with copies of some of its texts, by edits in turn. Sentences have SentenceEdits
// instead. Each copy is labelled near its original.
func Copies(data string, b Base, edits []Edit) (*Collection, error) {
	from, err := Load(data, b.source, b.prefix)
	if err != nil {
		return nil, err
	}
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(b.Name))
	e := &editor{rand: rand.New(rand.NewPCG(seed.Sum64(), 1))}
	texts, how := from.Texts, edits
	if b.Sentences {
		texts, how = sentencesOf(texts), SentenceEdits
	}
	e.rand.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	texts = texts[:min(b.Limit, len(texts))]
	e.texts = texts

	c := &Collection{Name: b.Name, Kind: b.Kind, ids: map[string]uint32{}}
	for i, text := range texts {
		c.add(fmt.Sprint(i), text)
		c.Edits = append(c.Edits, "")
	}
	var labels bytes.Buffer
	for i := 0; i < len(texts); i += oneCopyOf {
		by := how[i/oneCopyOf%len(how)]
		if made := by.make(e, string(texts[i])); made != nil {
			c.add(fmt.Sprint("copy of ", i), made)
			c.Edits = append(c.Edits, by.Name)
			fmt.Fprintf(&labels, "{\"a\":\"%d\",\"b\":\"copy of %d\"}\n", i, i)
		}
	}
	return c, c.read(&labels)
}

// sentencesOf returns the descriptions in pages, lines that begin with a dash, each once.
func sentencesOf(pages [][]byte) (out [][]byte) {
	seen := map[string]bool{}
	for _, page := range pages {
		for line := range strings.Lines(string(page)) {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
			if ok && !seen[text] {
				seen[text] = true
				out = append(out, []byte(text))
			}
		}
	}
	return out
}

// An editor changes texts by chance.
type editor struct {
	rand  *rand.Rand
	texts [][]byte // new words and sentences are drawn from them
}

// words changes, drops or inserts a share of the words, but at least one.
func (e *editor) words(text string, share float64) []byte {
	pieces := Tokens(text)
	var words []int
	for i, p := range pieces {
		if !IsSpace(p) {
			words = append(words, i)
		}
	}
	if len(words) < 2 {
		return nil
	}
	chosen := map[int]bool{words[e.rand.IntN(len(words))]: true}
	for _, i := range words {
		if e.rand.Float64() < share-1/float64(len(words)) {
			chosen[i] = true
		}
	}
	var out []byte
	for i, p := range pieces {
		if !chosen[i] {
			out = append(out, p...)
			continue
		}
		switch e.rand.IntN(3) {
		case 0: // change
			out = append(out, e.word()...)
		case 1: // drop
		case 2: // insert
			out = append(out, p...)
			if !isIdeographic([]rune(p)[0]) {
				out = append(out, ' ')
			}
			out = append(out, e.word()...)
		}
	}
	return out
}

// word draws a word.
func (e *editor) word() string {
	for {
		pieces := Tokens(string(e.texts[e.rand.IntN(len(e.texts))]))
		if len(pieces) == 0 {
			continue
		}
		if p := pieces[e.rand.IntN(len(pieces))]; !IsSpace(p) {
			return p
		}
	}
}

// leastSentences is the number of sentences from which on one is dropped or added.
const leastSentences = 5

// dropSentence leaves out a sentence.
func (e *editor) dropSentence(text string) []byte {
	parts := sentences(text)
	if len(parts) < leastSentences {
		return nil
	}
	i := e.rand.IntN(len(parts))
	return []byte(strings.Join(append(parts[:i:i], parts[i+1:]...), ""))
}

// addSentence inserts a sentence of another text.
func (e *editor) addSentence(text string) []byte {
	parts := sentences(text)
	if len(parts) < leastSentences {
		return nil
	}
	for {
		others := sentences(string(e.texts[e.rand.IntN(len(e.texts))]))
		if len(others) < leastSentences {
			continue
		}
		i, other := e.rand.IntN(len(parts)), others[e.rand.IntN(len(others))]
		return []byte(strings.Join(parts[:i], "") + other + " " + strings.Join(parts[i:], ""))
	}
}

// confusions are letters that optical character recognition takes for each other.
var confusions = strings.Split("e c,l 1,i l,o 0,rn m,h b,t f,u n,a o,s 5,n ii,I l,O Q,B 8,. ,", ",")

// characters reads a share of the characters wrongly, as optical character recognition does.
func (e *editor) characters(text string, share float64, confusions []string) []byte {
	var out []byte
	runes := []rune(text)
	for _, r := range runes {
		switch {
		case e.rand.Float64() >= share:
			out = append(out, string(r)...)
		case e.rand.IntN(4) == 0: // dropped
		case e.rand.IntN(4) == 0: // a stray mark
			out = append(out, string(r)+string("'.-, "[e.rand.IntN(5)])...)
		default:
			wrong := runes[e.rand.IntN(len(runes))]
			for _, c := range confusions {
				if right, read, _ := strings.Cut(c, " "); right == string(r) {
					out = append(out, read...)
					wrong = -1
				}
			}
			if wrong >= 0 {
				out = append(out, string(wrong)...)
			}
		}
	}
	return out
}

// oneCharacter changes one letter for one of another text.
func (e *editor) oneCharacter(text string) []byte {
	runes := []rune(text)
	var letters []int
	for i, r := range runes {
		if isIdeographic(r) {
			letters = append(letters, i)
		}
	}
	if len(letters) < 2 {
		return nil
	}
	at := letters[e.rand.IntN(len(letters))]
	for {
		other := []rune(string(e.texts[e.rand.IntN(len(e.texts))]))
		if r := other[e.rand.IntN(len(other))]; isIdeographic(r) && r != runes[at] {
			runes[at] = r
			return []byte(string(runes))
		}
	}
}

// Tokens cuts text into white space, ideographs and words.
func Tokens(text string) (out []string) {
	from, last := 0, -1
	for i, r := range text {
		class := 0
		switch {
		case unicode.IsSpace(r):
			class = 1
		case isIdeographic(r):
			class = 2
		}
		if i > from && (class != last || class == 2) {
			out = append(out, text[from:i])
			from = i
		}
		last = class
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

// IsSpace reports whether a token is white space.
func IsSpace(token string) bool { return strings.TrimSpace(token) == "" }

// isIdeographic reports whether r is of a script that puts no spaces between words.
func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// sentences cuts text after stops and lines. A blank part belongs to the sentence before it.
func sentences(text string) (out []string) {
	from := 0
	cut := func(to int) {
		if part := text[from:to]; len(out) > 0 && IsSpace(part) {
			out[len(out)-1] += part
		} else if part != "" {
			out = append(out, part)
		}
		from = to
	}
	stop := false
	for i, r := range text {
		if stop && (unicode.IsSpace(r) || isIdeographic(r)) {
			cut(i)
		}
		if stop = strings.ContainsRune(".!?", r); strings.ContainsRune("\n。！？", r) {
			cut(i + len(string(r)))
		}
	}
	cut(len(text))
	return out
}
