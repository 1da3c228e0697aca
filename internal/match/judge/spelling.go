package judge

import (
	"slices"
	"unicode/utf8"
)

// earlyWords is how many of the first words of a text are looked at for misspelt ones.
const earlyWords = 128

// leastLetters and mostLetters are how many letters, or other characters, a word has that may be misspelt. Of shorter
// ones too many are like each other.
const leastLetters, mostLetters = 4, 24

// An early is one of the first words of a text. Its letters are there if it may be misspelt: a word with a digit may
// not.
type early struct {
	hash     uint32
	from, to uint16 // its letters, or its forms
}

// earlyOf returns an early word, and keeps its letters.
func (r *reader) earlyOf(hash uint64, word []byte, number bool) early {
	e := early{hash: uint32(hash >> 32), from: uint16(len(r.letters))}
	if n := utf8.RuneCount(word); !number && n >= leastLetters && n <= mostLetters {
		r.letters = append(r.letters, word...)
	}
	e.to = uint16(len(r.letters))
	return e
}

// spell puts the forms of words of t, which it appends, in the place of their letters.
func (t *Text) spell(forms []uint32, words []early) []uint32 {
	for i := range words {
		e := &words[i]
		letters := t.letters[e.from:e.to]
		e.from = uint16(len(forms))
		forms = appendForms(forms, letters)
		e.to = uint16(len(forms))
	}
	return forms
}

// spelled returns the Jaccard similarity of the multisets of the first words of two texts, in which words that are
// spelt alike count as the same.
// Words are spelt alike if they are equal when one letter at most is left out of each.
// Without forms, all words count as spelt alike that may be misspelt.
func spelled(a, b *Text, forms bool) float64 {
	if a.digest > b.digest || a.digest == b.digest && len(a.early) > len(b.early) {
		a, b = b, a // so that the order of both makes no difference
	}
	var ofA, ofB [earlyWords]early // what only one of both has
	x, y, shared := ofA[:0], ofB[:0], 0
	i, j := 0, 0
	for i < len(a.early) && j < len(b.early) {
		switch p, q := a.early[i], b.early[j]; {
		case p.hash < q.hash:
			x = append(x, p)
			i++
		case p.hash > q.hash:
			y = append(y, q)
			j++
		default:
			shared++
			i++
			j++
		}
	}
	never := func(e early) bool { return e.from == e.to } // is e misspelt
	x, y = slices.DeleteFunc(append(x, a.early[i:]...), never), slices.DeleteFunc(append(y, b.early[j:]...), never)
	if !forms {
		shared += min(len(x), len(y))
	} else {
		shared += alike(b.spell(a.spell(make([]uint32, 0, 1<<10), x), y), x, y)
	}
	return ratio(shared, len(a.early)+len(b.early)-shared)
}

// alike returns how many words of x are spelt like one of y, each of which counts for one of x.
func alike(forms []uint32, x, y []early) (n int) {
	var seen [1 << 8]uint64 // bits of the forms of y: most forms of x are none of these
	for _, e := range y {
		for _, f := range forms[e.from:e.to] {
			seen[f>>6%uint32(len(seen))] |= 1 << (f & 63)
		}
	}
	var taken [earlyWords]bool
words:
	for _, e := range x {
		for _, f := range forms[e.from:e.to] {
			if seen[f>>6%uint32(len(seen))]>>(f&63)&1 == 0 {
				continue
			}
			for j, e := range y {
				if !taken[j] && slices.Contains(forms[e.from:e.to], f) {
					taken[j] = true
					n++
					continue words
				}
			}
		}
	}
	return n
}

// SpeltAlike reports whether two words are spelt alike, which long ones are not.
func SpeltAlike(a, b string) bool {
	if max(len(a), len(b)) > utf8.UTFMax*mostLetters {
		return false
	}
	of := appendForms(nil, []byte(b))
	return slices.ContainsFunc(appendForms(nil, []byte(a)), func(f uint32) bool { return slices.Contains(of, f) })
}

// spellingBase is odd. powers are its powers.
const spellingBase = 0x9e3779b1

var powers = func() (of [utf8.UTFMax*mostLetters + 1]uint32) {
	of[0] = 1
	for i := range of[1:] {
		of[i+1] = of[i] * spellingBase
	}
	return of
}()

// appendForms appends hashes of a word, and of it without each of its letters.
func appendForms(dst []uint32, word []byte) []uint32 {
	all := spelling(0, word)
	dst = append(dst, mixed(all))
	for from, before := 0, uint32(0); from < len(word); {
		size := 1
		if word[from] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(word[from:])
		}
		after := powers[len(word)-from-size]
		with := spelling(before, word[from:from+size])
		dst = append(dst, mixed(before*after+all-with*after))
		from, before = from+size, with
	}
	return dst
}

// spelling extends a polynomial of bytes.
func spelling(sum uint32, letters []byte) uint32 {
	for _, c := range letters {
		sum = sum*spellingBase + uint32(c)
	}
	return sum
}

func mixed(h uint32) uint32 {
	h = (h ^ h>>15) * 0x85ebca6b
	return h ^ h>>13
}
