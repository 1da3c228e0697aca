package labelled

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// Forms are bases of short texts with numbers. Each text has a twin with other numbers and names, which is no copy of
// it.
var Forms = []Base{
	{Name: "sentences of news", source: "reuters21578", Limit: 800, Kind: Synthetic},
	{Name: "sentences of messages", source: "sms-spam", Limit: 800, Kind: Synthetic},
	{Name: "sentences of laws, de", source: "gesetze-de", Limit: 400, Kind: Synthetic},
}

// formEdits are those of texts that have twins.
var formEdits = []Edit{
	{"5 % of words", func(e *editor, text string) []byte { return e.each(text, 0.05, e.replaceWord) }},
	{"5 % of words misspelt", func(e *editor, text string) []byte { return e.each(text, 0.05, e.misspell) }},
	{"case and punctuation", func(e *editor, text string) []byte {
		return []byte(strings.ToUpper(text[:1]) + strings.NewReplacer(",", "", ";", ",", ".", " .").Replace(text[1:]) + "!")
	}},
}

// The number of words of a short text.
const leastShort, mostShort = 6, 40

// FormsOf returns a collection of short texts, with twins and with copies of every other text. A copy has the numbers
// of its original.
func FormsOf(data string, b Base) (*Collection, error) {
	from, err := Load(data, b.source, b.prefix)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, text := range from.Texts {
		for _, s := range sentences(string(text)) {
			s = strings.Join(strings.Fields(s), " ")
			if n := strings.Count(s, " ") + 1; n >= leastShort && n <= mostShort && strings.ContainsAny(s, "0123456789") {
				texts = append(texts, []byte(s))
				break
			}
		}
	}
	e := &editor{rand: rand.New(rand.NewPCG(uint64(len(b.Name)), 2)), texts: texts}
	e.rand.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	texts = slices.Clone(texts[:min(b.Limit, len(texts))])
	c := &Collection{Name: b.Name, Kind: b.Kind, ids: map[string]uint32{}}
	var labels bytes.Buffer
	for i, text := range texts {
		c.add(fmt.Sprint(i), text)
		c.add(fmt.Sprint("twin of ", i), e.otherFacts(string(text)))
		if i%oneCopyOf > 0 {
			continue
		}
		if made := formEdits[i/oneCopyOf%len(formEdits)].make(e, string(text)); made != nil {
			c.add(fmt.Sprint("copy of ", i), made)
			fmt.Fprintf(&labels, "{\"a\":\"%d\",\"b\":\"copy of %d\"}\n", i, i)
		}
	}
	return c, c.read(&labels)
}

// otherFacts changes all numbers, and half of the words in the middle that begin with a capital letter.
func (e *editor) otherFacts(text string) []byte {
	pieces := Tokens(text)
	for i, p := range pieces {
		switch first := []rune(p)[0]; {
		case strings.ContainsAny(p, "0123456789"):
			pieces[i] = strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return '1' + (r-'0'+rune(e.rand.IntN(8)))%9
				}
				return r
			}, p)
		case i > 0 && unicode.IsUpper(first) && e.rand.IntN(2) == 0:
			if other := e.word(); unicode.IsLetter([]rune(other)[0]) {
				pieces[i] = strings.ToUpper(other[:1]) + other[1:]
			}
		}
	}
	return []byte(strings.Join(pieces, ""))
}
