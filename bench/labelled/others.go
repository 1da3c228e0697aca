package labelled

import (
	"slices"
	"strings"
	"unicode"
)

// SecondEdits are those of a second generator.
var SecondEdits = []Edit{
	{"5 % of words misspelt", func(e *editor, text string) []byte { return e.each(text, 0.05, e.misspell) }},
	{"10 % of words misspelt", func(e *editor, text string) []byte { return e.each(text, 0.1, e.misspell) }},
	{"20 % of words misspelt", func(e *editor, text string) []byte { return e.each(text, 0.2, e.misspell) }},
	{"30 % of words misspelt", func(e *editor, text string) []byte { return e.each(text, 0.3, e.misspell) }},
	{"a fifth appended", func(e *editor, text string) []byte {
		n := len(Tokens(text)) / 5
		more := e.other()
		if n < leastRun || len(more) < n {
			return nil
		}
		return []byte(text + "\n" + strings.Join(more[:n], ""))
	}},
	{"sentences reordered", func(e *editor, text string) []byte {
		parts := sentences(text)
		if len(parts) < leastSentences {
			return nil
		}
		e.rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return []byte(strings.Join(parts, " "))
	}},
	{"beginning dropped", func(e *editor, text string) []byte {
		parts := sentences(text)
		if len(parts) < leastSentences {
			return nil
		}
		return []byte(strings.Join(parts[1:], ""))
	}},
	{"heading added", func(e *editor, text string) []byte {
		heading := sentences(string(e.texts[e.rand.IntN(len(e.texts))]))
		if len(sentences(text)) < leastSentences || len(heading) == 0 {
			return nil
		}
		return []byte(heading[0] + "\n\n" + text)
	}},
}

// UnseenEdits are those of a third generator. No weights are learnt from them.
var UnseenEdits = []Edit{
	{"end cut off, 20 %", func(_ *editor, text string) []byte { return cut(text, 0.8) }},
	{"end cut off, 40 %", func(_ *editor, text string) []byte { return cut(text, 0.6) }},
	{"a run of 10 % of words replaced", func(e *editor, text string) []byte { return e.replaceRun(text, 0.1) }},
	{"a run of 20 % of words replaced", func(e *editor, text string) []byte { return e.replaceRun(text, 0.2) }},
	{"words replaced, numbers kept, 5 %", func(e *editor, text string) []byte { return e.each(text, 0.05, e.replaceWord) }},
	{"words replaced, numbers kept, 10 %", func(e *editor, text string) []byte { return e.each(text, 0.1, e.replaceWord) }},
	{"words replaced, numbers kept, 20 %", func(e *editor, text string) []byte { return e.each(text, 0.2, e.replaceWord) }},
	{"characters read wrongly, 1 %", func(e *editor, text string) []byte { return e.characters(text, 0.01, otherConfusions) }},
	{"characters read wrongly, 2 %", func(e *editor, text string) []byte { return e.characters(text, 0.02, otherConfusions) }},
	{"characters read wrongly, 5 %", func(e *editor, text string) []byte { return e.characters(text, 0.05, otherConfusions) }},
	{"hyphens at the ends of lines, 10 % of words", func(e *editor, text string) []byte {
		return e.each(text, 0.1, func(word []rune) []rune {
			if len(word) < 6 {
				return word
			}
			return slices.Insert(word, len(word)/2, '-', '\n')
		})
	}},
	{"words doubled, 5 %", func(e *editor, text string) []byte {
		return e.each(text, 0.05, func(word []rune) []rune { return slices.Concat(word, []rune{' '}, word) })
	}},
	{"case and punctuation, 20 % of words", func(e *editor, text string) []byte {
		return e.each(text, 0.2, func(word []rune) []rune {
			for i, r := range word {
				if word[i] = unicode.ToUpper(r); unicode.IsPunct(r) {
					word[i] = []rune(",.;:!?-")[e.rand.IntN(7)]
				}
			}
			return word
		})
	}},
}

// leastRun is the least number of tokens that are appended, cut off or replaced together.
const leastRun = 4

// otherConfusions are not those of the first generator.
var otherConfusions = strings.Split("w vv,d cl,k lc,g q,v y,y v,r i,p j,a u,t i,S 5,Z 2,D O,E F,T 7,6 b,9 g,; :", ",")

// each changes each word with a probability. It returns nil if no word was changed.
func (e *editor) each(text string, share float64, change func(word []rune) []rune) []byte {
	var out strings.Builder
	for _, p := range Tokens(text) {
		if !IsSpace(p) && e.rand.Float64() < share {
			p = string(change([]rune(p)))
		}
		out.WriteString(p)
	}
	if out.String() == text {
		return nil
	}
	return []byte(out.String())
}

// misspell leaves out, doubles, replaces or exchanges letters of a word of two or more.
func (e *editor) misspell(word []rune) []rune {
	if len(word) < 2 {
		return word
	}
	i := e.rand.IntN(len(word))
	switch e.rand.IntN(4) {
	case 0:
		return slices.Delete(word, i, i+1)
	case 1:
		return slices.Insert(word, i, word[e.rand.IntN(len(word))])
	case 2:
		word[i] = 'a' + rune(e.rand.IntN(26))
	default:
		j := min(i+1, len(word)-1)
		word[i], word[j] = word[j], word[i]
	}
	return word
}

// replaceWord draws another word for one without digits.
func (e *editor) replaceWord(word []rune) []rune {
	if slices.ContainsFunc(word, unicode.IsDigit) {
		return word
	}
	return []rune(e.word())
}

// cut leaves a share of the tokens of a text.
func cut(text string, share float64) []byte {
	pieces := Tokens(text)
	left := int(share * float64(len(pieces)))
	if len(pieces)-left < leastRun {
		return nil
	}
	return []byte(strings.Join(pieces[:left], ""))
}

// replaceRun puts the beginning of another text in place of a share of the tokens.
func (e *editor) replaceRun(text string, share float64) []byte {
	pieces, by := Tokens(text), e.other()
	n := int(share * float64(len(pieces)))
	if n < leastRun || len(by) < n {
		return nil
	}
	at := e.rand.IntN(len(pieces) - n)
	return []byte(strings.Join(slices.Concat(pieces[:at], []string{" "}, by[:n], []string{" "}, pieces[at+n:]), ""))
}

// other returns the tokens of another text.
func (e *editor) other() []string { return Tokens(string(e.texts[e.rand.IntN(len(e.texts))])) }
